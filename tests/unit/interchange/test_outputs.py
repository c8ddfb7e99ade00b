"""Files that a scan leaves: whole or not at all, and readable by others."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from arbiter.domain.outcomes import ReviewItem
from arbiter.interchange.outputs import ALL, json_line, opened, prepare, replacing, review_line, write_reviews
from tests.factories import make_fact, verdict

A = make_fact("The door is red.", subject="door", namespace="house")
B = make_fact("The door is blue.", at=1, subject="door", namespace="house")
ITEM = ReviewItem(A.id, B.id, "conflict", "conflict-open", "Which one holds?", 52, A.digest, B.digest)


def test_a_file_appears_when_it_is_whole(tmp_path: Path) -> None:
    """Until the block ends well the old content stands, afterwards the new one, with nothing beside it."""
    path = tmp_path / "facts.jsonl"
    path.write_text("old")
    with replacing(path) as stream:
        stream.write("new")
        assert path.read_text() == "old"
    assert path.read_text() == "new"
    with pytest.raises(UnicodeError), replacing(path) as stream:
        stream.write("half" + b"\xff".decode())
    assert path.read_text() == "new"
    assert [p.name for p in tmp_path.iterdir()] == ["facts.jsonl"]


def test_prepare_removes_only_what_is_ours(tmp_path: Path) -> None:
    """The files of an earlier scan go, everything else in the folder stays; a missing folder is made."""
    for name in (*ALL, "notes.txt"):
        (tmp_path / name).write_text("x")
    prepare(tmp_path)
    assert [p.name for p in tmp_path.iterdir()] == ["notes.txt"]
    prepare(tmp_path / "deep" / "er")
    assert list((tmp_path / "deep" / "er").iterdir()) == []


def test_lines_are_json_whatever_the_text(tmp_path: Path) -> None:
    """A line break, another script, and even a lone surrogate come back as they were."""
    value = {"text": "a\nb\u2028c\u2029\x85\x1c, 東京, \ud800"}
    with opened(tmp_path / "x.jsonl") as stream:
        stream.write(json_line(value))
        stream.write(json_line({"n": 1}))
    raw = (tmp_path / "x.jsonl").read_bytes()
    assert "東京".encode() in raw
    assert len(raw.decode().splitlines()) == 2
    assert [json.loads(line) for line in raw.removesuffix(b"\n").split(b"\n")] == [value, {"n": 1}]


def test_numbers_that_json_lacks_are_no_lines() -> None:
    """NaN would make a file that other readers refuse."""
    with pytest.raises(ValueError, match="not JSON compliant"):
        json_line({"n": float("nan")})


def test_a_question_is_a_row_to_fill_in(tmp_path: Path) -> None:
    """The line has the row of an export with the namespace before it, and empty columns for the reviewer."""
    row = json.loads(review_line(ITEM, A, B, verdict("update", kind="correction", current="b")))
    assert (row["namespace"], row["review_id"], row["priority"]) == ("house", ITEM.id, 52)
    assert (row["a_content"], row["a_digest"], row["b_id"]) == (A.content, A.digest, B.id)
    assert (row["current"], row["update_kind"], row["stale_risk"]) == ("b", "correction", None)
    assert {row[name] for name in ("ruling", "relabel", "reviewer", "reason")} == {""}
    with opened(tmp_path / "review.jsonl") as stream:
        assert write_reviews([(ITEM, A, B, None)] * 3, stream) == 3
    with opened(tmp_path / "none.jsonl") as stream:
        assert write_reviews([], stream) == 0
    assert (tmp_path / "review.jsonl").read_text("utf-8").count(f'"{ITEM.id}"') == 3
