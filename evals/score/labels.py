"""How well relations are named: per label, confusion, accuracy, macro-F1. Only judged cases are scored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from arbiter.domain.vocabulary import Relation
from evals.score.intervals import Bootstrap, Interval, percentiles
from evals.score.items import Item

LABELS = tuple(Relation)


@dataclass(frozen=True, slots=True)
class LabelScore:
    """One label. ``support`` are judged cases of it, ``unjudged`` the others; None: nothing to score.

    ``precision`` is the share of right ones in what was called so, ``recall`` the share called so in what is
    so, ``f1`` their harmonic mean, all in [0, 1].
    """

    support: int
    unjudged: int
    precision: float | None
    recall: float | None
    f1: float | None


@dataclass(frozen=True, slots=True)
class Labels:
    """How relations were named. Shares lie in [0, 1] and are of the judged cases.

    ``macro_f1`` is the mean over the labels that the suite has; None where a label of the suite has no judged
    case, for a mean over the others would be that of another suite. ``confusion`` counts by (truth, answer).
    """

    pairs: int
    judged: int
    right: int
    by_label: Mapping[Relation, LabelScore]
    confusion: Mapping[tuple[Relation, Relation], int]

    @property
    def accuracy(self) -> float | None:
        """The share of the judged cases that are named rightly; None if none is judged."""
        return self.right / self.judged if self.judged else None

    @property
    def macro_f1(self) -> float | None:
        """The mean F1 of the suite's labels, or None."""
        wanted = [score for score in self.by_label.values() if score.support or score.unjudged]
        scores = [score.f1 for score in wanted if score.support and score.f1 is not None]
        return sum(scores) / len(scores) if scores and len(scores) == len(wanted) else None


def score_labels(found: Sequence[Item]) -> Labels:
    """Score the relations of answered cases."""
    confusion = Counter(
        (item.truth.relation, item.answer.relation) for item in found if item.answer.relation is not None
    )
    unjudged = Counter(item.truth.relation for item in found if not item.judged)
    return Labels(
        pairs=len(found),
        judged=confusion.total(),
        right=sum(confusion[label, label] for label in LABELS),
        by_label={label: _score(label, confusion, unjudged[label]) for label in LABELS},
        confusion=dict(confusion),
    )


def macro_f1_interval(found: Sequence[Item], draws: Bootstrap) -> Interval | None:
    """Return the interval of macro-F1; None where there is no macro-F1.

    A label that a draw holds no judged case of is left out of the mean of that draw.
    """
    if score_labels(found).macro_f1 is None:
        return None
    total, scored = np.zeros(draws.draws), np.zeros(draws.draws)
    for label in {item.truth.relation for item in found}:
        right, so, called = (
            draws.weights @ np.array(flags, dtype=np.float64)
            for flags in zip(*(_flags(item, label) for item in found), strict=True)
        )
        total += np.where(so > 0, 2 * right / np.maximum(so + called, 1), 0.0)
        scored += so > 0
    return percentiles((total / np.maximum(scored, 1))[scored > 0])


def _flags(item: Item, label: Relation) -> tuple[bool, bool, bool]:
    """Say of a case: rightly called so, judged and so, called so."""
    called = item.answer.relation is label
    so = item.judged and item.truth.relation is label
    return called and so, so, called


def _score(label: Relation, confusion: Counter[tuple[Relation, Relation]], unjudged: int) -> LabelScore:
    right = confusion[label, label]
    support = sum(confusion[label, other] for other in LABELS)
    called = sum(confusion[other, label] for other in LABELS)
    return LabelScore(
        support=support,
        unjudged=unjudged,
        precision=right / called if called else None,
        recall=right / support if support else None,
        f1=2 * right / (support + called) if support + called else None,
    )
