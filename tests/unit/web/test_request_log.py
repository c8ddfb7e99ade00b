"""One line a request: what it says, and what it never says."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from io import StringIO
from typing import Any

import pytest
from fastapi import APIRouter

from arbiter.errors import StoreUnavailableError
from arbiter.testing import TableJudge
from arbiter.web.logs import FIELDS, JsonFormatter
from arbiter.web.request_log import MOST_RECEIPTS, REQUEST_ID
from tests.factories import verdict
from tests.http_server import SERVER_THREAD
from tests.unit.pipeline.conftest import DOWN
from tests.unit.web.conftest import told
from tests.unit.web.keyed import serving

SECRET = "Ana hides the emeralds under the third stair"
router = APIRouter()


@router.get("/fails/{kind}")
async def fails(kind: str) -> None:
    """Fail with words that quote a fact."""
    raise StoreUnavailableError if kind == "store" else RuntimeError(SECRET)


@pytest.fixture
def log() -> Iterator[StringIO]:
    """Return what is written to the log of the service, in the form in which it is served.

    A server that other tests share may still write of its last request, which it has answered by then.
    """
    written = StringIO()
    handler = logging.StreamHandler(written)
    handler.setFormatter(JsonFormatter())
    handler.addFilter(lambda line: line.threadName != SERVER_THREAD)
    root, ours = logging.getLogger(), logging.getLogger("arbiter")
    before = (root.level, ours.level)
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    ours.setLevel(logging.DEBUG)
    yield written
    root.removeHandler(handler)
    root.setLevel(before[0])
    ours.setLevel(before[1])


def lines(log: StringIO, logger: str = "arbiter.requests") -> list[dict[str, Any]]:
    """Return the lines of one logger."""
    found = [json.loads(line) for line in log.getvalue().splitlines()]
    return [line for line in found if line["logger"] == logger]


def test_a_line_tells_what_was_done_for_whom(log: StringIO) -> None:
    """Method, route, status, time, caller and receipts; the id of the request is the one in the answer."""
    with serving() as served:
        key = served.make_key("submit", "read")
        served.clock.pass_by(minutes=1)
        client = served.client(key.token)
        answer = client.post("/v1/records", json={"records": [told("Ana lives in Lisbon.")]})
        client.get("/v1/facts/fact_1")
    first, second = lines(log)
    assert first.pop("duration_ms") > 0
    assert first.pop("time").endswith("Z")
    assert first == {
        "level": "info",
        "logger": "arbiter.requests",
        "message": "POST /v1/records 200",
        "method": "POST",
        "route": "/v1/records",
        "status": 200,
        "request_id": answer.headers[REQUEST_ID],
        "caller": "Ada",
        "records": 1,
        "receipts": [answer.json()["receipts"][0]["receipt_id"]],
    }
    assert (second["route"], second["status"], "receipts" in second) == ("/v1/facts/{fact_id}", 404, False)
    assert first["request_id"] != second["request_id"]


@pytest.mark.parametrize(
    ("sent", "is_taken"),
    [("run-7:step/3", True), ("a" * 128, True), ("a" * 129, False), ("two words", False), ('"}\\', False)],
)
def test_the_id_of_a_request_can_be_given(log: StringIO, sent: str, *, is_taken: bool) -> None:
    """It comes back and stands in the log, if it is fit to be written down; else there is a new one."""
    with serving() as served:
        answer = served.client().get("/v1/policy", headers={REQUEST_ID: sent})
    (line,) = lines(log)
    assert line["request_id"] == answer.headers[REQUEST_ID]
    assert (answer.headers[REQUEST_ID] == sent) is is_taken


def test_neither_facts_nor_keys_are_in_the_log(log: StringIO) -> None:
    """Whatever is sent where, whatever fails: neither the words of facts nor secrets are written."""
    judge = TableJudge(otherwise=verdict("update", reason=SECRET))
    with serving(router, judge=judge) as served:
        key = served.make_key()
        served.clock.pass_by(minutes=1)
        client = served.client(key.token)
        record = told(SECRET, subject="Ana emeralds", metadata={"note": SECRET})
        other = told(f"{SECRET}, still", subject="Ana emeralds", day=2)
        client.post("/v1/records", json={"records": [record, other, {"content": SECRET}, SECRET]})
        client.post("/v1/records", content=json.dumps({"records": [record]})[:-3])
        client.post("/v1/classify", json={"pairs": [{"id": SECRET, "a": record, "b": other}]})
        client.post("/v1/search", json={"text": SECRET})
        client.get("/v1/reviews", params={"text": SECRET, "unknown": SECRET})
        client.get(f"/v1/facts/{SECRET}")
        client.get(f"/{SECRET}")
        client.post("/v1/records/stream", content=f"{json.dumps(record)}\n{SECRET}\n")
        client.post("/review/login", data={"key": key.token, "next": f"/{SECRET}"})
        assert client.get("/fails/store").status_code == 503
        assert client.get("/fails/otherwise").status_code == 500
        client.get("/v1/policy", headers={"Idempotency-Key": SECRET, "Cookie": f"arbiter_session={SECRET}"})
        served.client(f"{key.token}x").get("/v1/policy")
        judge.otherwise = DOWN
        client.post("/v1/records", json={"records": [told(f"{SECRET} again", subject="Ana emeralds", day=3)]})
    text = log.getvalue()
    assert len(lines(log)) == 14
    assert "emeralds" not in text.lower()
    assert key.token.split("_", 2)[2] not in text
    assert "arb_" not in text


def test_an_unforeseen_error_is_told_by_kind_and_place(log: StringIO) -> None:
    """Where it happened is known, what it said is not; its line is a warning."""
    with serving(router) as served:
        served.client().get("/fails/otherwise")
    (line,) = lines(log)
    assert (line["status"], line["level"], line["route"]) == (500, "warning", "/fails/{kind}")
    (error,) = [told for told in lines(log, "arbiter.web") if told["level"] == "error"]
    assert error["message"].startswith("RuntimeError while serving")
    assert "test_request_log.py" in error["message"]


def test_a_long_batch_names_some_of_its_receipts(log: StringIO) -> None:
    """A line stays a line."""
    with serving() as served:
        records = [told(f"Number {n}.") for n in range(MOST_RECEIPTS + 20)]
        answer = served.client().post("/v1/records", json={"records": records})
    (line,) = lines(log)
    ids = [receipt["receipt_id"] for receipt in answer.json()["receipts"]]
    assert (line["records"], line["receipts"]) == (MOST_RECEIPTS + 20, ids[:MOST_RECEIPTS])


def test_a_stream_is_one_line(log: StringIO) -> None:
    """It is written when the stream has ended, with the receipts of all its batches."""
    text = "".join(json.dumps(told(f"Number {n}.")) + "\n" for n in range(3))
    with serving() as served:
        answer = served.client().post(
            "/v1/records/stream", content=text, headers={"Content-Type": "application/x-ndjson"}
        )
    (line,) = lines(log)
    assert (line["records"], line["route"]) == (3, "/v1/records/stream")
    assert line["receipts"] == [json.loads(told)["receipt_id"] for told in answer.text.splitlines()[:-1]]


def test_looks_at_its_health_are_not_worth_a_line(log: StringIO) -> None:
    """They come every few seconds, so they are written at the level of debugging."""
    with serving() as served:
        for path in ("/healthz", "/readyz", "/metrics"):
            served.client().get(path)
    assert [line["level"] for line in lines(log)] == ["debug"] * 3


def test_other_libraries_are_heard_but_not_quoted() -> None:
    """Their messages may hold anything; the words of an error, too."""
    formatter = JsonFormatter()
    with pytest.raises(ValueError, match="emeralds") as raised:
        int(SECRET)
    about = (raised.type, raised.value, raised.tb)
    foreign = logging.LogRecord("some.library", logging.ERROR, "/x/y.py", 7, SECRET, None, about)
    line = json.loads(formatter.format(foreign))
    assert (line["message"], line["error"]) == ("said something at y:7", "ValueError")
    assert [place.rpartition(" ")[2] for place in line["places"]] == [
        "test_other_libraries_are_heard_but_not_quoted"
    ]
    own = logging.LogRecord("arbiter.web", logging.INFO, "/x/z.py", 7, "%d\n%s", (1, "\ud800"), None)
    setattr(own, FIELDS, {"caller": "A\n{B}"})
    written = formatter.format(own)
    assert "\n" not in written
    assert written.isascii()
    assert (json.loads(written)["message"], json.loads(written)["caller"]) == ("1\n\ud800", "A\n{B}")
