"""POST /v1/records: a receipt for every record, whatever became of it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.unit.web.conftest import Room, told


def counts(body: dict[str, Any]) -> tuple[int, int, int, int, bool]:
    """Return what a batch says about itself."""
    return (body["records"], body["stored"], body["refused"], body["deferred"], body["partial"])


def test_a_batch_is_answered_record_by_record(room: Room) -> None:
    """The older statement is superseded by the later one, and both receipts say so."""
    answer = room.submit(room.record("Ana lives in Lisbon."), room.record("Ana moved to Porto.", day=2))
    assert answer.status_code == 200
    body = answer.json()
    lisbon, porto = body["receipts"]
    assert counts(body) == (2, 2, 0, 0, False)
    assert [(r["record_index"], r["outcome"], r["state"]) for r in body["receipts"]] == [
        (0, "stored", "superseded"),
        (1, "stored", "active"),
    ]
    assert porto["supersedes"] == [lisbon["fact_id"]]
    assert lisbon["relations"][0]["current"] == "other"
    assert lisbon["namespace"] == room.namespace


def test_the_same_again_changes_nothing(room: Room) -> None:
    """A batch that was sent before is counted, not stored."""
    record = room.record("Ana lives in Lisbon.")
    first, again = room.submit(record).json(), room.submit(record).json()
    assert [first["receipts"][0]["outcome"], again["receipts"][0]["outcome"]] == ["stored", "unchanged"]
    assert first["receipts"][0]["fact_id"] == again["receipts"][0]["fact_id"]
    (fact,) = room.get("/facts").json()["facts"]
    assert fact["seen_count"] == 2


def test_one_bad_record_harms_no_other(room: Room) -> None:
    """It is refused with its field and the status says that the batch was taken in part."""
    good, bad = room.record("Ana lives in Lisbon."), room.record("Ana likes tea.", colour="red")
    answer = room.submit(bad, good)
    assert answer.status_code == 207
    refused, stored = answer.json()["receipts"]
    assert counts(answer.json()) == (2, 1, 1, 0, True)
    assert (refused["outcome"], refused["reason"]["code"]) == ("refused", "invalid_record")
    assert (refused["reason"]["field"], refused["namespace"]) == ("colour", room.namespace)
    assert stored["outcome"] == "stored"


def test_where_every_record_is_refused_the_answer_is_a_problem(room: Room) -> None:
    """It names the first fault and still holds all receipts."""
    answer = room.submit(room.record(""), room.record("Ana likes tea.", confidence=2))
    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/problem+json"
    problem = answer.json()
    assert (problem["code"], problem["field"]) == ("invalid_record", "records.0.content")
    assert [receipt["reason"]["field"] for receipt in problem["receipts"]] == ["content", "confidence"]
    assert room.get("/facts", state="all").json()["facts"] == []


def test_a_repeated_key_spoils_its_record_only(room: Room) -> None:
    """``json`` would keep the last value without a word."""
    good = json.dumps(room.record("Ana lives in Lisbon."))
    twice = good.replace('{"content"', '{"content": "Ana lives in Faro.", "content"', 1)
    answer = room.client.post(
        "/v1/records",
        content=f'{{"records": [{twice}, {good}]}}',
        headers={"Content-Type": "application/json"},
    )
    refused, stored = answer.json()["receipts"]
    assert (refused["reason"]["code"], refused["reason"]["field"]) == ("repeated_key", "content")
    assert (answer.status_code, stored["outcome"]) == (207, "stored")


@pytest.mark.parametrize(
    ("item", "field"),
    [
        (None, "records.0"),
        (["x"], "records.0"),
        ({**told("Ana \ud800"), "namespace": "odd"}, "records.0.content"),
        ({**told("Ana\x00"), "namespace": "odd"}, "records.0.content"),
        ({"\ud800": 1}, "records.0.\\ud800"),
        ({**told("Ana lives here."), "namespace": "\ud800"}, "records.0.namespace"),
        ({**told("Ana lives here."), "metadata": {"x": float("nan")}}, "records.0.metadata"),
    ],
)
def test_what_is_no_record_is_refused(item: object, field: str, room: Room) -> None:
    """NUL, lone surrogates, NaN and other values come back as a clear 422 that can be written down."""
    answer = room.client.post(
        "/v1/records", content=json.dumps({"records": [item]}), headers={"Content-Type": "application/json"}
    )
    assert (answer.status_code, answer.json()["field"]) == (422, field)


def test_a_batch_has_a_limit(room: Room) -> None:
    """More records than allowed are too many as a whole: nothing of them is taken."""
    answer = room.submit(*[room.record("Ana lives in Lisbon.")] * 1001)
    assert (answer.status_code, answer.json()["code"], answer.json()["field"]) == (
        413,
        "too_large",
        "records",
    )
    assert room.get("/facts").json()["facts"] == []


def test_a_receipt_can_be_read_again(room: Room) -> None:
    """It is the same, to the last key."""
    (receipt,) = room.submit(room.record("Ana lives in Lisbon.")).json()["receipts"]
    again = room.get(f"/receipts/{receipt['receipt_id']}").json()
    assert (again.pop("now")["outcome"], again) == (receipt["outcome"], receipt)
    other = room.client.get(f"/v1/receipts/{receipt['receipt_id']}")
    assert (other.status_code, other.json()["code"]) == (404, "not_found")
