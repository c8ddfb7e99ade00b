"""``arbiter review``."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from arbiter.domain.outcomes import review_id
from tests.factories import make_fact, pair
from tests.unit.cli.conftest import BORN_FARO, BORN_PORTO, LISBON, PORTO, Desk

BIRTH_REVIEW = review_id(BORN_PORTO.id, BORN_FARO.id)
TEN = make_fact("The fee is 10 euros.", at=5)
TWELVE = make_fact("The fee is 12 euros.", at=6, source="crm")
FEE = pair(TEN, TWELVE, "contradiction", mutability="mutable")
FEE_REVIEW = review_id(TEN.id, TWELVE.id)
OPEN = ("active", None, True)


def exported(desk: Desk, path: Path, **answers: dict[str, str]) -> None:
    """Export to a file and fill in answers by review id."""
    assert desk.run("review", "export", "--out", str(path)).exit_code == 0
    if path.suffix == ".csv":
        with path.open(encoding="utf-8", newline="") as stream:
            rows: list[dict[str, Any]] = list(csv.DictReader(stream))
    else:
        rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    rows = [row | answers.get(row["review_id"], {}) for row in rows]
    with path.open("w", encoding="utf-8", newline="") as stream:
        if path.suffix == ".csv":
            writer = csv.DictWriter(stream, rows[0])
            writer.writeheader()
            writer.writerows(rows)
        else:
            stream.writelines(json.dumps(row) + "\n" for row in rows)


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
    assert "a relabel, and nothing else, names a relation" in refused.stderr
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


@pytest.mark.parametrize("name", ["reviews.jsonl", "reviews.csv"])
def test_rulings_go_out_and_come_back(desk: Desk, tmp_path: Path, name: str) -> None:
    """A filled-in export is applied; importing it again changes nothing and is no error."""
    desk.keep([TEN, TWELVE], [FEE])
    path = tmp_path / name
    exported(desk, path, **{BIRTH_REVIEW: {"ruling": "keep-b", "reviewer": "kim"}})
    (done,) = desk.json("review", "import", str(path))
    assert (done["status"], set(done["changed"])) == ("applied", {BORN_PORTO.id, BORN_FARO.id})
    assert desk.states()[BORN_PORTO.content] == ("tombstoned", "ruling", False)
    assert desk.states()[TEN.content] == OPEN
    (again,) = desk.json("review", "import", str(path))
    assert (again["status"], again["changed"]) == ("already_settled", [])
    assert desk.run("review", "import", str(path)).stdout == (
        "1 rulings: 1 already_settled; 0 states changed\n"
    )


def test_every_line_of_an_import_has_its_report(desk: Desk, tmp_path: Path) -> None:
    """What cannot be applied is told by line and harms no other; the exit status says that some were."""
    desk.keep([TEN, TWELVE], [FEE])
    path = tmp_path / "reviews.jsonl"
    exported(desk, path, **{FEE_REVIEW: {"ruling": "keep-b", "reviewer": "kim"}})
    birth, fee = (json.loads(line) for line in path.read_text("utf-8").splitlines())
    lines = [
        birth | {"ruling": "perhaps", "reviewer": "kim"},
        birth | {"ruling": "keep-a"},
        birth | {"review_id": "rev_0", "ruling": "keep-a", "reviewer": "kim"},
        birth | {"a_id": LISBON.id, "ruling": "keep-a", "reviewer": "kim"},
        birth | {"a_digest": "0" * 24, "ruling": "keep-a", "reviewer": "kim"},
        fee,
        fee,
        fee | {"ruling": "keep-a"},
        birth,
    ]
    path.write_text("\n".join(map(json.dumps, lines)) + "\nno json\n", encoding="utf-8")
    result = desk.run("review", "import", str(path), "--json")
    assert result.exit_code == 1
    told = [json.loads(line) for line in result.stdout.splitlines()]
    assert [(line["line"], line["status"], line["field"]) for line in told] == [
        (1, "invalid", "ruling"),
        (2, "invalid", "reviewer"),
        (3, "not_found", None),
        (4, "invalid", "a_id"),
        (5, "stale", None),
        (6, "applied", None),
        (7, "already_settled", None),
        (8, "stale", None),
        (10, "invalid", None),
    ]
    assert desk.states()[TEN.content][0] == "tombstoned"
    assert desk.states()[BORN_FARO.content] == OPEN


def test_people_read_what_was_refused_on_stderr(desk: Desk, tmp_path: Path) -> None:
    """The refused lines stand on stderr with field and reason, the counts on stdout."""
    path = tmp_path / "reviews.csv"
    exported(desk, path, **{BIRTH_REVIEW: {"ruling": "keep-c", "reviewer": "kim"}})
    result = desk.run("review", "import", str(path))
    assert (result.exit_code, result.stdout) == (1, "1 rulings: 1 invalid; 0 states changed\n")
    assert result.stderr == (
        f"line 2: {BIRTH_REVIEW} invalid: ruling: "
        "'keep-c' is none of keep_a, keep_b, keep_both, neither, relabel\n"
    )


def test_a_ruling_on_a_changed_fact_is_refused(desk: Desk, tmp_path: Path) -> None:
    """When a side is told otherwise after the export, the row is stale and nothing changes."""
    path = tmp_path / "reviews.jsonl"
    exported(desk, path, **{BIRTH_REVIEW: {"ruling": "keep-a", "reviewer": "kim"}})
    desk.keep([make_fact("User was born in [red]Faro[/red].", at=9, subject="user:42", confidence=0.3)])
    result = desk.run("review", "import", str(path), "--json")
    assert (result.exit_code, json.loads(result.stdout)["status"]) == (1, "stale")
    assert desk.states()[BORN_FARO.content] == OPEN
    shown = desk.run("review", "show", BIRTH_REVIEW)
    assert shown.exit_code == 0


def test_rulings_are_read_from_standard_input(desk: Desk) -> None:
    """A pipe of JSON Lines works like a file, and who imports can sign for it."""
    row = json.loads(desk.run("review", "export").stdout)
    result = desk.run(
        "review", "import", "-", "--reviewer", "lee", stdin=json.dumps(row | {"ruling": "keep_both"})
    )
    assert (result.exit_code, result.stdout) == (0, "1 rulings: 1 applied; 2 states changed\n")
    (page,) = desk.json("review", "show", BIRTH_REVIEW)
    assert [(ruling["ruling"], ruling["reviewer"]) for ruling in page["rulings"]] == [("keep_both", "lee")]


def test_nothing_waits_where_nothing_is_asked(empty: Desk) -> None:
    """An empty queue is told as such, and exports nothing but the header."""
    empty.keep([LISBON, PORTO])
    assert empty.run("review", "list").stdout == "none\n"
    assert empty.run("review", "export").stdout == ""
    assert empty.run("review", "export", "--format", "csv").stdout.splitlines()[0].startswith("review_id,")
