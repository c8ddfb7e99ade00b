"""Measures against values counted by hand."""

from __future__ import annotations

import pytest

from arbiter.domain.binomial import interval
from arbiter.domain.vocabulary import Relation
from arbiter.training.calibration import Answer
from arbiter.training.measure import measure

DUPLICATE, UPDATE, UNRELATED = Relation.DUPLICATE, Relation.UPDATE, Relation.UNRELATED


def test_measures_are_counted() -> None:
    """Four answers of which three are right, and one pair that was not judged."""
    found = measure(
        [
            Answer(DUPLICATE, 0.9, DUPLICATE),
            Answer(UPDATE, 0.8, UPDATE, "b", "b"),
            Answer(UPDATE, 0.7, DUPLICATE, "b", None),
            Answer(UNRELATED, 0.6, UNRELATED),
        ],
        unjudged=1,
    )
    assert (found.pairs, found.unjudged, found.accuracy) == (5, 1, 0.6)
    assert found.accuracy_interval == interval(3, 5)
    assert (found.recall["duplicate"], found.precision["update"], found.recall["unrelated"]) == (
        0.5,
        0.5,
        1.0,
    )
    assert found.confusion == {
        ("duplicate", "duplicate"): 1,
        ("update", "update"): 1,
        ("duplicate", "update"): 1,
        ("unrelated", "unrelated"): 1,
    }
    assert found.surest[0.3] == 1.0
    assert found.surest[0.6] == pytest.approx(2 / 3)
    assert found.right_current == 1.0
    assert found.calibration_error == pytest.approx((0.1 + 0.2 + 0.7 + 0.4) / 4)
    assert found.as_json()["confusion"]["duplicate"]["update"] == 1
