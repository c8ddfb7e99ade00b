"""The scenario streams, read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from arbiter.domain.vocabulary import Mutability, Relation, Stakes, UpdateKind
from arbiter.errors import ConfigurationError
from evals.streams import labelled_pairs, load_streams


def test_what_the_suite_holds() -> None:
    """24 scenarios of 691 records, of which 59 only say again what another one said."""
    streams = load_streams()
    assert (len(streams), sum(len(s.records) for s in streams)) == (24, 691)
    assert sum(len(s.replays) for s in streams) == 59
    assert {r.namespace for s in streams for r in s.records.values()} == {s.id for s in streams}
    assert sum(len(s.contested) for s in streams) == sum(len(s.asked) for s in streams) == 40


def stream(path: Path) -> Path:
    """Write one small scenario."""
    told = [
        ("r1", "Ana lives in Porto.", 1),
        ("r2", "Ana moved to Lagos.", 3),
        ("r3", "Ana was born in Faro.", 2),
    ]
    records = [
        {
            "rid": rid,
            "content": content,
            "source": {"id": "chat", "kind": "user_stated"},
            "observed_at": f"2026-01-0{day}T09:00:00Z",
        }
        for rid, content, day in told
    ]
    pairs = [
        {"a": "r2", "b": "r1", "relation": "update", "why": "correction of the town"},
        {"a": "r1", "b": "r3", "relation": "contradiction", "why": "two towns"},
    ]
    expected = {
        "pairs": pairs,
        "replays": [],
        "active": ["r2", "r3"],
        "superseded": {},
        "merged": {},
        "tombstoned": {"r1": "r2"},
        "contested": [["r2", "r3"]],
        "review": [{"pair": ["r1", "r3"], "why": "medicine"}],
    }
    path.write_text(json.dumps({"id": "s1", "records": records, "expected": expected}), encoding="utf-8")
    return path


def test_expected_states(tmp_path: Path) -> None:
    """In a word, with the successor, and whether the record is contested."""
    (told,) = load_streams(stream(tmp_path / "s.jsonl"))
    assert told.expected_state("r1") == ("tombstoned", "r2", False)
    assert told.expected_state("r2") == ("active", None, True)
    assert told.asked == {frozenset({"r1", "r3"})}
    assert not told.replays


def test_labels_come_with_what_their_authors_wrote(tmp_path: Path) -> None:
    """Earlier record first; the kind of an update, mutability and stakes are read from the reasons."""
    corrected, conflict = labelled_pairs(stream(tmp_path / "s.jsonl"))
    assert (corrected.id, corrected.group) == ("s1:r2-r1", "s1")
    assert corrected.example.pair.a.content == "Ana lives in Porto."
    assert (corrected.example.current, corrected.example.update_kind) == ("b", UpdateKind.CORRECTION)
    assert (corrected.example.mutability, corrected.example.stakes) == (Mutability.MUTABLE, Stakes.NORMAL)
    assert (conflict.example.relation, conflict.example.current) == (Relation.CONTRADICTION, None)
    assert (conflict.example.mutability, conflict.example.stakes) == (Mutability.IMMUTABLE, Stakes.HIGH)


@pytest.mark.parametrize(
    ("content", "message"),
    [(None, "cannot be read"), ("{", "s.jsonl:1 is not a stream"), ('{"id": "s1"}', "'records'")],
)
def test_faults_are_named(tmp_path: Path, content: str | None, message: str) -> None:
    """A missing file, and a line that is no scenario."""
    path = tmp_path / "s.jsonl"
    if content is not None:
        path.write_text(content, encoding="utf-8")
    with pytest.raises(ConfigurationError, match=message):
        load_streams(path)
