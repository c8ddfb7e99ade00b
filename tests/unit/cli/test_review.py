"""``arbiter review``."""

from __future__ import annotations

from arbiter.domain.outcomes import review_id
from tests.factories import make_fact, pair
from tests.unit.cli.conftest import BORN_FARO, BORN_PORTO, LISBON, PORTO, Desk

BIRTH_REVIEW = review_id(BORN_PORTO.id, BORN_FARO.id)
TEN = make_fact("The fee is 10 euros.", at=5)
TWELVE = make_fact("The fee is 12 euros.", at=6, source="crm")
FEE = pair(TEN, TWELVE, "contradiction", mutability="mutable")
FEE_REVIEW = review_id(TEN.id, TWELVE.id)


def test_the_list_has_the_most_urgent_first(desk: Desk) -> None:
    """High stakes come before the rest, settled items only with --all."""
    desk.keep([TEN, TWELVE], [FEE])
    items = desk.json("review", "list")
    assert [(item["id"], item["priority"], item["stakes"], item["open"]) for item in items] == [
        (BIRTH_REVIEW, 152, "high", True),
        (FEE_REVIEW, 52, "normal", True),
    ]
    assert [item["id"] for item in desk.json("review", "list", "--limit", "1")] == [BIRTH_REVIEW]
    desk.json("review", "rule", BIRTH_REVIEW, "--ruling", "keep-both", "--reviewer", "kim")
    assert [item["id"] for item in desk.json("review", "list")] == [FEE_REVIEW]
    everything = desk.json("review", "list", "--all")
    assert [(item["id"], item["open"]) for item in everything] == [(BIRTH_REVIEW, False), (FEE_REVIEW, True)]


def test_people_see_both_sides_with_what_differs(desk: Desk) -> None:
    """The page marks the differences and names sources, times, judge, guards and rule."""
    lines = [" ".join(line.split()) for line in desk.run("review", "show", BIRTH_REVIEW).stdout.splitlines()]
    assert lines[0] == "These cannot both be true. Which one holds?"
    assert lines[1] == f"{BIRTH_REVIEW}: conflict, stakes high, urgency 152, rule high-stakes-contradiction"
    assert "User was born in «Porto». User was born in «[red]Faro[/red]»." in lines
    assert f"{BORN_PORTO.id} (active, contested) {BORN_FARO.id} (active, contested)" in lines
    assert "user_stated chat:1 at 2026-01-02 09:00Z user_stated crm at 2026-01-03 09:00Z" in lines
    assert lines[-3:] == [
        "contradiction, confidence 0.95, by test",
        "guard name: A says Porto, B says Faro",
        "rule high-stakes-contradiction -> review: High stakes are never guessed.",
    ]


def test_machines_get_the_same_page(desk: Desk) -> None:
    """One object holds the item, both facts, the evidence and the decisions."""
    (page,) = desk.json("review", "show", BIRTH_REVIEW)
    assert (page["id"], page["open"], page["stale"]) == (BIRTH_REVIEW, True, False)
    assert [page["facts"][side]["content"] for side in "ab"] == [BORN_PORTO.content, BORN_FARO.content]
    assert (page["evidence"]["relation"], page["evidence"]["confidence"]) == ("contradiction", 0.95)
    assert page["evidence"]["guards"] == [{"guard": "name", "a": "Porto", "b": "Faro"}]
    assert [decision["rule"] for decision in page["decisions"]] == ["high-stakes-contradiction"]
    assert page["rulings"] == []


def test_a_ruling_settles_and_is_shown_afterwards(desk: Desk) -> None:
    """The kept side is current, the other is not, and who ruled stands on the page."""
    changed = desk.json(
        "review", "rule", BIRTH_REVIEW, "--ruling", "keep-a", "--reviewer", "kim", "--reason", "passport"
    )
    assert {c["fact_id"]: (c["state"], c["state_reason"]) for c in changed} == {
        BORN_PORTO.id: ("active", None),
        BORN_FARO.id: ("tombstoned", "ruling"),
    }
    (page,) = desk.json("review", "show", BIRTH_REVIEW)
    assert page["open"] is False
    assert [(r["ruling"], r["reviewer"], r["reason"]) for r in page["rulings"]] == [
        ("keep_a", "kim", "passport")
    ]
    assert desk.run("review", "show", BIRTH_REVIEW).stdout.splitlines()[0] == "This is no longer open."


def test_a_relabel_names_a_relation(desk: Desk) -> None:
    """What the relation really is goes through the policy; without one it is a usage error."""
    rule = ("review", "rule", BIRTH_REVIEW, "--reviewer", "kim", "--ruling", "relabel")
    refused = desk.run(*rule)
    assert refused.exit_code == 2
    assert "a relabel needs a relation" in refused.stderr
    desk.json(*rule, "--relabel", "complementary")
    assert desk.states()[BORN_FARO.content] == ("active", None, False)


def test_an_unknown_or_settled_item_is_refused(desk: Desk) -> None:
    """Nothing is ruled twice, and what is not there is named."""
    rule = ("--ruling", "neither", "--reviewer", "kim")
    desk.json("review", "rule", BIRTH_REVIEW, *rule)
    again = desk.run("review", "rule", BIRTH_REVIEW, *rule)
    assert (again.exit_code, again.stdout) == (1, "")
    assert again.stderr.startswith("Error: stale_ruling: ")
    unknown = desk.run("review", "rule", "rev_0", *rule)
    assert unknown.exit_code == 1
    assert unknown.stderr.startswith("Error: not_found: ")


def test_nothing_waits_where_nothing_is_asked(empty: Desk) -> None:
    """An empty queue is told as such."""
    empty.keep([LISBON, PORTO])
    assert empty.run("review", "list").stdout == "none\n"
