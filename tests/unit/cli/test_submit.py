"""``arbiter submit``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.unit.cli.conftest import Desk

RECORD = {
    "content": "User lives in Lisbon.",
    "source": {"id": "chat:1", "kind": "user_stated"},
    "observed_at": "2026-01-01T09:00:00Z",
}


def submitted(desk: Desk, *lines: object, arguments: tuple[str, ...] = ()) -> tuple[int, list[Any]]:
    """Submit lines of standard input; return the exit status and the receipts."""
    text = "".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines)
    result = desk.run("submit", "-", *arguments, stdin=text)
    return result.exit_code, [json.loads(line) for line in result.stdout.splitlines()]


def test_a_record_is_stored_once(empty: Desk) -> None:
    """The first submission makes the store and stores; the second one is counted."""
    status, (first,) = submitted(empty, RECORD)
    assert (status, first["outcome"], first["stored"], first["state"]) == (0, "stored", True, "active")
    status, (second,) = submitted(empty, RECORD)
    assert (status, second["outcome"], second["fact_id"]) == (0, "unchanged", first["fact_id"])
    assert [(fact["content"], fact["seen_count"]) for fact in empty.json("facts", "list")] == [
        ("User lives in Lisbon.", 2)
    ]


def test_a_bad_line_harms_no_other(empty: Desk) -> None:
    """Each line has its receipt in its place; those at fault are refused with field and reason."""
    other = {**RECORD, "content": "User likes tea."}
    status, receipts = submitted(
        empty, RECORD, "{no json", {**RECORD, "confidence": 2}, "[1]", other, '{"content": 1, "content": 2}'
    )
    assert status == 1
    assert [receipt["record_index"] for receipt in receipts] == [0, 1, 2, 3, 4, 5]
    assert [receipt["outcome"] == "refused" for receipt in receipts] == [False, True, True, True, False, True]
    reasons = [receipt["reason"] for receipt in receipts]
    assert (reasons[1]["code"], reasons[2]["field"]) == ("not_json", "confidence")
    assert reasons[3]["message"] == "a record is a JSON object"
    assert (reasons[5]["code"], reasons[5]["field"]) == ("repeated_key", "content")
    assert len(empty.json("facts", "list", "--state", "all")) == 2


def test_receipts_are_numbered_through(empty: Desk) -> None:
    """Records are submitted in batches; their places are those of the file."""
    status, receipts = submitted(empty, *[RECORD] * 501, {**RECORD, "content": "User likes tea."})
    assert status == 0
    assert [receipt["record_index"] for receipt in receipts] == list(range(502))
    assert [receipts[place]["outcome"] for place in (0, 1, 500, 501)] == [
        "stored",
        "unchanged",
        "unchanged",
        "stored",
    ]


def test_the_namespace_is_for_records_that_name_none(empty: Desk) -> None:
    """A record's own namespace holds."""
    _, receipts = submitted(empty, RECORD, {**RECORD, "namespace": "own"}, arguments=("--namespace", "acme"))
    assert [receipt["namespace"] for receipt in receipts] == ["acme", "own"]


def test_a_single_statement(empty: Desk) -> None:
    """A text with its source, time and attribute is a record."""
    (receipt,) = empty.json(
        *("submit", "--text", "User lives in Porto.", "--source", "crm", "--kind", "third_party"),
        *("--at", "2026-02-01T09:00:00+01:00", "--subject", "user:42"),
        *("--claim-key", "user.residence", "--value", "Porto"),
    )
    (fact,) = empty.json("facts", "show", receipt["fact_id"])
    assert (fact["subject"], fact["claim_key"], fact["value"]) == ("user:42", "user.residence", "Porto")
    (sighting,) = fact["sightings"]
    assert (sighting["source"], sighting["kind"], sighting["observed_at"]) == (
        "crm",
        "third_party",
        "2026-02-01T08:00:00+00:00",
    )


def test_a_csv_file_is_read(empty: Desk, tmp_path: Path) -> None:
    """What a dump can be, a submission can be."""
    path = tmp_path / "records.csv"
    path.write_text(
        "content,source.id,source.kind,observed_at\nUser likes tea.,crm,third_party,2026-01-01T09:00:00Z\n"
    )
    (receipt,) = empty.json("submit", str(path))
    assert receipt["outcome"] == "stored"


@pytest.mark.parametrize("arguments", [[], ["-", "--text", "x"]])
def test_a_file_or_a_text(empty: Desk, arguments: list[str]) -> None:
    """Both or neither is a usage error, and nothing is made."""
    result = empty.run("submit", *arguments)
    assert result.exit_code == 2
    assert "Give either FILE (- for standard input) or --text." in result.stderr
    assert not empty.path.exists()


def test_a_store_that_cannot_be_made_is_an_error(tmp_path: Path) -> None:
    """The message says what is wrong with the place; it is not a fault of the program."""
    result = Desk(tmp_path / "nowhere" / "facts.db").run("submit", "--text", "User likes tea.")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith("Error: store_unavailable: ")


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (["nowhere.jsonl"], 2, "nowhere.jsonl cannot be read"),
        (["/"], 2, "cannot be read: Is a directory"),
        (["--text", "x", "--value", "Porto"], 2, "--value needs --claim-key"),
        (["-", "--subject", "user:42"], 2, "--subject goes with --text"),
        (["-", "--claim-key", "user.residence"], 2, "--claim-key goes with --text"),
        (["--text", "x", "--at", "yesterday"], 2, "is no time"),
        (["--text", " "], 1, ""),
    ],
)
def test_what_cannot_be_submitted_makes_no_store(
    empty: Desk, arguments: list[str], status: int, words: str
) -> None:
    """Options that do not fit, files that cannot be read and texts that say nothing leave nothing behind."""
    result = empty.run("submit", *arguments)
    assert result.exit_code == status
    assert words in result.stderr
    assert list(empty.path.parent.iterdir()) == []


def test_a_table_on_standard_input_is_checked_before_there_is_a_store(empty: Desk) -> None:
    """Wrong columns are a fault of the whole file."""
    result = empty.run("submit", "-", stdin="content,sorce\nUser likes tea.,crm\n")
    assert result.exit_code == 2
    assert "no such column: 'sorce'" in result.stderr
    assert not empty.path.exists()


def test_a_refused_text_has_its_receipt(empty: Desk) -> None:
    """It is the receipt that a record of a file would get."""
    result = empty.run("submit", "--text", " ", "--json")
    receipt = json.loads(result.stdout)
    assert (receipt["outcome"], receipt["reason"]["field"], receipt["record_index"]) == (
        "refused",
        "content",
        0,
    )
