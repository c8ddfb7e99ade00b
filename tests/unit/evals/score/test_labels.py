"""Scores of labels, on sets small enough to count."""

from __future__ import annotations

import pytest

from arbiter.domain.vocabulary import Relation
from evals.score.intervals import Bootstrap
from evals.score.labels import macro_f1_interval, score_labels
from tests.answered import item, numbered

SIX = numbered(
    item("duplicate", "duplicate"),
    item("duplicate", "duplicate"),
    item("duplicate", "update"),
    item("update", "update"),
    item("update", "unrelated"),
    item("update", None),
)


def test_each_label_has_its_precision_recall_and_f1() -> None:
    """Of judged cases; what nobody judged stands beside them."""
    labels = score_labels(SIX)
    duplicate, update = labels.by_label[Relation.DUPLICATE], labels.by_label[Relation.UPDATE]
    assert (duplicate.support, duplicate.unjudged, duplicate.precision) == (3, 0, 1.0)
    assert duplicate.recall == pytest.approx(2 / 3)
    assert duplicate.f1 == pytest.approx(0.8)
    assert (update.support, update.unjudged, update.precision, update.recall, update.f1) == (
        2, 1, 0.5, 0.5, 0.5,
    )  # fmt: skip


def test_accuracy_is_of_what_was_judged() -> None:
    """Three of five; the sixth is not scored as wrong."""
    labels = score_labels(SIX)
    assert (labels.pairs, labels.judged, labels.right, labels.accuracy) == (6, 5, 3, 0.6)


def test_macro_f1_is_over_the_labels_of_the_suite() -> None:
    """``unrelated`` is no label of it, though it was answered: that costs recall, not a whole label."""
    assert score_labels(SIX).macro_f1 == pytest.approx((0.8 + 0.5) / 2)


def test_the_confusion_counts_truth_and_answer() -> None:
    """Only what occurs is there."""
    assert score_labels(SIX).confusion == {
        (Relation.DUPLICATE, Relation.DUPLICATE): 2,
        (Relation.DUPLICATE, Relation.UPDATE): 1,
        (Relation.UPDATE, Relation.UPDATE): 1,
        (Relation.UPDATE, Relation.UNRELATED): 1,
    }


def test_what_is_not_scored_is_none_and_not_zero() -> None:
    """Where a label of the suite has no judged case there is no macro-F1, and without any no accuracy."""
    half = score_labels(numbered(item("duplicate", "duplicate"), item("update", None)))
    assert (half.accuracy, half.macro_f1) == (1.0, None)
    nothing = score_labels(numbered(item("duplicate", None)))
    assert (nothing.accuracy, nothing.macro_f1) == (None, None)
    assert nothing.by_label[Relation.DUPLICATE].recall is None
    assert nothing.by_label[Relation.DUPLICATE].precision is None


def test_a_label_that_is_never_answered_has_f1_zero() -> None:
    """There were cases to score, and none was found."""
    labels = score_labels(numbered(item("duplicate", "update"), item("update", "update")))
    assert labels.by_label[Relation.DUPLICATE].f1 == 0.0
    assert labels.macro_f1 == pytest.approx((0.0 + 2 / 3) / 2)


def test_the_interval_of_macro_f1_lies_around_it() -> None:
    """It is as wide as few cases make it, and there is none where there is no macro-F1."""
    cases = numbered(*SIX[:5] * 20)
    interval = macro_f1_interval(cases, Bootstrap([case.truth.group for case in cases]))
    assert interval is not None
    low, high = interval
    assert 0.5 < low < 0.65 < high < 0.8
    assert macro_f1_interval(SIX[5:], Bootstrap(["c6"])) is None
