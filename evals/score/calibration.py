"""Do probabilities mean what they say? Reliability in bins, and the expected calibration error."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evals.score.items import Item

BINS = 10


@dataclass(frozen=True, slots=True)
class Bin:
    """Cases of like confidence: how many, how sure on average, and which share is right, both in [0, 1]."""

    count: int
    confidence: float
    accuracy: float


@dataclass(frozen=True, slots=True)
class Calibration:
    """Reliability over bins of equal size, least sure first. ``error`` is None if nothing is judged.

    ``error`` is the expected calibration error: the mean distance of confidence and accuracy, in [0, 1].
    ``graded`` is False where all confidences are alike, and a curve would say nothing.
    """

    bins: tuple[Bin, ...]
    error: float | None
    graded: bool


def score_calibration(found: Sequence[Item]) -> Calibration:
    """Score the confidences of the judged cases.

    Bins of equal size (Nguyen and O'Connor, 2015) leave none empty where a judge is mostly sure, as ours are.
    """
    ranked = sorted((item for item in found if item.judged), key=lambda item: item.answer.confidence)
    bins = tuple(
        _bin(part)
        for place in range(BINS)
        if (part := ranked[place * len(ranked) // BINS : (place + 1) * len(ranked) // BINS])
    )
    error = sum(b.count * abs(b.confidence - b.accuracy) for b in bins) / len(ranked) if ranked else None
    return Calibration(bins, error, graded=len({item.answer.confidence for item in ranked}) > 1)


def _bin(part: Sequence[Item]) -> Bin:
    return Bin(
        len(part),
        sum(item.answer.confidence for item in part) / len(part),
        sum(item.right for item in part) / len(part),
    )
