"""Rows of labelled pairs: our format, and what is told of rows that are none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from arbiter.domain.vocabulary import Mutability, Relation, SourceKind, Stakes, UpdateKind
from arbiter.errors import ConfigurationError
from evals.pair_rows import read_pairs
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


def test_a_ruled_export_is_read(tmp_path: Path) -> None:
    """Rows with a ruling that says a relation; the others are left out."""
    line = {
        "a_content": "Ana has a dog.",
        "b_content": "Ana has a beagle.",
        "a_source": "user_stated chat:1",
        "b_source": "user_stated chat:2",
        "a_observed_at": "2026-01-01T09:00:00+00:00",
        "b_observed_at": "2026-02-01T09:00:00+00:00",
        "relation": "update",
    }
    rows = [line | {"ruling": "keep_b"}, line | {"ruling": ""}]
    (pair,) = read_pairs(write_pairs(tmp_path / "ruled.jsonl", rows))
    assert (pair.id, pair.example.relation, pair.example.current) == ("ruled-0001", Relation.UPDATE, "b")


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
    "unknown label": (row("A a.", "B b.", "same"), "p.jsonl:1 is not a labelled pair"),
    "update without a side": (row("A a.", "B b.", "update") | {"current": None}, "current"),
    "no such side": (row("A a.", "B b.", "update") | {"current": "c"}, "'c'"),
    "no text": (row("", "B b.", "unrelated"), "content"),
    "no record": ({"a": {"content": "A."}, "b": {}, "label": "unrelated"}, "'source'"),
    "no object": ([1], "p.jsonl:1 is not a JSON object"),
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
    [("{", "p.jsonl:1 is not JSON"), ("\n", "p.jsonl holds no pairs"), (None, "cannot be read")],
)
def test_a_file_that_is_none(tmp_path: Path, content: str | None, message: str) -> None:
    """Broken, empty and missing files are refused."""
    path = tmp_path / "p.jsonl"
    if content is not None:
        path.write_text(content, encoding="utf-8")
    with pytest.raises(ConfigurationError, match=message):
        read_pairs(path)
