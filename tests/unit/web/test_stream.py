"""POST /v1/records/stream: lines in, lines out."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from arbiter.domain.facts import Record
from arbiter.domain.outcomes import Receipt
from arbiter.errors import StoreUnavailableError
from arbiter.pipeline.submit import submit
from arbiter.web import stream
from arbiter.web.coalesce import Arbitrate, Submitter
from tests.unit.web.conftest import Room

if TYPE_CHECKING:
    import httpx

LINES = {"Content-Type": "application/x-ndjson"}


@pytest.fixture(autouse=True)
def _small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a few lines be several batches."""
    monkeypatch.setattr(stream, "BATCH", 3)


@contextmanager
def writing_by(arbitrate: Arbitrate, room: Room, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let something else do the work of the writer."""
    submitter = Submitter(arbitrate, linger_s=0, queue_records=100)
    with monkeypatch.context() as patched:
        patched.setattr(room.server.service, "submitter", submitter)
        yield
    submitter.close()


def send(room: Room, content: bytes | Iterable[bytes], **headers: str) -> httpx.Response:
    """Send a stream."""
    return room.client.post("/v1/records/stream", content=content, headers={**LINES, **headers})


def lines(answer: httpx.Response) -> tuple[list[Any], Any]:
    """Return the receipts and the last line of an answer."""
    *receipts, end = map(json.loads, answer.text.splitlines())
    return receipts, end


def test_every_line_is_answered(room: Room) -> None:
    """Good ones, bad ones, and those that are no JSON, over several batches, with one running index."""
    count = stream.BATCH + 3
    told = [json.dumps(room.record(f"Item {n} is blue.")) for n in range(count)]
    told[1] = "no json"
    told[2] = json.dumps({**room.record("x"), "confidence": 2})
    answer = send(room, "\n".join([*told, "", told[0]]).encode())
    assert answer.headers["content-type"] == "application/x-ndjson"
    receipts, end = lines(answer)
    assert [receipt["record_index"] for receipt in receipts] == list(range(count + 1))
    assert [r["reason"]["code"] for r in receipts if r["outcome"] == "refused"] == [
        "not_json",
        "invalid_record",
    ]
    assert receipts[-1]["outcome"] == "unchanged"
    assert end == {
        "end": True,
        "records": count + 1,
        "stored": count - 2,
        "refused": 2,
        "deferred": 0,
        "partial": True,
        "problem": None,
    }


def test_a_client_may_send_everything_before_it_reads(room: Room) -> None:
    """A body in chunks, larger than any buffer on the way, leads to no deadlock."""
    line = json.dumps({**room.record("Item 1 is blue."), "metadata": {"note": "x" * 15_000}}).encode() + b"\n"

    def chunks() -> Iterator[bytes]:
        for _ in range(400):
            yield line

    receipts, end = lines(send(room, chunks()))
    assert (len(receipts), end["stored"]) == (400, 1)


def test_nothing_is_a_stream_too(room: Room) -> None:
    """The last line says that there was nothing."""
    receipts, end = lines(send(room, b"\n\n"))
    assert (receipts, end["records"], end["partial"]) == ([], 0, False)


def test_the_store_fails_at_once(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before the first line the answer is a problem of its own."""
    with writing_by(_down, room, monkeypatch):
        answer = send(room, json.dumps(room.record("Item 1 is blue.")).encode())
    assert (answer.status_code, answer.json()["code"]) == (503, "store_unavailable")
    assert answer.headers["retry-after"] == "1"


def test_the_store_fails_on_the_way(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was answered holds, and the last line says why there is no more."""
    context = room.server.arbiter.context
    calls = iter([lambda records, indexes: submit(records, context, indexes), _down])

    def once(records: Sequence[Record], indexes: Sequence[int]) -> Sequence[Receipt]:
        return next(calls)(records, indexes)

    told = [json.dumps(room.record(f"Item {n} is blue.")) for n in range(stream.BATCH + 1)]
    with writing_by(once, room, monkeypatch):
        receipts, end = lines(send(room, "\n".join(told).encode()))
    assert (len(receipts), end["records"]) == (stream.BATCH, stream.BATCH)
    assert (end["problem"]["code"], end["problem"]["status"]) == ("store_unavailable", 503)


def test_a_stream_is_lines(room: Room) -> None:
    """Another content type is refused, and names of ours for the same thing are taken."""
    record = json.dumps(room.record("Item 1 is blue.")).encode()
    assert send(room, record, **{"Content-Type": "application/json"}).status_code == 415
    assert send(room, record, **{"Content-Type": "application/jsonl; charset=utf-8"}).status_code == 200


def _down(*_: object) -> list[Any]:
    raise StoreUnavailableError("the store is locked")
