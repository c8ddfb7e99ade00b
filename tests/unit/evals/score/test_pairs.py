"""Decisions, cost, and everything about one run together."""

from __future__ import annotations

import json

import pytest

from arbiter.domain.evidence import Spend
from arbiter.domain.vocabulary import Action
from evals.score.decisions import score_decisions
from evals.score.pairs import score_pairs
from tests.answered import item, numbered

CASES = numbered(
    item("update", "update", judge="local"),
    item("update", "update", loser="b", current="a", judge="local"),
    item("update", "duplicate", judge="llm"),
    item("contradiction", "contradiction", judge="llm"),
    item("contradiction", "update", judge="llm"),
    item("contradiction", "duplicate", action=Action.REVIEW, judge="llm"),
    item("contradiction", None),
    item("unrelated", "unrelated", judge="local"),
)


def test_decisions_are_counted_over_all_cases() -> None:
    """Also those that nobody could judge: they are held."""
    found = score_decisions(CASES)
    assert found.pairs == 8
    assert found.unjudged == {"not_decided": 1}
    assert found.acted_rightly == 4
    assert (found.removed, found.wrongly_removed) == (3, 2)
    assert (found.conflicts, found.missed, found.unnoticed, found.unjudged_conflicts) == (7, 2, 1, 1)
    assert (found.asked, found.to_ask, found.rightly_asked) == (3, 4, 3)
    assert (found.updates, found.right_side) == (2, 1)
    assert found.coverage == pytest.approx(5 / 8)


def test_the_json_has_every_figure_beside_what_it_leaves_out() -> None:
    """And it is JSON, with nothing in it that JSON lacks."""
    told = score_pairs(
        CASES, Spend(llm_calls=4, prompt_tokens=800, completion_tokens=80, usd=0.02), 3.14
    ).as_json()
    assert json.loads(json.dumps(told, allow_nan=False)) == told
    assert (told["pairs"], told["groups"], told["judged"], told["unjudged"]) == (8, 8, 7, {"not_decided": 1})
    assert told["accuracy"] == pytest.approx(4 / 7, abs=1e-4)
    assert told["confusion"]["contradiction"] == {
        "duplicate": 1, "update": 1, "contradiction": 1, "complementary": 0, "unrelated": 0,
    }  # fmt: skip
    assert told["labels"]["update"]["unjudged"] == 0
    assert told["labels"]["contradiction"]["unjudged"] == 1
    assert told["decisions"]["wrongly_removed"] == 2
    assert told["decisions"]["coverage"] == 0.625
    assert told["cost"] == {
        "llm_calls": 4,
        "prompt_tokens": 800,
        "completion_tokens": 80,
        "usd": 0.02,
        "local_pairs": 0,
        "seconds": 3.1,
        "settled": {"llm": 4, "local": 3},
    }
    low, high = told["intervals"]["accuracy"]
    assert 0 < low < 4 / 7 < high < 1


def test_a_run_in_which_nothing_was_judged_has_no_figures_but_its_counts() -> None:
    """None is not zero."""
    told = score_pairs(numbered(item("update", None), item("unrelated", None))).as_json()
    assert (told["accuracy"], told["macro_f1"], told["risk_coverage_area"]) == (None, None, None)
    assert told["intervals"]["accuracy"] is None
    assert told["calibration"] == {"graded": False, "error": None, "bins": []}
    assert (told["decisions"]["asked"], told["decisions"]["coverage"]) == (2, 0.0)


def test_intervals_are_drawn_over_groups() -> None:
    """Cases of one group move together, so the same answers are worth less."""
    alone = numbered(*[item("update", "update"), item("update", "unrelated")] * 30)
    together = tuple(
        item(one.truth.relation, one.answer.relation, id=f"t{n}", group="right" if one.right else "wrong")
        for n, one in enumerate(alone)
    )
    narrow, wide = (score_pairs(cases).intervals.accuracy for cases in (alone, together))
    assert narrow == pytest.approx((0.37, 0.63), abs=0.02)
    assert wide == (0.0, 1.0)
