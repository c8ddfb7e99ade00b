"""Streams of records as training data: every pair of their records has a label."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from arbiter.errors import ConfigurationError
from arbiter.training.read_pairs import read_examples
from tests.unit.training.tiny import written


def said(rid: str, content: str, day: int, topic: str) -> dict[str, Any]:
    """Return one record of a stream."""
    at = f"2026-01-{day:02}T09:00:00Z"
    return {"rid": rid, "content": content, "observed_at": at, "source": "user_stated", "topic": topic}


STREAM = {
    "id": "s-1",
    "records": [
        said("r1", "I live in Lima.", 1, "home"),
        said("r2", "My flat has two rooms.", 2, "home"),
        said("r3", "I play the oboe.", 3, "music"),
        said("r4", "I moved to Cusco.", 4, "home"),
    ],
    "relations": [
        {"a": "r1", "b": "r4", "label": "update", "current": "b", "update_kind": "state_change"},
        {"a": "r4", "b": "r2", "label": "complementary", "stale_risk": "b"},
    ],
}


def test_every_pair_of_a_stream_is_an_example(tmp_path: Path) -> None:
    """Listed pairs have their label; the rest is complementary within a topic and unrelated across."""
    found = read_examples(written(tmp_path / "streams.jsonl", [STREAM]))
    assert {(e.pair.a.content, e.pair.b.content): (e.relation, e.current, e.stale_risk) for e in found} == {
        ("I live in Lima.", "My flat has two rooms."): ("complementary", None, None),
        ("I live in Lima.", "I play the oboe."): ("unrelated", None, None),
        ("I live in Lima.", "I moved to Cusco."): ("update", "b", None),
        ("My flat has two rooms.", "I play the oboe."): ("unrelated", None, None),
        ("My flat has two rooms.", "I moved to Cusco."): ("complementary", None, "a"),
        ("I play the oboe.", "I moved to Cusco."): ("unrelated", None, None),
    }
    assert {e.anchor for e in found} == {"s-1/r2", "s-1/r3", "s-1/r4"}


@pytest.mark.parametrize(
    "broken", [{"relations": [{"a": "r1", "b": "r9", "label": "update"}]}, {"relations": 1}]
)
def test_a_relation_between_unknown_records_is_refused(tmp_path: Path, broken: dict[str, Any]) -> None:
    """The line is named."""
    path = written(tmp_path / "streams.jsonl", [STREAM, STREAM | broken])
    with pytest.raises(ConfigurationError, match=r"streams\.jsonl:2 .* not a stream of records"):
        read_examples(path)
