"""Requests that are not what they should be: a clear 4xx, never a 5xx."""

from __future__ import annotations

import json
from collections.abc import Iterator

import httpx
import pytest

from arbiter.api import Arbiter
from arbiter.testing import TableJudge
from arbiter.testing_store import MemoryStore
from tests.factories import day
from tests.http_server import HttpServer, http_server
from tests.unit.pipeline.conftest import context_on
from tests.unit.web.conftest import Room, told

JSON = {"Content-Type": "application/json"}
LIMIT = 8_388_608
GOOD = json.dumps({"text": "Porto"})


@pytest.mark.parametrize(
    ("body", "status", "code", "field"),
    [
        ("", 422, "invalid_request", None),
        ("{", 400, "unreadable", None),
        ("[]", 422, "invalid_request", None),
        ("null", 422, "invalid_request", None),
        ('"text"', 422, "invalid_request", None),
        ('{"text": "Porto"} {}', 400, "unreadable", None),
        ('{"text": "Porto", "text": "Faro"}', 400, "unreadable", "text"),
        ('{"text": 5}', 422, "invalid_request", "text"),
        ('{"text": "x", "limit": "5"}', 422, "invalid_request", "limit"),
        ('{"text": "x", "limit": 1e999}', 422, "invalid_request", "limit"),
        ('{"text": "x", "limit": NaN}', 422, "invalid_request", "limit"),
        ('{"text": "x", "limit": ' + "9" * 5000 + "}", 400, "unreadable", None),
        ('{"text": "x", "colour": "red"}', 422, "invalid_request", "colour"),
        ('{"text": "\\u0000"}', 422, "invalid_request", "text"),
        ('{"text": "\\ud800"}', 422, "invalid_request", "text"),
        ('{"text": "x", "\\ud800": 1}', 422, "invalid_request", None),
        ('{"text": "x", "": 1}', 422, "invalid_request", "''"),
        ('{"text": "x", "' + "a" * 9_000 + '": 1}', 422, "invalid_request", "a" * 200 + "…"),
        ('{"' + "a" * 9_000 + '": 1, "' + "a" * 9_000 + '": 1}', 400, "unreadable", "a" * 200 + "…"),
        ('{"text": "' + "x" * 8_001 + '"}', 422, "invalid_request", "text"),
        ("[" * 100_000, 400, "unreadable", None),
        ('{"x":' * 100_000 + "0" + "}" * 100_000, 400, "unreadable", None),
    ],
)
def test_a_body_that_is_none(body: str, status: int, code: str, field: str | None, room: Room) -> None:
    """The problem says what is wrong and never repeats what was sent."""
    answer = room.client.post("/v1/search", content=body.encode(), headers=JSON)
    assert answer.headers["content-type"] == "application/problem+json"
    problem = answer.json()
    assert (answer.status_code, problem["status"], problem["code"]) == (status, status, code)
    if field is not None:
        assert problem["field"] == field
    assert len(answer.content) < 2_000


def test_parameters_of_any_name_are_told_in_short(room: Room) -> None:
    """Also one without a name."""
    for name, told_as in (("a" * 9_000, "a" * 200 + "…"), ("", "''")):
        answer = room.client.get(f"/v1/facts?{name}=1")
        assert (answer.status_code, answer.json()["field"]) == (422, told_as)
        assert len(answer.content) < 2_000


def test_of_very_many_faults_a_hundred_are_told(room: Room) -> None:
    """An answer does not grow with what was sent."""
    body = {"text": "x", **{f"field {n}": 1 for n in range(5_000)}}
    answer = room.client.post("/v1/search", json=body)
    assert (answer.status_code, len(answer.json()["errors"])) == (422, 100)


def test_bytes_that_are_no_text(room: Room) -> None:
    """The place of the first bad byte is named."""
    answer = room.client.post("/v1/search", content=b'{"text": "\xff"}', headers=JSON)
    assert (answer.status_code, answer.json()["detail"]) == (400, "byte 11 of the text is not UTF-8")


@pytest.mark.parametrize("chunked", [False, True])
def test_a_large_body_is_read_to_its_end_and_refused(room: Room, *, chunked: bool) -> None:
    """Ten megabytes get an answer, not a broken connection, whether or not their length is told first."""
    body = b'{"text": "' + b"x" * 10_000_000 + b'"}'

    def chunks() -> Iterator[bytes]:
        for start in range(0, len(body), 100_000):
            yield body[start : start + 100_000]

    answer = room.client.post("/v1/search", content=chunks() if chunked else body, headers=JSON)
    assert (answer.status_code, answer.json()["code"]) == (413, "too_large")
    assert f"{LIMIT:,}" in answer.json()["detail"]
    assert room.client.post("/v1/search", content=GOOD, headers=JSON).status_code == 200


@pytest.mark.parametrize("media_type", ["text/plain", "application/x-www-form-urlencoded", "nonsense", None])
def test_json_says_that_it_is_json(media_type: str | None, room: Room) -> None:
    """A page of another site cannot send it in passing, since a browser would ask us first."""
    headers = {"Content-Type": media_type} if media_type else {}
    answer = room.client.post("/v1/search", content=GOOD, headers=headers)
    assert (answer.status_code, answer.json()["field"]) == (415, "Content-Type")
    fine = room.client.post("/v1/search", content=GOOD, headers={"Content-Type": "Application/JSON; x=y"})
    assert fine.status_code == 200


@pytest.mark.parametrize(
    ("path", "field"),
    [
        ("/v1/facts?namespce=x", "namespce"),
        ("/v1/facts?namespace=", "namespace"),
        ("/v1/facts?namespace=%00", "namespace"),
        ("/v1/facts?namespace=" + "x" * 501, "namespace"),
        ("/v1/facts?state=gone", "state"),
        ("/v1/facts?limit=0", "limit"),
        ("/v1/facts?limit=x", "limit"),
        ("/v1/facts?as_of=yesterday", "as_of"),
        ("/v1/facts?as_of=1772442000", "as_of"),
        ("/v1/facts?as_of=9999-12-31T23:59:59-14:00", "as_of"),
        ("/v1/facts?after=" + "x" * 101, "after"),
        ("/v1/facts/x", "fact_id"),
        ("/v1/facts/fact_%00", "fact_id"),
        ("/v1/decisions/dec_1%0A", "decision_id"),
        ("/v1/receipts/" + "x" * 1000, "receipt_id"),
        ("/v1/reviews?limit=501", "limit"),
        ("/v1/reviews/export?format=xls", "format"),
        ("/v1/policy?namespace=x", "namespace"),
    ],
)
def test_parameters_are_what_is_documented(path: str, field: str, room: Room) -> None:
    """A mistyped one would silently ask for something else."""
    answer = room.client.get(path)
    assert (answer.status_code, answer.json()["field"]) == (422, field)


def test_paths_and_methods_that_are_none(room: Room) -> None:
    """Problems, too, and no page of the framework."""
    for method, path, status, code in (
        ("GET", "/v1/nothing", 404, "not_found"),
        ("GET", "/v1/facts/fact_0/", 404, "not_found"),
        ("PUT", "/v1/facts", 405, "method_not_allowed"),
        ("TRACE", "/v1/facts", 405, "method_not_allowed"),
    ):
        answer = room.client.request(method, path, follow_redirects=True)
        assert answer.headers["content-type"] == "application/problem+json"
        assert (answer.status_code, answer.json()["code"]) == (status, code)


@pytest.fixture(scope="module")
def tight() -> Iterator[HttpServer]:
    """Return a service with small limits."""
    arbiter = Arbiter(context_on(MemoryStore(lambda: day(100)), TableJudge()))
    limits = {"body_bytes": 2_000, "stream_bytes": 1_024, "records": 2, "pairs": 1}
    with http_server(arbiter, **{f"serve_max_{name}": limit for name, limit in limits.items()}) as server:
        yield server


def test_limits_are_settings(tight: HttpServer) -> None:
    """Each of them is told in the answer."""
    record = told("Ana lives in Lisbon.")
    many = tight.client.post("/v1/records", json={"records": [record] * 3})
    assert (many.status_code, many.json()["field"]) == (413, "records")
    pairs = tight.client.post("/v1/classify", json={"pairs": [{"a": record, "b": record}] * 2})
    assert (pairs.status_code, pairs.json()["field"]) == (413, "pairs")
    long = tight.client.post("/v1/records", json={"records": [{**record, "tags": ["x" * 2_000]}]})
    assert (long.status_code, "2,000 bytes" in long.json()["detail"]) == (413, True)
    stream = tight.client.post(
        "/v1/records/stream", content=b"\n" * 1_025, headers={"Content-Type": "application/x-ndjson"}
    )
    assert (stream.status_code, stream.json()["code"]) == (413, "too_large")


def test_work_has_a_time(monkeypatch: pytest.MonkeyPatch, room: Room) -> None:
    """What takes longer is answered with 503; what was begun goes on, and the service lives."""
    service = room.server.service
    monkeypatch.setattr(service, "settings", service.settings.model_copy(update={"serve_timeout_s": 0.000_1}))
    answer = httpx.get(f"{room.server.url}/v1/facts")
    assert (answer.status_code, answer.json()["code"]) == (503, "time_limit")
    assert answer.json()["retryable"] is True
    monkeypatch.undo()
    assert room.get("/facts").status_code == 200
