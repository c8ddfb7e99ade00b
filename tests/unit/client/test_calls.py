"""Calls say what is sent: paths, parameters, bodies, keys."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import httpx
import pytest

from arbiter import Record, Source, SourceKind
from arbiter.client.calls import Call, json_of, key_for, path_to
from arbiter.client.requests import Requests
from arbiter.errors import RequestError, ServiceError

AT = datetime(2026, 1, 1, 9, tzinfo=UTC)
RAW = {"content": "Ana lives in Lisbon."}


def body(call: Call[Any]) -> Any:
    """Return the JSON that a call sends."""
    assert call.content is not None
    return json.loads(call.content)


def test_records_are_taken_as_programs_hold_them() -> None:
    """Mappings with moments in them, and records of the domain; both get the client's namespace."""
    record = Record("Ana lives in Lisbon.", Source("chat:1", SourceKind.USER_STATED), AT)
    call = Requests("crm").submit([{**RAW, "observed_at": AT}, {**RAW, "namespace": "own"}, record])
    assert body(call)["records"] == [
        {"namespace": "crm", **RAW, "observed_at": "2026-01-01T09:00:00+00:00"},
        {"namespace": "own", **RAW},
        {
            "namespace": "crm",
            "content": "Ana lives in Lisbon.",
            "source": {"id": "chat:1", "kind": "user_stated"},
            "observed_at": "2026-01-01T09:00:00+00:00",
            "confidence": 1.0,
            "explicitness": "stated",
        },
    ]


def test_without_a_namespace_the_service_says_which() -> None:
    """None is sent, neither in records nor as a parameter."""
    record = Record("Ana lives in Lisbon.", Source("chat:1", SourceKind.USER_STATED), AT)
    requests = Requests()
    assert "namespace" not in body(requests.submit([record]))["records"][0]
    assert requests.fact("fact_1").params == {}
    assert Requests("crm").fact("fact_1").params == {"namespace": "crm"}
    assert Requests("crm").fact("fact_1", namespace="own").params == {"namespace": "own"}


@pytest.mark.parametrize("given", ["abc", b"abc", RAW, None, 5])
def test_one_thing_is_no_list(given: Any) -> None:
    """A text, a single record and what is nothing of the kind are refused by name before anything is sent."""
    requests = Requests()
    for name, call in (
        ("pairs", lambda: requests.classify(given)),
        ("records", lambda: requests.submit(given)),
        ("records", lambda: list(requests.submit_all(given))),
    ):
        with pytest.raises(RequestError, match=f"{name}: has to be a list of {name}") as caught:
            call()
        assert caught.value.field == name


@pytest.mark.parametrize("pair", ["ab", (RAW,), (RAW, RAW, RAW), None, 5])
def test_what_is_no_pair_is_told_with_its_place(pair: Any) -> None:
    """Two records or a mapping are a pair, and nothing else."""
    with pytest.raises(RequestError, match=r"pairs\.1: has to be two records") as caught:
        Requests().classify([(RAW, RAW), pair])
    assert caught.value.field == "pairs.1"


def test_pairs_are_tuples_or_named() -> None:
    """What stands beside the two sides is sent as it is."""
    call = Requests("crm").classify([(RAW, RAW), {"id": "7", "a": RAW, "b": RAW}])
    assert body(call)["pairs"] == [{"a": RAW, "b": RAW}, {"id": "7", "a": RAW, "b": RAW}]


def test_every_change_has_a_key_of_its_own() -> None:
    """Two calls never share one; the caller's own is kept."""
    requests = Requests()
    keys = {requests.submit([]).key, requests.submit([]).key, requests.compile().key, requests.undo("d").key}
    assert None not in keys
    assert len(keys) == 4
    assert requests.submit([], key="job 17").headers["Idempotency-Key"] == '"job 17"'
    assert requests.submit([], key='a"\\').headers["Idempotency-Key"] == r'"a\"\\"'


@pytest.mark.parametrize("key", ["", "é", "a\nb", "k" * 256])
def test_what_cannot_be_a_key_is_told_before_it_is_sent(key: str) -> None:
    """It would break the request."""
    with pytest.raises(RequestError) as caught:
        key_for(key)
    assert caught.value.field == "Idempotency-Key"


def test_what_is_no_json_is_told_with_its_place() -> None:
    """Of a batch only when it comes to it; a lone surrogate is the service's business."""
    requests = Requests()
    with pytest.raises(RequestError, match="cannot be written as JSON") as caught:
        requests.submit([{"confidence": float("nan")}])
    assert caught.value.field == "records"
    calls = requests.submit_all([RAW, {"metadata": {1, 2}}], batch=1)
    with pytest.raises(RequestError) as caught:
        list(calls)
    assert caught.value.field == "records.1"
    assert body(requests.submit([{"content": "\ud800"}])) == {"records": [{"content": "\ud800"}]}


def test_batches_are_bounded_in_number_and_in_size() -> None:
    """Their keys count on from the caller's, and their receipts through all of them."""
    long = {"content": "x" * 1_500_000}
    calls = list(Requests().submit_all([RAW, RAW, RAW, long, long, long], batch=2, key="job"))
    assert [len(body(call)["records"]) for call in calls] == [2, 2, 2]
    calls = list(Requests().submit_all([long] * 3, batch=3, key="job"))
    assert [(len(body(call)["records"]), call.key) for call in calls] == [(2, "job:0"), (1, "job:1")]
    answer = httpx.Response(200, json={"receipts": [{"record_index": 0}]})
    assert [receipt["record_index"] for receipt in calls[1].result(answer).items] == [2]


def test_ids_cannot_lead_elsewhere() -> None:
    """Whatever is in them, they stay one part of the path."""
    assert path_to("facts", "../reviews?x=1#y", "history") == "/v1/facts/..%2Freviews%3Fx%3D1%23y/history"


def test_parameters_are_written_as_the_service_reads_them() -> None:
    """Moments in ISO 8601, booleans in small letters, lists repeated; what is None is left out."""
    (facts,) = Requests().facts(as_of=AT, limit=5)
    assert facts.params == {"state": "active", "as_of": "2026-01-01T09:00:00+00:00", "limit": "5"}
    assert Requests().compile(from_scratch=True).params == {"from_scratch": "true"}
    (reviews,) = Requests().reviews(kinds=["conflict", "unsure"])
    assert reviews.params == {"status": "open", "kind": ["conflict", "unsure"], "limit": "50"}


def test_an_answer_of_something_else_is_no_result() -> None:
    """A page of HTML, or JSON of another shape."""
    page = httpx.Response(200, text="<html>")
    with pytest.raises(ServiceError, match="GET /v1/policy: 200, and no answer of an arbiter"):
        Requests().policy().result(page)
    with pytest.raises(ServiceError):
        Requests().history("fact_1").result(httpx.Response(200, json=[]))
    assert Call("GET", "/", json_of).result(httpx.Response(200, json=[1])) == [1]
