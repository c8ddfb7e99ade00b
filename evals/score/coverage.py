"""Selective judging: how wrong a judge is on its surest part, for every size of that part.

Risk and coverage as in El-Yaniv and Wiener, "On the Foundations of Noise-free Selective Classification"
(2010).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from evals.score.items import Item

SHARES = (0.5, 0.6, 0.8)


@dataclass(frozen=True, slots=True)
class Coverage:
    """Risk by coverage. Shares lie in [0, 1]; coverage is of all cases, so it ends where judging ends.

    ``curve`` has (coverage, risk) for each number of surest cases; equally sure ones share their errors
    evenly. ``area`` is the mean risk over the curve, None if nothing is judged. ``surest`` maps a share of
    all cases to the accuracy on it, None where fewer are judged.
    """

    curve: tuple[tuple[float, float], ...]
    area: float | None
    surest: Mapping[float, float | None]


def score_coverage(found: Sequence[Item]) -> Coverage:
    """Score how far a judge's confidence tells right answers from wrong ones."""
    judged = sorted((item for item in found if item.judged), key=lambda item: -item.answer.confidence)
    errors: list[float] = []
    for _, alike in groupby(judged, key=lambda item: item.answer.confidence):
        part = list(alike)
        wrong = sum(not item.right for item in part) / len(part)
        known = errors[-1] if errors else 0.0
        errors += [known + wrong * count for count in range(1, len(part) + 1)]
    risks = [wrong / count for count, wrong in enumerate(errors, start=1)]
    sizes = {share: max(1, round(share * len(found))) for share in SHARES}
    return Coverage(
        curve=tuple((count / len(found), risk) for count, risk in enumerate(risks, start=1)),
        area=sum(risks) / len(risks) if risks else None,
        surest={share: 1 - risks[size - 1] if size <= len(risks) else None for share, size in sizes.items()},
    )
