"""How pairs and shares are put on the page."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from arbiter.domain.vocabulary import Action
from arbiter.interchange.report_cards import Case, card, judge_name, merges
from arbiter.interchange.report_charts import stacked
from tests.cases import cases
from tests.factories import make_fact, pair


def test_a_pair_shows_both_sides_and_why() -> None:
    """Both texts in their order of time, what follows for each, the rule, the judge and its words."""
    lisbon = make_fact("User lives in Lisbon.", subject="u", claim_key="user.residence", value="Lisbon")
    porto = make_fact("User lives in Porto.", at=30, source="crm", subject="u")
    (case,) = cases(pair(lisbon, porto, "update", reason="moved"), facts=[lisbon, porto])
    shown = card(case)
    assert (shown.earlier.standing, shown.later.standing) == ("superseded", "stays")
    assert [r.text for r in shown.earlier.runs if r.differs] == ["Lisbon"]
    assert (shown.earlier.about, shown.later.sources) == (
        "u · user.residence = Lisbon",
        ("crm, user stated",),
    )
    assert (shown.why.rule, shown.why.relation, shown.why.reason) == (
        "change",
        "update: state change",
        "moved",
    )
    assert (shown.why.judge, shown.why.confidence) == ("test", 0.95)
    assert "authority 4 against 4" in shown.why.scores
    assert (shown.question, shown.why.command) == (None, f"arbiter undo {case.decision.id}")


def test_a_namespace_is_named() -> None:
    """Where it is not the default one, the side says so, and the command finds it, whatever its name."""
    facts = [
        make_fact("The door is red.", namespace="a b"),
        make_fact("The door is blue.", at=9, namespace="a b"),
    ]
    (case,) = cases(pair(facts[0], facts[1], "contradiction"), facts=facts)
    shown = card(case)
    assert shown.earlier.about == "a b"
    assert shown.why.command == f"arbiter review show {case.item and case.item.id} --namespace 'a b'"


@pytest.mark.parametrize(
    ("relation", "fields", "standings", "kind"),
    [
        ("contradiction", {}, ("contested", "contested"), "conflict"),
        ("unjudged", {}, ("stays", "waits"), "unjudged"),
        ("complementary", {"stale_risk": "a"}, ("stays", "stays"), "stale risk"),
        ("duplicate", {"confidence": 0.5}, ("contested", "contested"), "unsure"),
    ],
)
def test_a_question_shows_what_is_open(
    relation: str, fields: dict[str, Any], standings: tuple[str, str], kind: str
) -> None:
    """Each side of an open pair says how it is read until somebody answers."""
    red, blue = make_fact("The door is red."), make_fact("The door is blue.", at=0.5)
    (case,) = cases(pair(red, blue, relation, **fields), facts=[red, blue])
    shown = card(case)
    assert ((shown.earlier.standing, shown.later.standing), shown.kind) == (standings, kind)
    assert shown.question == (case.item and case.item.question)


def test_wordings_gather_around_the_one_that_stays() -> None:
    """A fact merged from three wordings is one entry with two others; each has its reason."""
    facts = [make_fact("tea", subject="a"), make_fact("some tea", at=1), make_fact("hot tea", at=2)]
    found = merges(
        cases(pair(facts[0], facts[1], "duplicate"), pair(facts[0], facts[2], "duplicate"), facts=facts)
    )
    (merge,) = found
    assert (merge.kept.fact_id, merge.kept.standing) == (facts[0].id, "stays")
    assert sorted(side.fact_id for side, _ in merge.others) == sorted(fact.id for fact in facts[1:])
    assert {why.rule for _, why in merge.others} == {"duplicate"}


def test_long_texts_are_cut_and_erased_ones_named() -> None:
    """Eight thousand characters are shown by their beginning; what was erased says so."""
    long = make_fact("x" * 8000)
    erased = replace(make_fact("secret", at=1), content="", erased=True)
    case = Case(long, erased, cases(pair(long, erased, "update"), facts=[long, erased])[0].decision)
    shown = card(case)
    assert "".join(run.text for run in shown.earlier.runs) == "x" * 1500 + " … (6,500 more characters)"
    assert "".join(run.text for run in shown.later.runs) == "(erased)"
    assert case.decision.action is Action.SUPERSEDE


def test_shares_fill_the_bar() -> None:
    """Parts stand side by side without gaps, empty ones are left out, tiny ones can be seen."""
    slices = stacked([("a", "good", 9990), ("b", "bad", 10), ("c", "soft", 0)])
    assert [(s.label, s.count, s.share) for s in slices] == [("a", 9990, 0.999), ("b", 10, 0.001)]
    assert slices[0].x == 0.0
    assert slices[1].x == pytest.approx(slices[0].width, abs=0.002)
    assert slices[1].x + slices[1].width == pytest.approx(100, abs=0.002)
    assert slices[1].width > 0.5
    assert stacked([]) == []


def test_judges_have_names() -> None:
    """An id is told by its kind; unknown kinds keep their own word."""
    ids = ["exact", "keyed/1", "local/ab", "llm/x/y@z", "human/ana", "other/1", ""]
    assert [judge_name(i) for i in ids] == [
        "same text",
        "claim keys",
        "local model",
        "language model",
        "a person",
        "other",
        "nobody",
    ]
