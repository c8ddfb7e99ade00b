"""Measures a judge on labelled pairs: accuracy with intervals, per label, by confidence, and calibration."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from arbiter.domain.binomial import interval
from arbiter.domain.evidence import Verdict
from arbiter.domain.vocabulary import Relation
from arbiter.ports import Judge
from arbiter.training.calibration import Answer
from arbiter.training.examples import Example

_SHARES = (0.3, 0.5, 0.6, 0.8, 1.0)
_BINS = 10


@dataclass(frozen=True, slots=True)
class Measures:
    """What a judge achieved on labelled pairs. Shares lie in [0, 1]; intervals are exact, of 95 %.

    ``surest`` gives the accuracy on the surest part by the size of that part, ``confusion`` counts by (truth,
    answer), ``calibration_error`` is the mean distance of confidence and accuracy over ten equal bins.
    """

    pairs: int
    unjudged: int
    accuracy: float
    accuracy_interval: tuple[float, float]
    recall: dict[str, float]
    precision: dict[str, float]
    surest: dict[float, float]
    confusion: dict[tuple[str, str], int]
    calibration_error: float
    right_current: float | None

    def as_json(self) -> dict[str, Any]:
        """Return it in JSON's own types."""
        return {
            "pairs": self.pairs,
            "unjudged": self.unjudged,
            "accuracy": round(self.accuracy, 4),
            "accuracy_interval": [round(bound, 4) for bound in self.accuracy_interval],
            "recall": {label: round(share, 4) for label, share in self.recall.items()},
            "precision": {label: round(share, 4) for label, share in self.precision.items()},
            "surest": {str(share): round(accuracy, 4) for share, accuracy in self.surest.items()},
            "confusion": {
                truth: {label: self.confusion.get((truth, label), 0) for label in Relation}
                for truth in Relation
            },
            "calibration_error": round(self.calibration_error, 4),
            "right_current": None if self.right_current is None else round(self.right_current, 4),
        }


def answers(judge: Judge, examples: Sequence[Example]) -> list[Answer]:
    """Return what a judge says of examples; those that it could not judge lack."""
    judged, _ = judge.judge([example.pair for example in examples])
    return [
        Answer(verdict.relation, verdict.confidence, example.relation, verdict.current, example.current)
        for verdict, example in zip(judged, examples, strict=True)
        if isinstance(verdict, Verdict)
    ]


def measure(found: Sequence[Answer], *, unjudged: int = 0) -> Measures:
    """Measure answers, of which there must be one at least; ``unjudged`` pairs count as wrong."""
    ranked = sorted(found, key=lambda answer: -answer.probability)
    right = [answer.relation is answer.truth for answer in ranked]
    pairs = len(ranked) + unjudged
    confusion = Counter((str(answer.truth), str(answer.relation)) for answer in ranked)
    updates = [a for a in ranked if a.relation is a.truth is Relation.UPDATE]
    parts = {share: right[: max(1, round(share * pairs))] for share in _SHARES}
    return Measures(
        pairs=pairs,
        unjudged=unjudged,
        accuracy=sum(right) / pairs,
        accuracy_interval=interval(sum(right), pairs),
        recall={r: _share(confusion[r, r], sum(confusion[r, x] for x in Relation)) for r in Relation},
        precision={r: _share(confusion[r, r], sum(confusion[x, r] for x in Relation)) for r in Relation},
        surest={share: sum(part) / len(part) for share, part in parts.items()},
        confusion=dict(confusion),
        calibration_error=_calibration_error(ranked, right),
        right_current=_share(sum(a.current == a.true_current for a in updates), len(updates))
        if updates
        else None,
    )


def _calibration_error(ranked: Sequence[Answer], right: Sequence[bool]) -> float:
    error = 0.0
    for place in range(_BINS):
        part = slice(place * len(ranked) // _BINS, (place + 1) * len(ranked) // _BINS)
        confident = sum(answer.probability for answer in ranked[part])
        error += abs(confident - sum(right[part])) / len(ranked)
    return error


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
