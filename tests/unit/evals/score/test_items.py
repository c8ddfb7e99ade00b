"""What is said of one answered case."""

from __future__ import annotations

import pytest

from arbiter.domain.vocabulary import Action
from evals.score.items import Item, items
from tests.answered import item, run


def test_judges_are_named_by_their_kind() -> None:
    """The kind is what stands before the first slash; nothing else of an answer changes."""
    (one,) = items(run(item("update", "update", judge="llm/openai/gpt/relation.v2@1234")))
    assert one.answer.judge == "llm"
    assert one.truth == item("update", "update").truth


@pytest.mark.parametrize(
    ("case", "wrong"),
    [
        pytest.param(item("unrelated", "update"), True, id="should have stayed"),
        pytest.param(item("contradiction", "update"), True, id="should have waited for a person"),
        pytest.param(item("update", "update", loser="b"), True, id="the wrong side"),
        pytest.param(item("update", "update"), False, id="rightly"),
        pytest.param(item("duplicate", "update", loser="b"), False, id="either of two duplicates"),
        pytest.param(item("update", "duplicate", loser="a"), False, id="the same side by another road"),
        pytest.param(item("unrelated", "complementary"), False, id="nothing removed"),
    ],
)
def test_a_wrong_removal_is_one_that_loses_something(case: Item, *, wrong: bool) -> None:
    """What counts is the fact that goes, not the name of the relation."""
    assert case.wrongly_removed is wrong


@pytest.mark.parametrize(
    ("case", "missed", "unnoticed"),
    [
        pytest.param(item("update", "complementary"), True, True, id="both stay"),
        pytest.param(item("contradiction", "duplicate", action=Action.REVIEW), True, False, id="asked"),
        pytest.param(item("contradiction", "update"), False, False, id="another conflict"),
        pytest.param(item("update", None), False, False, id="not judged"),
        pytest.param(item("duplicate", "unrelated"), False, False, id="no conflict"),
    ],
)
def test_a_missed_conflict_is_one_taken_for_something_else(
    case: Item, *, missed: bool, unnoticed: bool
) -> None:
    """It goes unnoticed where nobody is asked."""
    assert (case.missed, case.unnoticed) == (missed, unnoticed)


def test_what_was_done_is_right_only_to_the_right_side() -> None:
    """The action and the fact that goes must both be those of the right label."""
    assert item("update", "update").acted_rightly
    assert not item("update", "update", loser="b").acted_rightly
    assert not item("update", "contradiction").acted_rightly


def test_what_nobody_could_judge_is_neither_right_nor_judged_but_asked() -> None:
    """It is held."""
    case = item("duplicate", None)
    assert (case.judged, case.right, case.asked, case.removed) == (False, False, True, False)
