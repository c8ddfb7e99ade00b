"""The rule over natural language inference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pytest

from arbiter.domain.evidence import RecordPair, Spend, Unjudged, Verdict
from evals.baselines.inference_rule import InferenceRule
from tests.factories import make_record

if TYPE_CHECKING:
    from numpy.typing import NDArray

A, B = make_record("a"), make_record("b", at=1)


class Table:
    """A model of inference that looks its probabilities up: entailment, neutral, contradiction."""

    judge_id = "local/table"

    def __init__(self, forth: tuple[float, float, float], back: tuple[float, float, float]) -> None:
        self._rows: Mapping[tuple[str, str], tuple[float, float, float]] = {
            ("a", "b"): forth,
            ("b", "a"): back,
        }

    def infer(self, texts: Sequence[tuple[str, str]]) -> NDArray[np.float32]:
        """Return the rows of pairs."""
        return np.array([self._rows[pair] for pair in texts], dtype=np.float32)


@pytest.mark.parametrize(
    ("forth", "back", "relation", "current", "confidence"),
    [
        ((0.9, 0.1, 0.0), (0.86, 0.1, 0.04), "duplicate", None, 0.86),
        ((0.9, 0.1, 0.0), (0.2, 0.8, 0.0), "update", "a", 0.9),
        ((0.2, 0.8, 0.0), (0.88, 0.1, 0.02), "update", "b", 0.88),
        ((0.1, 0.3, 0.6), (0.9, 0.1, 0.0), "contradiction", None, 0.6),
        ((0.2, 0.7, 0.1), (0.1, 0.6, 0.3), "unrelated", None, 0.6),
    ],
)
def test_both_directions_decide(
    forth: tuple[float, float, float],
    back: tuple[float, float, float],
    relation: str,
    current: str | None,
    confidence: float,
) -> None:
    """Mutual entailment, one-sided entailment, contradiction on either side, and neither."""
    rule = InferenceRule(Table(forth, back))
    (found,), spend = rule.judge([RecordPair(A, B)])
    assert isinstance(found, Verdict)
    assert (found.relation.value, found.current) == (relation, current)
    assert found.confidence == pytest.approx(confidence)
    assert found.update_kind == ("refinement" if current else None)
    assert found.judge == "baseline/inference/local/table"
    assert spend == Spend(local_pairs=2)


def test_what_is_not_sure_enough_is_unjudged() -> None:
    """An entailment below the threshold with little neutral beside it is no answer."""
    (found,), _ = InferenceRule(Table((0.6, 0.35, 0.05), (0.6, 0.35, 0.05))).judge([RecordPair(A, B)])
    assert isinstance(found, Unjudged)
    assert found.code == "not_decided"


def test_no_pairs_cost_nothing() -> None:
    """The model is not asked about nothing."""
    assert InferenceRule(Table((1, 0, 0), (1, 0, 0))).judge([]) == ([], Spend())
