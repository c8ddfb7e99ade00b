"""What a run cost, and which judge settled how much."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from arbiter.domain.evidence import Spend
from evals.score.items import Item


@dataclass(frozen=True, slots=True)
class Cost:
    """What asking cost together; ``settled`` counts the judged cases by the kind of judge.

    ``seconds`` is what this machine took. Of a replayed run, ``spend`` is what was paid when it was recorded.
    """

    spend: Spend
    seconds: float
    settled: Mapping[str, int]

    def as_json(self) -> dict[str, Any]:
        """Return it in JSON's own types."""
        return {**asdict(self.spend), "seconds": round(self.seconds, 1), "settled": dict(self.settled)}


def score_cost(found: Sequence[Item], spend: Spend, seconds: float) -> Cost:
    """Return what answered cases cost."""
    settled = Counter(item.answer.judge for item in found if item.judged)
    return Cost(spend, seconds, dict(settled.most_common()))
