"""Questions for people: why each is asked, in which words, and how urgent it is."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from arbiter.adapters.policy_file import load_policy
from arbiter.domain.evidence import GuardFinding
from arbiter.domain.outcomes import ReviewItem
from arbiter.domain.policy import Rule
from arbiter.domain.review import KINDS, urgency
from arbiter.domain.settle import settle
from arbiter.domain.vocabulary import Action, Stakes
from tests.factories import AGENT, cluster, make_fact, pair

POLICY = load_policy()
FIVE = make_fact("The dose is 5 mg.", at=0)
TWO = make_fact("The dose is 2 mg.", at=1)
BY_AGENT = make_fact("The dose is 2 mg.", at=1, source="agent:1", kind=AGENT)
OBJECTION = (GuardFinding("unit", "5 mg", "2 mg"),)
CONFLICT = "These cannot both be true. Which one holds?"
UNSURE = "The judge is not sure enough to act. How do these relate?"
SAME = "A judge calls these the same, yet they differ. Are they the same?"
CHANGE = "A judge takes one for an update of the other, yet a check objects. How do these relate?"


def asked(relation: str, *, later: Any = TWO, policy: Any = POLICY, **fields: Any) -> ReviewItem:
    """Return the only question about two doses that a judge found to relate so."""
    settlement = settle(cluster(pair(FIVE, later, relation, **fields), facts=[FIVE, later]), policy)
    (item,) = settlement.reviews
    return item


@pytest.mark.parametrize("stakes", ["normal", "high"])
def test_a_sure_contradiction_is_a_conflict(stakes: str) -> None:
    """The judge is sure that both cannot hold, so that is what is told; high stakes make it more urgent."""
    item = asked("contradiction", stakes=stakes)
    assert (item.kind, item.question) == ("conflict", CONFLICT)
    assert item.priority == (152 if stakes == "high" else 52)


@pytest.mark.parametrize("relation", ["contradiction", "update", "duplicate"])
@pytest.mark.parametrize("guards", [(), OBJECTION])
def test_what_no_judge_is_sure_of_is_told_as_such(relation: str, guards: tuple[GuardFinding, ...]) -> None:
    """Below the threshold nothing is claimed, whatever the relation, and whether or not a guard objects."""
    item = asked(relation, confidence=0.6, stakes="high", guards=guards)
    assert (item.kind, item.question, item.priority) == ("unsure", UNSURE, 142)


def test_at_the_threshold_a_judge_is_sure() -> None:
    """Only what is below it is unsure."""
    least = POLICY.thresholds["contradiction"]
    assert asked("contradiction", confidence=least).kind == "conflict"
    assert asked("contradiction", confidence=least - 1e-6).kind == "unsure"


@pytest.mark.parametrize(("relation", "question"), [("duplicate", SAME), ("update", CHANGE)])
def test_a_guards_objection_is_asked_about_in_words_of_its_own(relation: str, question: str) -> None:
    """What a guard found between the sides is doubted as what the judge took it for."""
    item = asked(relation, guards=OBJECTION, stakes="high")
    assert (item.kind, item.question, item.priority) == ("guard", question, 142)
    assert item.rule == ("duplicate-guarded" if relation == "duplicate" else "change-guarded")


def test_a_guard_makes_no_less_of_a_contradiction() -> None:
    """That the sides differ is what the judge says."""
    item = asked("contradiction", guards=OBJECTION)
    assert (item.kind, item.question) == ("conflict", CONFLICT)


def test_a_sure_change_by_a_lesser_source_is_a_conflict() -> None:
    """Nobody doubts that one replaces the other, only which of them holds."""
    item = asked("update", later=BY_AGENT)
    assert (item.kind, item.rule, item.question) == ("conflict", "change-by-lesser", CONFLICT)


@pytest.mark.parametrize(
    ("action", "kind", "question"),
    [
        (Action.HOLD, "unjudged", "No judge could tell. How do these relate?"),
        (Action.MERGE_PROPOSAL, "proposal", "A merged text is proposed. Should it stand for both?"),
    ],
)
def test_what_the_policy_does_comes_before_what_the_judge_is_sure_of(
    action: Action, kind: str, question: str
) -> None:
    """A text is proposed, or a fact is held, however unsure the verdict."""
    policy = replace(POLICY, rules=(Rule("only", action, "test"),))
    item = asked("duplicate", policy=policy, confidence=0.6, merged_text="The dose is 2 mg.")
    assert (item.kind, item.question) == (kind, question)


def test_every_kind_has_its_urgency() -> None:
    """High stakes count more than any kind, and what hangs on the answer counts up to a limit."""
    points = {kind: urgency(kind, Stakes.NORMAL, 2)[1] for kind in KINDS}
    assert points == {
        "cycle": 60,
        "conflict": 50,
        "guard": 40,
        "unsure": 40,
        "unjudged": 30,
        "stale_risk": 20,
        "proposal": 20,
    }
    assert urgency("guard", Stakes.HIGH, 400) == (100, 40, 20)


def test_a_verdict_against_the_times_is_unsure() -> None:
    """However confident: by it the earlier statement would be the current one."""
    item = asked("update", confidence=0.99, current="a")
    assert (item.kind, item.question) == ("unsure", UNSURE)
