"""Rows of labelled pairs: our format, and what is told of rows that are none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from arbiter.domain.vocabulary import Mutability, Relation, SourceKind, Stakes, UpdateKind
from arbiter.errors import ConfigurationError
from arbiter.interchange.review_csv import csv_lines
from arbiter.interchange.review_rows import COLUMNS
from evals.pair_rows import read_pair_rows, read_pairs
from tests.labelled_pairs import row, write_pairs


def test_a_row_in_full(tmp_path: Path) -> None:
    """Every label and every field of a record is read; what else there is is left alone."""
    told = row(
        "Dana works at Acme.",
        "Dana has joined Globex.",
        "update",
        id="mine-1",
        group="dana",
        update_kind="state_change",
        mutability="mutable",
        stakes="high",
        phenomenon="new_job",
        why="a note",
    )
    told["b"] |= {
        "source": {"id": "crm:7", "kind": "third_party", "ref": "x"},
        "subject": "Dana",
        "claim_key": "job",
    }
    (pair,) = read_pairs(write_pairs(tmp_path / "p.jsonl", [told]))
    example = pair.example
    assert (pair.id, pair.group) == ("mine-1", "dana")
    assert (example.relation, example.current, example.update_kind) == (
        Relation.UPDATE,
        "b",
        UpdateKind.STATE_CHANGE,
    )
    assert (example.mutability, example.stakes, example.phenomenon) == (
        Mutability.MUTABLE,
        Stakes.HIGH,
        "new_job",
    )
    a, b = example.pair.a, example.pair.b
    assert (a.source.id, a.source.kind) == ("user_stated", SourceKind.USER_STATED)
    assert (b.source.id, b.source.ref, b.subject, b.claim_key) == ("crm:7", "x", "Dana", "job")


def test_a_bare_row_is_named_by_its_place(tmp_path: Path) -> None:
    """Without an id it is known by file and line; rows that share their first side belong together."""
    rows = [row("Ana sings.", other, "unrelated") for other in ("It rains.", "It snows.")]
    rows.append(row("Ben sings.", "It hails.", "unrelated"))
    pairs = read_pairs(write_pairs(tmp_path / "p.jsonl", rows))
    assert [pair.id for pair in pairs] == ["p.jsonl:1", "p.jsonl:2", "p.jsonl:3"]
    assert pairs[0].group == pairs[1].group != pairs[2].group


def test_the_earlier_record_comes_first(tmp_path: Path) -> None:
    """With the sides that labels name; the first side as it was written is what a set shares."""
    told = row("The toll is 9.", "The toll was 5.", "update", at=-400) | {"current": "a"}
    (pair,) = read_pairs(write_pairs(tmp_path / "p.jsonl", [told]))
    assert pair.example.pair.a.content == "The toll was 5."
    assert (pair.example.current, pair.example.anchor) == ("b", "The toll is 9.")


EXPORTED = {
    "a_content": "Ana has a dog.",
    "b_content": "Ana has a beagle.",
    "a_source": "user_stated chat:1",
    "b_source": "user_stated chat:2",
    "a_observed_at": "2026-01-01T09:00:00+00:00",
    "b_observed_at": "2026-02-01T09:00:00+00:00",
    "relation": "update",
    "current": "b",
}


def test_a_ruled_export_is_read(tmp_path: Path) -> None:
    """Rows whose ruling says a relation, by their review; the others are counted by why they are left out."""
    rulings = ("keep_b", "", "neither", "")
    lines = [EXPORTED | {"review_id": f"rev_{n}", "ruling": ruling} for n, ruling in enumerate(rulings)]
    lines.append(EXPORTED | {"review_id": "rev_9", "ruling": "relabel", "relabel": "update"})
    found = read_pair_rows(write_pairs(tmp_path / "ruled.jsonl", lines))
    (pair,) = found.pairs
    assert (pair.id, pair.example.relation, pair.example.current) == ("rev_0", Relation.UPDATE, "b")
    assert found.rows == 5
    assert found.left_out == {
        "without a ruling": 2,
        "ruled neither of an update to B, which does not say how the sides relate": 1,
        "an update of which nobody said which side is current": 1,
    }


def test_a_row_is_named_by_its_place_where_its_review_does_not_tell(tmp_path: Path) -> None:
    """Two exports in one file may hold a review twice, and rows of others may name none."""
    lines = [EXPORTED | {"review_id": name, "ruling": "keep_b"} for name in ("rev_1", "rev_1", "")]
    found = read_pairs(write_pairs(tmp_path / "ruled.jsonl", lines))
    assert [pair.id for pair in found] == ["ruled.jsonl:1", "ruled.jsonl:2", "ruled.jsonl:3"]


def test_a_table_is_read_like_lines(tmp_path: Path) -> None:
    """A filled-in CSV holds the same pairs."""
    lines = [dict.fromkeys(COLUMNS) | EXPORTED | {"review_id": "rev_1", "ruling": "Keep B"}]
    path = tmp_path / "ruled.csv"
    path.write_text("".join(csv_lines(lines)), encoding="utf-8")
    (pair,) = read_pairs(path)
    assert (pair.id, pair.example.relation, pair.example.pair.b.content) == (
        "rev_1",
        "update",
        "Ana has a beagle.",
    )


def test_an_update_that_a_ruling_made_may_lack_its_side(tmp_path: Path) -> None:
    """Rows of --format training have what was ruled; nothing can be held against such an update."""
    ruled = row("A a.", "B b.", "update") | {"current": None, "ruling": "relabel"}
    found = read_pair_rows(write_pairs(tmp_path / "t.jsonl", [ruled, row("A a.", "C c.", "unrelated")]))
    assert (len(found.pairs), found.rows) == (1, 2)
    assert found.left_out == {"an update of which nobody said which side is current": 1}


def test_every_fault_is_told(tmp_path: Path) -> None:
    """The first five lines that are at fault, with the number of all of them."""
    path = write_pairs(tmp_path / "p.jsonl", [row("A a.", "B b.", f"l{n}") for n in range(7)])
    with pytest.raises(ConfigurationError) as caught:
        read_pairs(path)
    lines = caught.value.message.splitlines()
    assert [line.partition(" ")[0] for line in lines[:5]] == [f"p.jsonl:{n}" for n in range(1, 6)]
    assert lines[5:] == ["7 lines are at fault; these are the first 5"]


def test_pairs_of_beam_lie_a_day_apart(tmp_path: Path) -> None:
    """They have no times, so that none may tell the label."""
    rows = [
        {"a": "Spends 1,200.", "b": "Spends 1,400.", "label": "knowledge_update"},
        {"a": "Never ran.", "b": "Ran once.", "label": "contradiction"},
    ]
    pairs = read_pairs(write_pairs(tmp_path / "beam.jsonl", rows))
    assert [pair.example.relation for pair in pairs] == [Relation.UPDATE, Relation.CONTRADICTION]
    assert {(p.example.pair.b.observed_at - p.example.pair.a.observed_at).days for p in pairs} == {1}


FAULTS: dict[str, tuple[Any, str]] = {
    "unknown label": (
        row("A a.", "B b.", "same"),
        "p.jsonl:1 is not a labelled pair: label: 'same' is none of duplicate, update, contradiction, comp",
    ),
    "update without a side": (row("A a.", "B b.", "update") | {"current": None}, "current"),
    "no such side": (row("A a.", "B b.", "update") | {"current": "c"}, "'c'"),
    "no text": (row("", "B b.", "unrelated"), "content"),
    "no record": ({"a": {"content": "A."}, "b": {}, "label": "unrelated"}, "a.source: Field required"),
    "no label": (
        {**row("A a.", "B b.", "update"), "label": None},
        "label: is missing; it is one of duplicate",
    ),
    "no side": ({"label": "unrelated"}, "a: is missing"),
    "no object": ([1], "p.jsonl:1 is not a labelled pair: it is not a JSON object"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_names_file_and_line(tmp_path: Path, fault: str) -> None:
    """A line that is no labelled pair is refused, with what is wrong about it."""
    told, message = FAULTS[fault]
    path = tmp_path / "p.jsonl"
    path.write_text(json.dumps(told), encoding="utf-8")
    with pytest.raises(ConfigurationError, match=message):
        read_pairs(path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "p.jsonl:1 is not a labelled pair: it is not JSON"),
        ("\n", "p.jsonl holds no pairs"),
        (None, "cannot be read"),
    ],
)
def test_a_file_that_is_none(tmp_path: Path, content: str | None, message: str) -> None:
    """Broken, empty and missing files are refused."""
    path = tmp_path / "p.jsonl"
    if content is not None:
        path.write_text(content, encoding="utf-8")
    with pytest.raises(ConfigurationError, match=message):
        read_pairs(path)
