"""Files of labelled pairs as a whole: what is read, what is left out, and every fault at once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from arbiter.errors import ConfigurationError
from arbiter.interchange.review_csv import csv_lines
from arbiter.interchange.review_rows import COLUMNS
from arbiter.training.pair_file import read_pair_file, read_pair_files
from tests.unit.training.tiny import row, written

EXPORTED = {
    "review_id": "rev_1",
    "a_content": "Rent is 900.",
    "a_source": "user_stated chat:1; third_party crm",
    "a_observed_at": "2026-01-01T00:00:00Z",
    "b_content": "Rent is 950.",
    "b_source": "third_party mail",
    "b_observed_at": "2026-02-01T00:00:00Z",
    "relation": "update",
    "current": "b",
    "ruling": "keep_b",
}


def test_what_is_left_out_is_counted_by_its_reason(tmp_path: Path) -> None:
    """Rows are counted, whatever they make, and the sentence about them names every reason."""
    rulings = ("keep_b", "", "", "neither", "keep_a")
    found = read_pair_file(
        written(tmp_path / "export.jsonl", [EXPORTED | {"ruling": ruling} for ruling in rulings])
    )
    assert found.told == (
        "export.jsonl: 5 rows read, 1 labelled pairs; 4 left out: "
        "1 ruled keep_a of an update to B, which does not say how the sides relate, "
        "1 ruled neither of an update to B, which does not say how the sides relate, 2 without a ruling"
    )
    (pair,) = found.pairs
    assert (pair.line, pair.id, pair.example.relation) == (1, "rev_1", "update")


def test_an_export_may_say_what_its_sides_are_about(tmp_path: Path) -> None:
    """Subject, claim key and value are read where a row has them; the keyed judge rests on them."""
    keyed = {"a_subject": "flat 3", "a_claim_key": "rent", "a_value": "900", "b_claim_key": ""}
    (pair,) = read_pair_file(written(tmp_path / "e.jsonl", [EXPORTED | keyed])).pairs
    a, b = pair.example.pair.a, pair.example.pair.b
    assert (a.subject, a.claim_key, a.value) == ("flat 3", "rent", "900")
    assert (b.subject, b.claim_key, b.value) == (None, None, None)


def test_a_stream_makes_many_pairs_of_one_row(tmp_path: Path) -> None:
    """Its pairs stand on its line."""
    record = {"source": "user_stated", "observed_at": "2026-01-01T00:00:00Z", "topic": "t"}
    records = [record | {"rid": f"r{n}", "content": f"Statement {n}."} for n in range(3)]
    found = read_pair_file(written(tmp_path / "s.jsonl", [{"id": "s1", "records": records, "relations": []}]))
    assert [(pair.line, pair.example.relation) for pair in found.pairs] == [(1, "complementary")] * 3
    assert found.rows == 1


GOOD = row("A a.", "B b.", "unrelated")
FAULTS: dict[str, tuple[Any, str]] = {
    "label": (GOOD | {"label": "dup"}, "label: 'dup' is none of duplicate, update, contradiction,"),
    "no label": ({"a": GOOD["a"], "b": GOOD["b"]}, "label: is missing; it is one of duplicate, update,"),
    "label of another kind": (GOOD | {"label": ["update"]}, r"label: \['update'\] is none of duplicate,"),
    "current": (GOOD | {"current": "c"}, "current: 'c' is no side of the pair, a or b"),
    "stakes": (GOOD | {"stakes": "huge"}, "stakes: 'huge' is none of normal, high"),
    "no record": (GOOD | {"b": None}, "b: is missing"),
    "text for a record": (GOOD | {"b": "B b."}, "b: is no record, a JSON object"),
    "no text": (GOOD | {"a": GOOD["a"] | {"content": 3}}, "a.content: 3 is no text"),
    "source": (GOOD | {"a": GOOD["a"] | {"source": "me"}}, "a.source: 'me' is none of user_stated,"),
    "time": (GOOD | {"a": GOOD["a"] | {"observed_at": "May"}}, "a.observed_at: 'May' is no time, such as"),
    "ruling": (EXPORTED | {"ruling": "perhaps"}, "ruling: 'perhaps' is none of keep_a, keep_b,"),
    "relabel": (EXPORTED | {"ruling": "relabel"}, "relabel: is missing; it is one of duplicate,"),
    "exported source": (EXPORTED | {"a_source": ""}, "a.source: is missing; it is one of user_stated,"),
    "a list": ([], "it is not a JSON object"),
    "a stream": ({"records": 3}, "it is not a stream of records"),
    "a stream without relations": (
        {"id": "s", "records": []},
        "it is not a stream of records: it lacks relations",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_names_the_field_and_what_it_may_be(tmp_path: Path, fault: str) -> None:
    """In words, with the line, and without the name of any class."""
    value, told = FAULTS[fault]
    path = tmp_path / "pairs.jsonl"
    path.write_text(f"{json.dumps(GOOD)}\n{json.dumps(value)}\n", encoding="utf-8")
    with pytest.raises(ConfigurationError, match=f"^pairs.jsonl:2 is not a labelled pair: {told}") as caught:
        read_pair_file(path)
    assert "Error" not in caught.value.message


def test_all_faults_are_told_at_once(tmp_path: Path) -> None:
    """Five of them, and how many there are."""
    path = tmp_path / "pairs.jsonl"
    path.write_text("{\n" * 6 + json.dumps(GOOD), encoding="utf-8")
    with pytest.raises(ConfigurationError) as caught:
        read_pair_file(path)
    told = caught.value.message.splitlines()
    assert [line.partition(" it is not JSON")[0] for line in told[:5]] == [
        f"pairs.jsonl:{number} is not a labelled pair:" for number in range(1, 6)
    ]
    assert told[5:] == ["6 lines are at fault; these are the first 5"]


def test_a_line_ends_where_json_says(tmp_path: Path) -> None:
    """A separator of lines within a statement, and a mark at the beginning of a file, are no fault."""
    path = tmp_path / "pairs.jsonl"
    text = json.dumps(row("One\u2028two.", "B b.", "unrelated"), ensure_ascii=False)
    path.write_text(f"\ufeff{text}\r\n", encoding="utf-8")
    (pair,) = read_pair_file(path).pairs
    assert pair.example.pair.a.content == "One\u2028two."


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("e.csv", b"colour,size\nred,1\n", "e.csv: the file lacks the column"),
        ("e.csv", b"review_id\n\xff\n", "e.csv is not UTF-8; save it as CSV UTF-8"),
        ("e.jsonl", b"\xff", "e.jsonl is not UTF-8"),
        ("e.jsonl", None, "e.jsonl cannot be read"),
    ],
)
def test_a_file_that_is_none_is_refused(tmp_path: Path, name: str, content: bytes | None, told: str) -> None:
    """The message names it."""
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ConfigurationError, match=told):
        read_pair_file(path)


def test_a_table_is_read_like_lines(tmp_path: Path) -> None:
    """A filled-in CSV, in the words of people."""
    path = tmp_path / "export.csv"
    rows = [dict.fromkeys(COLUMNS) | EXPORTED | {"ruling": "Keep B"}]
    path.write_text("".join(csv_lines(rows)), encoding="utf-8")
    (pair,) = read_pair_file(path).pairs
    assert (pair.line, pair.example.current) == (2, "b")


def test_one_file_of_several_may_be_empty(tmp_path: Path) -> None:
    """What was left out is told of each; only if no file has a pair there is nothing to go on with."""
    none = written(tmp_path / "none.jsonl", [EXPORTED | {"ruling": ""}])
    some = written(tmp_path / "some.jsonl", [GOOD])
    heard: list[str] = []
    assert [len(file.pairs) for file in read_pair_files([none, some], heard.append)] == [0, 1]
    assert heard == ["none.jsonl: 1 rows read, 0 labelled pairs; 1 left out: 1 without a ruling"]
    with pytest.raises(ConfigurationError, match=r"no row is labelled.*none\.jsonl.*; none\.jsonl"):
        read_pair_files([none, none], heard.append)
