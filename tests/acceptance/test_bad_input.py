"""Bad input: each fault is refused with its field, nothing of it is stored, and its neighbours are."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from arbiter.interchange.receipts import receipt_json
from arbiter.scan import scan
from tests.acceptance.bench import Bench, bench, outcomes
from tests.acceptance.field_cases import told
from tests.scanning import read_lines

GOOD = told("Ana lives in Porto.", "2026-03-02")
AFTER = told("Ben likes green tea.", "2026-03-03")


def with_source(**fields: Any) -> dict[str, Any]:
    """Return the good record with other fields of its source."""
    return {**GOOD, "source": {**GOOD["source"], **fields}}


def deep(levels: int) -> dict[str, Any]:
    """Return objects within objects."""
    value: dict[str, Any] = {}
    for _ in range(levels):
        value = {"x": value}
    return value


FAULTS: dict[str, tuple[object, str | None, str]] = {
    # What it is: the record, the field to blame, and words of the message.
    "no content": ({name: GOOD[name] for name in ("source", "observed_at")}, "content", "required"),
    "empty content": ({**GOOD, "content": ""}, "content", "at least 1 character"),
    "blank content": ({**GOOD, "content": " \n\t\u3000"}, "content", "blank"),
    "content without a word": ({**GOOD, "content": "?! \N{THUMBS UP SIGN}"}, "content", "makes no claim"),
    "over-long content": ({**GOOD, "content": "x" * 8_001}, "content", "8000 characters"),
    "NUL in content": ({**GOOD, "content": "Ana\x00"}, "content", "NUL"),
    "lone surrogate in content": ({**GOOD, "content": "Ana \ud800"}, "content", "string"),
    "content of another type": ({**GOOD, "content": 5}, "content", "string"),
    "content null": ({**GOOD, "content": None}, "content", "string"),
    "no source": ({name: GOOD[name] for name in ("content", "observed_at")}, "source", "required"),
    "source as text": ({**GOOD, "source": "chat:1"}, "source", "should be an object"),
    "unknown kind of source": (with_source(kind="rumour"), "source.kind", "'user_stated'"),
    "empty source id": (with_source(id=""), "source.id", "at least 1 character"),
    "blank reference": (with_source(ref=" "), "source.ref", "blank"),
    "unknown field of the source": (with_source(name="Chat"), "source.name", "no such field"),
    "no time": ({name: GOOD[name] for name in ("content", "source")}, "observed_at", "required"),
    "time ahead": ({**GOOD, "observed_at": "2027-01-03T00:00:00Z"}, "observed_at", "future"),
    "time without a zone": ({**GOOD, "observed_at": "2026-03-02T09:00:00"}, "observed_at", "timezone"),
    "date without a zone": ({**GOOD, "observed_at": "2026-03-02"}, "observed_at", "timezone"),
    "no such day": ({**GOOD, "observed_at": "2026-02-30T09:00:00Z"}, "observed_at", "day value"),
    "time in words": ({**GOOD, "observed_at": "yesterday"}, "observed_at", "datetime"),
    "time as a number": ({**GOOD, "observed_at": 1_772_442_000}, "observed_at", "ISO 8601"),
    "time as a number in quotes": ({**GOOD, "observed_at": "1772442000"}, "observed_at", "ISO 8601"),
    "time beyond the last year": ({**GOOD, "observed_at": "9999-12-31T23:59:59-14:00"}, "observed_at", ""),
    "time before the first year": ({**GOOD, "observed_at": "0001-01-01T00:00:00+14:00"}, "observed_at", ""),
    "end before its beginning": (
        {**GOOD, "valid_from": "2026-02-01T00:00:00Z", "valid_to": "2026-01-01T00:00:00Z"},
        "valid_to",
        "before valid_from",
    ),
    "NaN confidence": ({**GOOD, "confidence": float("nan")}, "confidence", "finite"),
    "infinite confidence": ({**GOOD, "confidence": float("inf")}, "confidence", "finite"),
    "confidence above one": ({**GOOD, "confidence": 1.5}, "confidence", "less than or equal to 1"),
    "negative confidence": ({**GOOD, "confidence": -0.1}, "confidence", "greater than or equal to 0"),
    "confidence in words": ({**GOOD, "confidence": "high"}, "confidence", "number"),
    "confidence in quotes": ({**GOOD, "confidence": "0.9"}, "confidence", "number"),
    "confidence true": ({**GOOD, "confidence": True}, "confidence", "number"),
    "subject of another type": ({**GOOD, "subject": 5}, "subject", "string"),
    "over-long subject": ({**GOOD, "subject": "x" * 501}, "subject", "500 characters"),
    "NUL in a claim key": ({**GOOD, "claim_key": "user.\x00"}, "claim_key", "NUL"),
    "unknown mutability": ({**GOOD, "mutability": "sometimes"}, "mutability", "'immutable'"),
    "unknown stakes": ({**GOOD, "stakes": "low"}, "stakes", "'normal'"),
    "unknown explicitness": ({**GOOD, "explicitness": "said"}, "explicitness", "'stated'"),
    "tags as text": ({**GOOD, "tags": "travel"}, "tags", "should be a list"),
    "too many tags": ({**GOOD, "tags": ["x"] * 65}, "tags", "64 items"),
    "NUL in a tag": ({**GOOD, "tags": ["home", "a\x00"]}, "tags.1", "NUL"),
    "blank tag": ({**GOOD, "tags": [" "]}, "tags.0", "blank"),
    "metadata as a list": ({**GOOD, "metadata": [1]}, "metadata", "should be an object"),
    "NaN in metadata": ({**GOOD, "metadata": {"x": float("nan")}}, "metadata", "plain JSON"),
    "too much metadata": ({**GOOD, "metadata": {"x": "y" * 17_000}}, "metadata", "16,000"),
    "deep metadata": ({**GOOD, "metadata": deep(100_000)}, "metadata", "plain JSON"),
    "NUL in metadata": ({**GOOD, "metadata": {"x": "\x00"}}, "metadata", "NUL"),
    "lone surrogate in metadata": ({**GOOD, "metadata": {"x": "\ud800"}}, "metadata", "surrogate"),
    "unknown field": ({**GOOD, "colour": "red"}, "colour", "no such field"),
    "unknown field without a name": ({**GOOD, "": "red"}, "''", "'': no such field"),
    "unknown field that is no text": ({**GOOD, "\ud800": "red"}, "\\ud800", "\\ud800: no such field"),
    "unknown field of any length": ({**GOOD, "x" * 9_000: 1}, "x" * 200 + "…", "…: no such field"),
    "misspelt field": (
        {("sorce" if name == "source" else name): value for name, value in GOOD.items()},
        "source",
        "source: Field required; sorce: no such field; did you mean source?",
    ),
    "a list in place of a record": ([GOOD], None, "JSON object"),
    "null in place of a record": (None, None, "JSON object"),
}


@pytest.fixture(scope="module")
def on(_kept_in: None) -> Iterator[Bench]:
    """Return one store for all faults; each takes a namespace of its own."""
    with bench(judge="none") as opened:
        yield opened


@pytest.mark.parametrize("name", FAULTS)
def test_fault(name: str, on: Bench) -> None:
    """The receipt names the field, and of the batch all but the bad record is stored."""
    bad, field, words = FAULTS[name]
    if isinstance(bad, dict):
        bad = {**bad, "namespace": name}
    good, after = ({**record, "namespace": name} for record in (GOOD, AFTER))
    receipts = on.arbiter.submit([good, bad, after])  # type: ignore[list-item]  # that is the point
    assert outcomes(receipts) == ["stored", "refused", "stored"]
    refused = receipts[1]
    assert (refused.record_index, refused.stored, refused.fact_id, refused.state) == (1, False, None, None)
    assert refused.reason is not None
    assert (refused.reason.code, refused.reason.field) == ("invalid_record", field)
    assert words in refused.reason.message
    assert on.states(name) == {GOOD["content"]: "active", AFTER["content"]: "active"}


@pytest.mark.parametrize("namespace", ["", " ", 5, None, "x" * 501, "\ud800"])
def test_a_bad_namespace_is_no_place(namespace: object, on: Bench) -> None:
    """The record is refused, its receipt can be written out like any other, and no namespace appears."""
    known = on.arbiter.context.store.namespaces()
    (receipt,) = on.arbiter.submit([{**GOOD, "namespace": namespace}])
    assert receipt.reason is not None
    assert (receipt.outcome, receipt.reason.field) == ("refused", "namespace")
    assert json.dumps(receipt_json(receipt), ensure_ascii=False).encode()
    assert on.arbiter.context.store.namespaces() == known


def test_lines_that_are_no_records_leave_the_others_alone(on: Bench, tmp_path: Path) -> None:
    """Repeated keys, depth, half a JSON, other values, bad bytes: each line is answered with its reason."""
    good, after = ({**record, "namespace": "lines"} for record in (GOOD, AFTER))
    twice = json.dumps(good).replace('{"content"', '{"content": "Ana lives in Faro.", "content"', 1)
    lines = [
        json.dumps(good),
        twice,
        json.dumps({**good, "metadata": 0}).replace(
            '"metadata": 0', '"metadata": ' + '{"x":' * 100_000 + "0" + "}" * 100_000
        ),
        json.dumps(good)[:40],
        "[1, 2]",
        json.dumps(good).replace("Porto", "\\ud800"),
        json.dumps({**good, "namespace": "x"}).replace('"x"', '"\\ud800"'),
        json.dumps(after),
    ]
    path = tmp_path / "lines.jsonl"
    path.write_bytes("\n".join(lines).encode() + b'\n{"content": "\xff"}\n')
    summary = scan(on.arbiter, [path], tmp_path / "out")
    answers = [
        (answer["outcome"], answer["reason"] and (answer["reason"]["code"], answer["reason"]["field"]))
        for answer in read_lines(tmp_path / "out" / "receipts.jsonl")
    ]
    assert answers == [
        ("stored", None),
        ("refused", ("repeated_key", "content")),
        ("refused", ("too_deep", None)),
        ("refused", ("not_json", None)),
        ("refused", ("invalid_record", None)),
        ("refused", ("invalid_record", "content")),
        ("refused", ("invalid_record", "namespace")),
        ("stored", None),
        ("refused", ("not_utf8", None)),
    ]
    assert (summary.records, summary.stored, sum(summary.not_stored.values())) == (9, 2, 7)
    assert on.states("lines") == {GOOD["content"]: "active", AFTER["content"]: "active"}


def test_a_huge_batch_is_answered_record_by_record(on: Bench) -> None:
    """Five thousand records with one fault: 5,001 receipts in their order."""
    good = {**GOOD, "namespace": "huge"}
    receipts = on.arbiter.submit([*[good] * 2_500, {**good, "confidence": 2}, *[good] * 2_500])
    found = outcomes(receipts)
    assert (len(found), found[0], found[2_500]) == (5_001, "stored", "refused")
    assert found.count("unchanged") == 4_999
    assert [receipt.record_index for receipt in receipts] == list(range(5_001))
    (view,) = on.arbiter.facts(namespace="huge")
    assert view.fact.seen_count == 5_000
