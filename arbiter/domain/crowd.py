"""What a similarity says among facts about one thing, all of which are somewhat alike.

Statements about one person share a name, a style and a topic: a cosine that is high between strangers is
ordinary among them. What may be the same claim or its rival stands out from the rest.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import sqrt

_DEVIATIONS = 1.6
_PRIOR_SPREAD = 0.1
_PRIOR_WEIGHT = 4
"""How much cosines of unrelated statements about one person spread, and how many such we have seen."""


def standing_out(similarities: Mapping[str, float], asked: Iterable[str]) -> dict[str, float]:
    """Return for each fact asked about the similarity from which on it stands out among the others.

    That is 1.6 standard deviations above the mean of the others; their spread is drawn towards a usual one,
    since a few say little about it. The factor was chosen on the training pairs, put among other statements
    about one person; what it keeps and drops in use is what the retrieval suite of the evals measures.

    Args:
        similarities: cosines in [-1, 1] between a record and facts about the same thing, by their ids; at
            least two.
        asked: ids of such facts, those among them or others.
    """
    total = sum(similarities.values())
    squares = sum(similarity**2 for similarity in similarities.values())

    def bound(fact_id: str) -> float:
        own = similarities.get(fact_id)
        others = len(similarities) - (own is not None)
        mean = (total - (own or 0.0)) / others
        variance = max(0.0, squares - (own or 0.0) ** 2 - others * mean**2)
        spread = sqrt((variance + _PRIOR_WEIGHT * _PRIOR_SPREAD**2) / (others + _PRIOR_WEIGHT))
        return mean + _DEVIATIONS * spread

    return {fact_id: bound(fact_id) for fact_id in asked}
