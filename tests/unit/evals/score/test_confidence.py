"""Calibration and selective judging, on sets small enough to count."""

from __future__ import annotations

import pytest

from evals.score.calibration import Bin, score_calibration
from evals.score.coverage import score_coverage
from evals.score.items import Item
from tests.answered import item, numbered


def answers(*told: tuple[float, bool]) -> tuple[Item, ...]:
    """Return a case for each (confidence, right)."""
    return numbered(*(item("duplicate", "duplicate" if right else "update", sure) for sure, right in told))


def test_bins_are_of_equal_size_and_the_least_sure_come_first() -> None:
    """Twenty cases make ten bins of two, each with its mean confidence and its share of right ones."""
    calibration = score_calibration(answers(*((n / 20, n % 4 > 1) for n in range(20))))
    assert [b.count for b in calibration.bins] == [2] * 10
    assert calibration.bins[0] == Bin(2, 0.025, 0.0)
    assert calibration.bins[1] == Bin(2, 0.125, 1.0)


def test_the_error_is_the_mean_distance_of_confidence_and_accuracy() -> None:
    """A judge that is always right at 0.9 is a tenth too modest, one always wrong at 0.9 off by 0.9."""
    assert score_calibration(answers(*[(0.9, True)] * 10)).error == pytest.approx(0.1)
    assert score_calibration(answers(*[(0.9, False)] * 10)).error == pytest.approx(0.9)


def test_confidences_that_are_all_alike_are_not_graded() -> None:
    """A curve would say nothing about them; what was not judged plays no part."""
    assert not score_calibration((*answers((1.0, True), (1.0, False)), item("update", None))).graded
    assert score_calibration(answers((1.0, True), (0.9, False))).graded
    nothing = score_calibration([item("update", None)])
    assert (nothing.bins, nothing.error, nothing.graded) == ((), None, False)


def test_the_curve_has_the_risk_of_every_surest_part() -> None:
    """Right, wrong, right, wrong by falling confidence."""
    coverage = score_coverage(answers((0.6, False), (0.9, True), (0.7, True), (0.8, False)))
    assert [covered for covered, _ in coverage.curve] == [0.25, 0.5, 0.75, 1.0]
    assert [risk for _, risk in coverage.curve] == pytest.approx([0, 0.5, 1 / 3, 0.5])
    assert coverage.area == pytest.approx((0 + 0.5 + 1 / 3 + 0.5) / 4)
    assert coverage.surest == {0.5: 0.5, 0.6: 0.5, 0.8: pytest.approx(2 / 3)}


def test_equally_sure_answers_share_their_errors() -> None:
    """Their order is chance: every part of them is as wrong as the whole."""
    coverage = score_coverage(answers((1.0, True), (1.0, False), (1.0, False), (1.0, True)))
    assert [risk for _, risk in coverage.curve] == [0.5] * 4
    assert coverage.area == 0.5


def test_coverage_ends_where_judging_ends() -> None:
    """With half of the cases judged there is no accuracy on the surest 60 %."""
    coverage = score_coverage(
        (*answers((0.9, True), (0.8, True)), item("update", None), item("update", None))
    )
    assert coverage.curve[-1] == (0.5, 0.0)
    assert coverage.surest == {0.5: 1.0, 0.6: 1.0, 0.8: None}
    assert score_coverage([item("update", None)]).area is None
