"""``arbiter review export``, ``import`` and ``agreement``."""

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
RULINGS = "keep_a, keep_b, keep_both, neither, merge, relabel, skip, needs_context"


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


@pytest.mark.parametrize("name", ["reviews.xml", "reviews.json"])
def test_a_name_that_says_no_form_is_a_usage_error(desk: Desk, tmp_path: Path, name: str) -> None:
    """Nothing is written in a form that nobody asked for."""
    refused = desk.run("review", "export", "--out", str(tmp_path / name))
    assert (refused.exit_code, "--format" in refused.stderr, list(tmp_path.glob("reviews.*"))) == (
        2,
        True,
        [],
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
    assert result.stderr == (f"line 2: {BIRTH_REVIEW} invalid: ruling: 'keep-c' is none of {RULINGS}\n")


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


def test_an_empty_queue_exports_nothing_but_the_header(empty: Desk) -> None:
    """Each form is what its readers expect of no items."""
    empty.keep([LISBON, PORTO])
    assert empty.run("review", "export").stdout == ""
    assert empty.run("review", "export", "--format", "csv").stdout.splitlines()[0].startswith("review_id,")
    assert json.loads(empty.run("review", "export", "--format", "label-studio").stdout) == []
    assert json.loads(empty.run("review", "export", "--format", "argilla").stdout) == []
    assert empty.run("review", "export", "--settled").stdout == ""


def test_what_a_tool_must_know_needs_no_store(empty: Desk) -> None:
    """The labelling configuration and the settings can be written before there is anything to review."""
    config = empty.run("review", "export", "--format", "label-studio-config")
    assert (config.exit_code, config.stdout.splitlines()[0]) == (0, "<View>")
    settings = json.loads(empty.run("review", "export", "--format", "argilla-settings").stdout)
    assert [question["name"] for question in settings["questions"]][:2] == ["ruling", "relation"]
    assert not empty.path.exists()


def test_label_studio_goes_out_and_comes_back(desk: Desk, tmp_path: Path) -> None:
    """An annotation of an exported task is a ruling by the person that --user names."""
    path = tmp_path / "tasks.json"
    told = desk.run("review", "export", "--format", "label-studio", "--out", str(path))
    assert told.stderr == f"1 reviews written to {path}\n"
    (task,) = json.loads(path.read_text("utf-8"))
    ruling = {"from_name": "ruling", "to_name": "a", "type": "choices", "value": {"choices": ["keep_b"]}}
    task["annotations"] = [{"completed_by": 7, "was_cancelled": False, "result": [ruling]}]
    path.write_text(json.dumps([task]), encoding="utf-8")
    arguments = ("review", "import", str(path), "--format", "label-studio", "--user")
    refused = desk.run(*arguments, "8=lee")
    assert (refused.exit_code, refused.stderr) == (
        1,
        f"line 1: {BIRTH_REVIEW} invalid: reviewer: user 7 is none of those who were named\n",
    )
    assert desk.run(*arguments, "7=kim").stdout == "1 rulings: 1 applied; 2 states changed\n"
    (page,) = desk.json("review", "show", BIRTH_REVIEW)
    assert [(r["ruling"], r["reviewer"]) for r in page["rulings"]] == [("keep_b", "kim")]
    assert desk.run(*arguments, "kim").exit_code == 2
    unsaid = desk.run("review", "import", str(path))
    assert (unsaid.exit_code, "say which with --format" in unsaid.stderr) == (2, True)


def test_settled_pairs_go_out_with_their_rulings(desk: Desk, tmp_path: Path) -> None:
    """They read back as settled already; for training they are pairs with a label."""
    rule = ("review", "rule", BIRTH_REVIEW, "--reviewer", "kim", "--reason", "passport")
    desk.json(*rule, "--ruling", "keep-a")
    path = tmp_path / "settled.csv"
    assert desk.run("review", "export", "--settled", "--out", str(path)).exit_code == 0
    (done,) = desk.json("review", "import", str(path))
    assert done["status"] == "already_settled"
    (row,) = map(json.loads, desk.run("review", "export", "--format", "training").stdout.splitlines())
    assert (row["a"]["content"], row["b"]["content"]) == (BORN_PORTO.content, BORN_FARO.content)
    assert (row["label"], row["ruling"]) == ("contradiction", "keep_a")
    usage = desk.run("review", "export", "--settled", "--format", "argilla")
    assert usage.exit_code == 2
    assert "--settled goes with jsonl, csv, training, not with argilla" in usage.stderr


def test_an_export_for_training_counts_what_it_writes(desk: Desk, tmp_path: Path) -> None:
    """Of two settled reviews one says how its sides relate; the other is counted as left out."""
    desk.keep([TEN, TWELVE], [FEE])
    desk.json("review", "rule", BIRTH_REVIEW, "--ruling", "keep-a", "--reviewer", "kim")
    desk.json("review", "rule", FEE_REVIEW, "--ruling", "neither", "--reviewer", "kim")
    path = tmp_path / "pairs.jsonl"
    told = desk.run("review", "export", "--format", "training", "--out", str(path)).stderr
    left = "1 reviews left out, whose rulings do not say how the sides relate"
    assert told == f"1 labelled pairs written to {path}; {left}\n"
    assert len(path.read_text("utf-8").splitlines()) == 1


def test_agreement_is_counted(desk: Desk) -> None:
    """Who kept both sides of a contradiction did not agree with the judge, who kept one did."""
    desk.keep([TEN, TWELVE], [FEE])
    assert desk.json("review", "agreement")[0]["overall"]["share"] is None
    desk.json("review", "rule", BIRTH_REVIEW, "--ruling", "keep-a", "--reviewer", "kim")
    relabel = ("--ruling", "relabel", "--relabel", "unrelated", "--reviewer", "kim")
    desk.json("review", "rule", FEE_REVIEW, *relabel)
    (found,) = desk.json("review", "agreement")
    assert found["relations"]["contradiction"] == {
        "rulings": 2,
        "agreed": 1,
        "disagreed": 1,
        "silent": 0,
        "share": 0.5,
        "low": pytest.approx(0.012579, abs=1e-6),
        "high": pytest.approx(0.987421, abs=1e-6),
    }
    assert list(found["judges"]) == ["test"]
    lines = [" ".join(line.split()) for line in desk.run("review", "agreement").stdout.splitlines()]
    assert "contradiction 2 1 1 0 0.500 0.013 to 0.987" in lines
    assert lines[-1] == "in place of contradiction: 1 unrelated"
