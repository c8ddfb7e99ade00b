"""Calibration: probabilities that mean what they say, and thresholds that keep to an error budget.

One temperature divides the logits (Guo et al., "On Calibration of Modern Neural Networks", 2017). The
threshold is found as in risk-controlling prediction sets (Bates et al., "Distribution-Free, Risk-Controlling
Prediction Sets", 2021, theorem 1): a wrong action counts once in all judged pairs, so raising the threshold
can only lower the risk, and the lowest threshold whose upper bound, and that of every higher one, is within
the budget holds it with the stated confidence, without a correction for trying many. The bound is the exact
one of Clopper and Pearson (1934).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from arbiter.domain.binomial import upper_bound
from arbiter.domain.vocabulary import Relation

Array: TypeAlias = NDArray[np.float64]

DESTRUCTIVE = (Relation.DUPLICATE, Relation.UPDATE, Relation.CONTRADICTION)
"""The relations on which a fact may be taken out of reading."""

NEVER = 1.01
"""A threshold that no probability reaches."""

_BISECTIONS = 60
_COLDEST, _HOTTEST = -3.0, 3.0


@dataclass(frozen=True, slots=True)
class Answer:
    """What the judge said of one pair, and what is true; ``current`` names the side that stays."""

    relation: Relation
    probability: float
    truth: Relation
    current: str | None = None
    true_current: str | None = None

    @property
    def destructive(self) -> bool:
        """Would the verdict take a fact out of reading?"""
        return self.relation in DESTRUCTIVE

    @property
    def harmful(self) -> bool:
        """Would that fact have had to stay, or its removal have had to wait for a person?

        Superseding one of two duplicates loses nothing; every other mistake counts.
        """
        if not self.destructive or (self.relation, self.truth) == (Relation.UPDATE, Relation.DUPLICATE):
            return False
        if self.relation is Relation.UPDATE and self.truth is Relation.UPDATE:
            return self.current != self.true_current
        return self.relation is not self.truth


@dataclass(frozen=True, slots=True)
class Operating:
    """Where a threshold puts the judge: shares of the pairs, and bounds on its harm.

    ``acted`` are pairs on which it acts, ``wrong`` those of them that do harm, ``upper`` the upper bound of
    the share of wrong ones in all ``pairs``.
    """

    threshold: float
    pairs: int
    acted: int
    wrong: int
    upper: float


def softmax(logits: Array) -> Array:
    """Return probabilities, row by row."""
    raised = np.exp(logits - logits.max(axis=1, keepdims=True))
    total: Array = raised / raised.sum(axis=1, keepdims=True)
    return total


def fit_temperature(logits: Array, labels: Sequence[int]) -> float:
    """Return the temperature that makes the labels likeliest.

    The loss is convex in the inverse temperature, so its slope is bisected.
    """
    places = np.asarray(labels)
    rows = np.arange(len(places))

    def slope(inverse: float) -> float:
        expected = (softmax(logits * inverse) * logits).sum(axis=1)
        return float((expected - logits[rows, places]).mean())

    low, high = _COLDEST, _HOTTEST
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        low, high = (low, middle) if slope(math.exp(middle)) > 0 else (middle, high)
    return math.exp(-(low + high) / 2)


def choose_threshold(answers: Sequence[Answer], *, budget: float, confidence: float) -> Operating:
    """Return the lowest threshold for destructive verdicts that keeps wrong ones within the budget.

    Args:
        answers: the judge's answers on pairs that had no part in training.
        budget: largest share of harmful verdicts in all judged pairs, such as 0.01.
        confidence: probability with which that shall hold, such as 0.95.
    """
    acting = sorted((a for a in answers if a.destructive), key=lambda answer: -answer.probability)
    best = Operating(NEVER, len(answers), 0, 0, upper_bound(0, len(answers), confidence))
    wrong = 0
    for count, answer in enumerate(acting, start=1):
        wrong += answer.harmful
        if count < len(acting) and acting[count].probability == answer.probability:
            continue
        upper = upper_bound(wrong, len(answers), confidence)
        if upper > budget:
            break
        best = Operating(answer.probability, len(answers), count, wrong, upper)
    return best if best.upper <= budget else Operating(NEVER, len(answers), 0, 0, best.upper)


def pairs_needed(budget: float, confidence: float) -> int:
    """Return how many pairs it takes, none of them with harm, to show that a judge keeps to a budget."""
    return math.ceil(math.log(1 - confidence) / math.log(1 - budget)) if budget < 1 else 1


def thresholds(operating: Operating) -> Mapping[str, float]:
    """Return the threshold of every relation; what keeps both facts needs none."""
    return {label: operating.threshold if label in DESTRUCTIVE else 0.0 for label in Relation}
