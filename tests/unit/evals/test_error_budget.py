"""What labelled pairs show about a judge under an error budget."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import replace
from importlib import resources
from pathlib import Path

import pytest

from arbiter.adapters.policy_file import load_policy
from arbiter.domain.evidence import RecordPair, Spend
from arbiter.domain.vocabulary import Action, Relation
from arbiter.training.calibration import NEVER
from evals.cases import PairAnswer, PairCase, PairRun
from evals.error_budget import Assessment, Budget, Silence, assess
from tests.factories import make_record

ONE_PERCENT = Budget(0.01, 0.95)


def case(number: int, relation: Relation) -> PairCase:
    """Return a case of a relation; a contradiction is one that a person should see."""
    action, loser = (Action.REINFORCE, "b") if relation is Relation.DUPLICATE else (Action.REVIEW, None)
    pair = RecordPair(make_record(f"a {number}"), make_record(f"b {number}", at=1))
    return PairCase(str(number), pair, relation, str(number), action, "b" if loser else None)


def merged(case_: PairCase, confidence: float, *, acted: bool, judge: str = "local/1") -> PairAnswer:
    """Return the answer that two are the same, which the policy follows or puts before a person."""
    action = Action.REINFORCE if acted else Action.REVIEW
    return PairAnswer(case_.id, Relation.DUPLICATE, confidence, judge, action, loser="b" if acted else None)


def assessed(
    right: int, wrong: Sequence[float] = (), *, budget: Budget = ONE_PERCENT, judge: str = "local/1"
) -> Assessment:
    """Assess a judge that merges pairs from 0.9 on: rightly at 0.99, wrongly at the confidences given."""
    cases = [case(n, Relation.DUPLICATE) for n in range(right)]
    cases += [case(right + n, Relation.CONTRADICTION) for n in range(len(wrong))]
    sure = [0.99] * right + list(wrong)
    answers = [merged(c, p, acted=p >= 0.9, judge=judge) for c, p in zip(cases, sure, strict=True)]
    return assess(PairRun("mine", "local", tuple(cases), tuple(answers), Spend(local_pairs=right)), budget)


@pytest.mark.parametrize(("share", "pairs"), [(0.01, 299), (0.05, 59), (0.1, 29)])
def test_a_budget_needs_pairs(share: float, pairs: int) -> None:
    """As many as the exact bound needs without one mistake, and one fewer is too few."""
    budget = Budget(share, 0.95)
    assert budget.pairs_needed == pairs
    assert budget.least_shown(pairs) <= share < budget.least_shown(pairs - 1)


@pytest.mark.parametrize(
    ("right", "wrong", "verdict", "upper"),
    [
        (299, [], "yes", 0.01),
        (298, [0.95], "not shown", 0.0158),
        (50, [], "not shown", 0.0582),
        (98, [0.95, 0.95], "no", 0.0616),
        (299, [0.85], "yes", 0.0099),
    ],
)
def test_the_bound_is_held_against_the_budget(
    right: int, wrong: list[float], verdict: str, upper: float
) -> None:
    """Enough is what is bounded; what the policy leaves to people does no harm."""
    found = assessed(right, wrong)
    assert found.verdict == verdict
    assert found.upper == pytest.approx(upper, abs=5e-5)
    assert found.right == right


def test_the_threshold_leaves_out_what_did_harm() -> None:
    """The lowest one above the surest wrong verdict that would be too many."""
    found = assessed(299, [0.985, 0.97])
    assert (found.chosen.threshold, found.chosen.acted, found.chosen.wrong) == (0.99, 299, 0)
    assert found.kinds == ("local",)
    assert tomllib.loads(found.thresholds) == {
        "judges": {"local": {"duplicate": 0.99, "update": 0.99, "contradiction": 0.99}}
    }


def test_thresholds_are_those_of_a_policy_file(tmp_path: Path) -> None:
    """A copy of the packaged policy takes them as they are, rounded so that nothing more acts."""
    found = assessed(299)
    found = replace(found, chosen=replace(found.chosen, threshold=0.97654321))
    packaged = (resources.files("arbiter") / "assets" / "policy.toml").read_text("utf-8")
    copy = tmp_path / "policy.toml"
    copy.write_text(f"{packaged}\n{found.thresholds}", encoding="utf-8")
    assert load_policy(copy).judges == {
        "local": {"duplicate": 0.9766, "update": 0.9766, "contradiction": 0.9766}
    }


@pytest.mark.parametrize("wrong", [[], [0.95]])
def test_few_pairs_get_no_threshold(wrong: list[float]) -> None:
    """Fifty pairs cannot show one per cent, however well they went: nothing is offered to set."""
    found = assessed(50 - len(wrong), wrong)
    assert found.budget.least_shown(50) == pytest.approx(0.0582, abs=5e-5)
    assert (found.chosen.threshold, found.chosen.pairs, found.thresholds) == (NEVER, 50, "")
    assert found.as_json()["threshold"] is None


def test_what_went_wrong_is_kept_with_the_surest_first() -> None:
    """Each wrongly judged pair has its id, its label and what was said of it; harm is marked."""
    found = assessed(3, [0.85, 0.95])
    assert [item.truth.id for item in found.wrong] == ["4", "3"]
    assert found.as_json()["wrong"][0] == {
        "id": "4",
        "label": "contradiction",
        "said": "duplicate",
        "confidence": 0.95,
        "by": "local",
        "action": "reinforce",
        "wrongly_removed": True,
    }
    assert [told["wrongly_removed"] for told in found.as_json()["wrong"]] == [True, False]


def test_a_judge_that_is_most_wrong_where_it_is_surest_has_no_threshold() -> None:
    """No table is offered then."""
    found = assessed(40, [0.999] * 5)
    assert found.chosen.threshold > 1
    assert found.thresholds == ""
    assert found.as_json()["threshold"] is None


def test_a_baseline_has_no_place_in_a_policy() -> None:
    """Its threshold is known, but nobody could set it."""
    found = assessed(299, judge="baseline/cosine")
    assert found.chosen.threshold == 0.99
    assert found.thresholds == ""


def test_what_nobody_judged_counts_as_not_right() -> None:
    """It takes nothing away either, and there is nothing to choose a threshold from."""
    cases = tuple(case(n, Relation.DUPLICATE) for n in range(3))
    answers = tuple(PairAnswer(c.id, None, 0.0, "", Action.HOLD, unjudged="no_judge") for c in cases)
    found = assess(PairRun("mine", "exact", cases, answers), ONE_PERCENT)
    assert (found.right, found.kinds, found.decisions.unjudged) == (0, (), {"no_judge": 3})
    assert found.chosen.threshold > 1


def test_a_judge_that_failed_on_every_pair_is_not_enough() -> None:
    """It removed nothing because it said nothing; why is counted, with the first message."""
    cases = tuple(case(n, Relation.DUPLICATE) for n in range(400))
    answers = [
        PairAnswer(c.id, None, 0.0, "llm/x", Action.HOLD, unjudged="judge_unavailable", message=f"no {c.id}")
        for c in cases
    ]
    answers[5] = replace(answers[5], unjudged="deadline", message="too late")
    found = assess(PairRun("mine", "llm", cases, tuple(answers)), ONE_PERCENT)
    assert found.silences == (
        Silence("judge_unavailable", 399, "no 0"),
        Silence("deadline", 1, "too late"),
    )
    assert (found.failed, found.verdict) == (True, "not shown")


def test_a_judge_that_leaves_pairs_to_others_has_not_failed() -> None:
    """To compare texts and find none the same is no failure."""
    cases = tuple(case(n, Relation.DUPLICATE) for n in range(400))
    answers = tuple(PairAnswer(c.id, None, 0.0, "", Action.HOLD, unjudged="not_decided") for c in cases)
    found = assess(PairRun("mine", "exact", cases, answers), ONE_PERCENT)
    assert (found.failed, found.verdict) == (False, "yes")
