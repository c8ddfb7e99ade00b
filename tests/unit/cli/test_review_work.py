"""``arbiter review``: merging, setting aside, and working on the queue together."""

from __future__ import annotations

from tests.unit.cli.conftest import BORN_FARO, BORN_PORTO, Desk
from tests.unit.cli.test_review import BIRTH_REVIEW, FEE, FEE_REVIEW, TEN, TWELVE

RULE = ("review", "rule", BIRTH_REVIEW, "--reviewer", "kim", "--ruling")
TEXT = "User was born in Porto or in [red]Faro[/red]."


def listed(desk: Desk, *filters: str) -> list[str]:
    """Return the ids of the items that the list shows."""
    return [item["id"] for item in desk.json("review", "list", *filters)]


def test_a_merge_puts_one_text_in_the_place_of_both(desk: Desk) -> None:
    """The text is current, both sides are superseded by it, and undoing it opens the question again."""
    changed = {c["fact_id"]: c for c in desk.json(*RULE, "merge", "--text", TEXT)}
    successors = {changed[fact.id]["successor"] for fact in (BORN_PORTO, BORN_FARO)}
    assert successors == {c["fact_id"] for c in changed.values() if c["state"] == "active"}
    assert desk.states()[TEXT] == ("active", None, False)
    (page,) = desk.json("review", "show", BIRTH_REVIEW)
    assert page["rulings"][0]["merged"] in successors
    desk.json("review", "undo", BIRTH_REVIEW, "--reviewer", "kim")
    assert desk.states()[TEXT] == ("tombstoned", "withdrawn", False)
    assert listed(desk) == [BIRTH_REVIEW]
    again = desk.run("review", "undo", BIRTH_REVIEW, "--reviewer", "kim")
    assert (again.exit_code, "there is no ruling on" in again.stderr) == (2, True)


def test_a_text_that_names_something_new_is_confirmed_first(desk: Desk) -> None:
    """It is refused with what neither side has; --confirm takes it."""
    text = "User was born in Porto in 1984."
    refused = desk.run(*RULE, "merge", "--text", text)
    assert refused.exit_code == 1
    assert refused.stderr.startswith("Error: unconfirmed_text: neither side has 1984")
    assert text not in desk.states()
    desk.json(*RULE, "merge", "--text", text, "--confirm")
    assert desk.states()[text] == ("active", None, False)


def test_incomplete_answers_are_usage_errors(desk: Desk) -> None:
    """A merge without a text, a text without a merge, a skip without a reason."""
    for arguments, told in (
        (("merge",), "a merge needs a text"),
        (("keep-a", "--text", "x"), "only a merge has a text"),
        (("skip",), "a skip has a reason"),
    ):
        refused = desk.run(*RULE, *arguments)
        assert (refused.exit_code, told in refused.stderr) == (2, True)


def test_what_is_set_aside_is_listed_as_such(desk: Desk) -> None:
    """It leaves the queue, is found by its status, and the page says so."""
    assert desk.json(*RULE, "needs-context", "--reason", "no passport") == []
    assert listed(desk) == []
    assert listed(desk, "--status", "set-aside") == [BIRTH_REVIEW]
    assert listed(desk, "--all") == [BIRTH_REVIEW]
    shown = desk.run("review", "show", BIRTH_REVIEW).stdout.splitlines()
    assert shown[0] == "This was set aside until there is other evidence."


def test_the_list_is_filtered(desk: Desk) -> None:
    """By kind, stakes, assignee, claimant and text; the lines for machines hold no statement."""
    desk.keep([TEN, TWELVE], [FEE])
    desk.json("review", "assign", FEE_REVIEW, "--to", "ada")
    desk.json("review", "claim", BIRTH_REVIEW, "--reviewer", "kim")
    for filters, expected in (
        (("--kind", "conflict"), [BIRTH_REVIEW, FEE_REVIEW]),
        (("--kind", "guard", "--kind", "cycle"), []),
        (("--stakes", "high"), [BIRTH_REVIEW]),
        (("--assignee", "ada"), [FEE_REVIEW]),
        (("--claimed-by", "kim"), [BIRTH_REVIEW]),
        (("--claimed-by", "ada"), []),
        (("--text", "THE FEE is"), [FEE_REVIEW]),
        (("--text", "born", "--assignee", "ada"), []),
    ):
        assert listed(desk, *filters) == expected
    lines = desk.run("review", "list", "--json").stdout
    assert TEN.content not in lines
    table = desk.run("review", "list").stdout
    assert [TEN.content in table, " ada " in table] == [True, True]


def test_two_people_share_the_queue(desk: Desk) -> None:
    """What one has in hand the other neither gets nor settles, and both are told."""
    desk.keep([TEN, TWELVE], [FEE])
    (taken,) = desk.json("review", "next", "--reviewer", "ada")
    assert (taken["id"], taken["claim"]["reviewer"]) == (BIRTH_REVIEW, "ada")
    (other,) = desk.json("review", "next", "--reviewer", "bob", "--minutes", "60")
    assert other["id"] == FEE_REVIEW
    nothing = desk.run("review", "next", "--reviewer", "kim")
    assert (nothing.exit_code, nothing.stdout, nothing.stderr) == (0, "", "nothing waits\n")
    refused = desk.run("review", "claim", BIRTH_REVIEW, "--reviewer", "bob")
    assert refused.exit_code == 1
    assert refused.stderr.startswith(f"Error: claimed: {BIRTH_REVIEW} is in the hands of ada until ")
    assert desk.run(*RULE, "keep-a").exit_code == 1
    first = desk.run("review", "show", BIRTH_REVIEW).stdout.splitlines()[0]
    assert first.startswith("ada has this in hand until ")
    (released,) = desk.json("review", "release", BIRTH_REVIEW, "--reviewer", "ada")
    assert released == {"review_id": BIRTH_REVIEW, "assignee": None, "claim": None}
    told = desk.run("review", "claim", BIRTH_REVIEW, "--reviewer", "bob").stdout
    assert told.startswith(f"{BIRTH_REVIEW} is for nobody in particular, in the hands of bob until ")


def test_assignments_and_comments_are_shown(desk: Desk) -> None:
    """Who is to look at it, and what was noted, without letting the text steer the terminal."""
    assert desk.run("review", "assign", BIRTH_REVIEW, "--to", "ada").stdout == f"{BIRTH_REVIEW} is for ada\n"
    noted = desk.run("review", "comment", BIRTH_REVIEW, "\x1b[31mAsk her.", "--author", "bob")
    assert noted.stdout == f"noted on {BIRTH_REVIEW}\n"
    (second,) = desk.json("review", "comment", BIRTH_REVIEW, "She said Porto.", "--author", "ada")
    assert (second["author"], second["text"]) == ("ada", "She said Porto.")
    shown = desk.run("review", "show", BIRTH_REVIEW).stdout
    assert shown.splitlines()[0] == "This is for ada to look at."
    assert "\\u001b[31mAsk her." in shown
    assert "She said Porto." in shown
    (page,) = desk.json("review", "show", BIRTH_REVIEW)
    assert [comment["author"] for comment in page["comments"]] == ["bob", "ada"]
    assert (
        desk.run("review", "assign", BIRTH_REVIEW).stdout == f"{BIRTH_REVIEW} is for nobody in particular\n"
    )
