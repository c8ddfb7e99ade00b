"""``arbiter facts`` and ``arbiter search``."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from arbiter.domain.vocabulary import Mutability
from tests.factories import make_fact
from tests.unit.cli.conftest import BORN_FARO, BORN_PORTO, LISBON, MOVE, PORTO, TEA, TEA_TOO, Desk


def listed(desk: Desk, *arguments: str) -> list[str]:
    """Return the contents that the list shows."""
    return [fact["content"] for fact in desk.json("facts", "list", *arguments)]


def test_the_list_shows_what_is_current(desk: Desk) -> None:
    """Active facts are listed oldest first, contested ones among them."""
    assert listed(desk) == [BORN_PORTO.content, BORN_FARO.content, TEA_TOO.content, PORTO.content]


@pytest.mark.parametrize(
    ("arguments", "contents"),
    [
        (["--state", "superseded"], [LISBON.content, TEA.content]),
        (["--state", "pending"], []),
        (["--limit", "2"], [BORN_PORTO.content, BORN_FARO.content]),
        (["--subject", "USER:42", "--limit", "1"], [BORN_PORTO.content]),
        (["--subject", "user:7"], []),
        (["--as-of", "2026-01-01T12:00:00Z"], [LISBON.content]),
        (["--as-of", "2026-01-04T12:00:00Z", "--state", "superseded"], []),
    ],
)
def test_the_list_can_be_narrowed(desk: Desk, arguments: list[str], contents: list[str]) -> None:
    """State, subject, time and number each narrow it."""
    assert listed(desk, *arguments) == contents


def test_unseen_facts_are_those_that_nobody_repeats(empty: Desk) -> None:
    """Years of silence list what can fade, longest silence first; fixed facts do not fade."""
    born = make_fact("User was born on 3 May.", at=-2000, mutability=Mutability.IMMUTABLE)
    empty.keep([make_fact("User likes jazz.", at=-900), make_fact("User likes tea.", at=-1000), born])
    assert listed(empty, "--unseen") == ["User likes tea.", "User likes jazz."]


def test_a_source_that_speaks_on_is_named(empty: Desk) -> None:
    """Who stopped saying a fact, though heard since about other things, is told with it."""
    empty.keep(
        [
            make_fact("User likes jazz.", at=-900, source="crm"),
            make_fact("User plays chess.", at=-100, source="crm", mutability=Mutability.IMMUTABLE),
        ]
    )
    (fact,) = empty.json("facts", "list", "--unseen")
    assert (fact["content"], fact["silent_sources"]) == ("User likes jazz.", ["crm"])
    assert "active, no longer said by crm" in empty.run("facts", "list", "--unseen").stdout


def test_unseen_goes_with_no_other_time(desk: Desk) -> None:
    """Two moments at once are a mistake, not a choice."""
    result = desk.run("facts", "list", "--unseen", "--as-of", "2026-01-01T12:00:00Z")
    assert (result.exit_code, result.stdout) == (2, "")


def test_people_read_a_table(desk: Desk) -> None:
    """The table says how a fact stands, and shows its text as it is."""
    table = desk.run("facts", "list").stdout
    rows = [line.split() for line in table.splitlines()[2:]]
    assert [row[0] for row in rows] == [BORN_PORTO.id, BORN_FARO.id, TEA_TOO.id, PORTO.id]
    assert rows[1][1:3] == ["active,", "contested"]
    assert "User was born in [red]Faro[/red]." in table


def test_one_fact_is_shown_with_its_decisions(desk: Desk) -> None:
    """The fact, where it stands and the decision that put it there."""
    (shown,) = desk.json("facts", "show", LISBON.id)
    (decision,) = shown["decisions"]
    assert (shown["state"], shown["state_reason"], shown["successor"]) == ("superseded", "update", PORTO.id)
    assert (decision["action"], decision["rule"], decision["winner"]) == ("supersede", "change", PORTO.id)
    text = desk.run("facts", "show", LISBON.id).stdout
    assert text.splitlines()[:3] == [
        "User lives in Lisbon.",
        f"{LISBON.id}: superseded (update), see {PORTO.id}",
        "about user:42; key user.residence",
    ]


def test_the_history_tells_what_happened_in_order(desk: Desk) -> None:
    """A superseded fact was seen, judged, decided on, and changed its state."""
    kinds = [entry["kind"] for entry in desk.json("facts", "history", LISBON.id)]
    assert kinds == ["sighting", "judgement", "decision", "state"]
    assert "relation update; confidence 0.95" in " ".join(
        desk.run("facts", "history", LISBON.id).stdout.split()
    )


@pytest.mark.parametrize("command", [["show"], ["history"], ["erase", "--yes"]])
def test_an_unknown_fact_is_an_error(desk: Desk, command: list[str]) -> None:
    """The message says what was looked for."""
    result = desk.run("facts", *command, "fact_0")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "not_found" in result.stderr
    assert "fact_0" in result.stderr


def test_the_export_has_every_fact(desk: Desk, tmp_path: Path) -> None:
    """A file of JSON Lines, the same as on standard output."""
    out = tmp_path / "facts.jsonl"
    result = desk.run("facts", "export", "--out", str(out))
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", f"6 facts written to {out}\n")
    assert out.read_text("utf-8") == desk.run("facts", "export").stdout
    first = json.loads(out.read_text("utf-8").splitlines()[0])
    assert (first["fact_id"], first["state"], first["successor"]) == (LISBON.id, "superseded", PORTO.id)


def test_erasing_asks_first(desk: Desk) -> None:
    """No means no: nothing is erased, and the exit status says so."""
    result = desk.run("facts", "erase", TEA.id, stdin="n\n")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.splitlines()[0] == TEA.content
    assert TEA.content in desk.states()


def test_erasing_takes_the_text_out(desk: Desk) -> None:
    """With --yes nobody is asked, and the id stays with an empty text."""
    result = desk.run("facts", "erase", TEA.id, "--yes")
    assert (result.exit_code, result.stdout, result.stderr) == (0, f"erased {TEA.id}\n", "")
    (shown,) = desk.json("facts", "show", TEA.id)
    assert (shown["content"], shown["state"], shown["state_reason"]) == ("", "tombstoned", "erased")


def test_namespaces_do_not_meet(desk: Desk) -> None:
    """Another namespace has its own facts, and does not know the ids of ours."""
    desk.keep([make_fact("User lives in Oslo.", namespace="acme")])
    assert listed(desk, "--namespace", "acme") == ["User lives in Oslo."]
    assert desk.run("facts", "show", LISBON.id, "--namespace", "acme").exit_code == 1


def test_a_time_before_a_change_shows_the_fact_that_was_current(empty: Desk) -> None:
    """As of a day between two statements the first one is current."""
    empty.keep([LISBON, PORTO], [MOVE])
    assert listed(empty, "--as-of", "2026-01-15T00:00:00Z") == [LISBON.content]
    assert listed(empty, "--as-of", "2026-02-15T00:00:00Z") == [PORTO.content]


def test_search_finds_current_facts_by_meaning(empty: Desk) -> None:
    """The nearest come first, at most as many as asked for, and superseded ones never."""
    old = replace(LISBON, content="User lives in Lisbon.")
    empty.keep([old, PORTO, TEA_TOO], [MOVE], embedded=False)
    assert empty.run("doctor", "--re-embed").stderr == "3 facts embedded\n"
    hits = empty.json("search", "Where does the user live?", "-k", "2")
    assert [hit["content"] for hit in hits] == [PORTO.content, TEA_TOO.content]
    assert hits[0]["similarity"] > hits[1]["similarity"]
    assert PORTO.id in empty.run("search", "Where does the user live?", "-k", "1").stdout


def test_an_empty_answer_says_so(desk: Desk) -> None:
    """People see that nothing was found; machines get no line."""
    assert desk.run("facts", "list", "--state", "pending").stdout == "none\n"
    assert desk.json("facts", "list", "--state", "pending") == []
