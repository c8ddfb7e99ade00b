"""``arbiter classify``."""

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
SAME = {**RECORD, "content": "user lives in  LISBON"}
VERDICT_KEYS = {
    "id",
    "relation",
    "confidence",
    "probabilities",
    "current",
    "update_kind",
    "stale_risk",
    "attribute",
    "mutability",
    "stakes",
    "judge",
    "reason",
    "guards",
    "unjudged",
}


def classify(desk: Desk, *lines: object, arguments: tuple[str, ...] = ()) -> tuple[int, list[Any]]:
    """Classify lines of standard input; return the exit status and what was printed."""
    text = "".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines)
    result = desk.run("classify", "-", *arguments, stdin=text)
    return result.exit_code, [json.loads(line) for line in result.stdout.splitlines()]


def test_a_pair_has_a_verdict(empty: Desk) -> None:
    """The same words in other letters are a duplicate; every verdict has every key; no store is made."""
    status, (found,) = classify(empty, {"id": "p1", "a": RECORD, "b": SAME})
    assert (status, found["id"], found["relation"], found["confidence"]) == (0, "p1", "duplicate", 1.0)
    assert set(found) == VERDICT_KEYS
    assert not empty.path.exists()


def test_what_no_judge_can_tell_is_no_label(empty: Desk) -> None:
    """Without a model there is no relation, and the reason says so; that is no error."""
    other = {**RECORD, "content": "The harbour is closed on Sundays."}
    status, (found,) = classify(empty, {"id": 7, "a": RECORD, "b": other})
    assert (status, found["id"], found["relation"], found["confidence"]) == (0, 7, None, None)
    assert set(found["unjudged"]) == {"code", "message", "retryable"}
    assert set(found) == VERDICT_KEYS


@pytest.mark.parametrize(
    ("line", "field", "message"),
    [
        ("{", None, "not JSON"),
        ([1], None, 'a pair is a JSON object {"id", "a", "b"}'),
        ({"id": "p", "a": RECORD}, "b", "b: Field required"),
        ({"id": "p", "a": RECORD, "b": RECORD, "c": 1}, "c", "c: no such field"),
        ({"id": "p", "a": RECORD, "b": {**RECORD, "content": " "}}, "b.content", "b: content: is blank"),
        (
            {"id": "p", "a": {**RECORD, "observed_at": "2026-01-01"}, "b": RECORD},
            "a.observed_at",
            "a: observed_at",
        ),
    ],
)
def test_a_bad_pair_harms_no_other(empty: Desk, line: object, field: str | None, message: str) -> None:
    """It has a line with its error in its place, the others have their verdicts, and the exit status is 1."""
    good = {"id": "good", "a": RECORD, "b": SAME}
    status, (first, second, third) = classify(empty, good, line, good)
    assert status == 1
    assert [first["relation"], third["relation"]] == ["duplicate", "duplicate"]
    assert (second["line"], second["error"]["code"], second["error"]["field"]) == (2, "invalid_record", field)
    assert message in second["error"]["message"]


def test_labels_are_not_looked_at(empty: Desk) -> None:
    """A file of labelled pairs is judged as it is; a field that is no label is still a slip."""
    labels = {"label": "unrelated", "current": "b", "update_kind": None, "stakes": "high", "group": "g"}
    pair = {"id": "p", "a": RECORD, "b": SAME}
    status, found = classify(empty, {**pair, **labels, "phenomenon": "paraphrase"}, {**pair, "lable": "x"})
    assert (status, found[0]["relation"], found[0]["stakes"]) == (1, "duplicate", None)
    assert found[1]["error"]["message"] == "lable: no such field"


@pytest.mark.parametrize("option", [("--a-at", "2026-01-01T09:00:00Z"), ("--b-kind", "third_party")])
def test_options_of_typed_texts_do_nothing_for_a_file(empty: Desk, option: tuple[str, str]) -> None:
    """They are refused, not ignored."""
    result = empty.run("classify", "-", *option)
    assert result.exit_code == 2
    assert f"{option[0]} goes with --a and --b" in result.stderr


def test_plain_texts_make_a_pair(empty: Desk) -> None:
    """Two texts stand for records; the first one is the earlier unless told otherwise."""
    (found,) = empty.json("classify", "--a", "Ana lives in Porto.", "--b", "ana lives in Porto")
    assert (found["relation"], found["id"]) == ("duplicate", None)
    result = empty.run(
        "classify", "--a", "x", "--b", "y", "--a-at", "2026-01-01T09:00:00", "--a-kind", "third_party"
    )
    assert result.exit_code == 2
    assert "has no zone" in result.stderr


@pytest.mark.parametrize(
    "arguments", [[], ["--a", "x"], ["--b", "x"], ["-", "--a", "x", "--b", "y"], ["-", "--a", "x"]]
)
def test_a_file_or_two_texts(empty: Desk, arguments: list[str]) -> None:
    """Anything between is a usage error."""
    result = empty.run("classify", *arguments)
    assert result.exit_code == 2
    assert "Give either FILE, or both --a and --b." in result.stderr


def test_a_file_that_is_not_there(empty: Desk, tmp_path: Path) -> None:
    """The message names it."""
    result = empty.run("classify", str(tmp_path / "none.jsonl"))
    assert (result.exit_code, result.stdout) == (2, "")
    assert "none.jsonl cannot be read: No such file or directory" in result.stderr


def test_many_pairs_keep_their_order(empty: Desk) -> None:
    """Pairs are judged in batches; the answers stand in the order of the pairs."""
    status, found = classify(empty, *({"id": str(n), "a": RECORD, "b": SAME} for n in range(150)))
    assert status == 0
    assert [answer["id"] for answer in found] == [str(n) for n in range(150)]
