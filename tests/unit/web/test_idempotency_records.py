"""Records, rulings and the rest under an Idempotency-Key, on the real store."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from arbiter.adapters.sql_store import SqlStore
from arbiter.testing import TableJudge
from arbiter.web.idempotency import HEADER
from tests.factories import verdict
from tests.unit.web.keyed import Served, StillClock, serving

if TYPE_CHECKING:
    from httpx2 import Response

FARO, PORTO = "User was born in Faro.", "User was born in Porto."
QUOTE = "Faro is not xyzzy"
JUDGE = TableJudge(
    {
        (FARO, PORTO): verdict(
            "contradiction", mutability="immutable", stakes="high", reason=QUOTE, attribute="xyzzy"
        )
    }
)


def record(content: str, **fields: Any) -> dict[str, Any]:
    """Return a record of what a user said."""
    source = {"id": "chat:1", "kind": "user_stated"}
    known = {"source": source, "observed_at": "2026-01-05T09:00:00Z", "subject": "user:1"}
    return {"content": content, **known, **fields}


@contextmanager
def worker(path: Path, clock: StillClock) -> Iterator[Served]:
    """Run a service of its own on a file."""
    store = SqlStore(path, clock)
    with serving(store=store, clock=clock, judge=JUDGE) as served:
        yield served


@pytest.fixture
def clock() -> StillClock:
    """Return a clock that stands still."""
    return StillClock()


@pytest.fixture
def served(tmp_path: Path, clock: StillClock) -> Iterator[Served]:
    """Return a service on an empty store."""
    with worker(tmp_path / "facts.db", clock) as found:
        yield found


def submit(served: Served, *records: object, key: str = "k") -> Response:
    """Submit records under a key."""
    return served.client().post("/v1/records", json={"records": records}, headers={HEADER: key})


def seen(served: Served) -> dict[str, int]:
    """Return how often each fact was seen."""
    facts = served.client().get("/v1/facts", params={"state": "all"}).json()["facts"]
    return {fact["content"]: fact["seen_count"] for fact in facts}


def test_the_same_receipts_come_after_a_restart(tmp_path: Path, clock: StillClock) -> None:
    """To the byte, and nothing is counted a second time; a partial batch too, with its status."""
    with worker(tmp_path / "facts.db", clock) as before:
        first = submit(before, record(FARO), {"content": "no source"}, record(PORTO))
        plain = submit(before, record(FARO), key="another")
    assert (first.status_code, plain.json()["receipts"][0]["outcome"]) == (207, "unchanged")
    with worker(tmp_path / "facts.db", clock) as after:
        again = submit(after, record(FARO), {"content": "no source"}, record(PORTO))
        assert (again.status_code, again.content) == (207, first.content)
        assert again.headers["idempotent-replayed"] == "true"
        assert submit(after, record(FARO), key="another").content == plain.content
        assert seen(after) == {FARO: 2, PORTO: 1}


def test_another_worker_knows_the_key(tmp_path: Path, clock: StillClock) -> None:
    """Two processes on one store keep their answers together."""
    path = tmp_path / "facts.db"
    with worker(path, clock) as one, worker(path, clock) as other:
        first = submit(one, record(FARO))
        assert submit(other, record(FARO)).content == first.content
        answer = submit(other, record(PORTO))
        assert (answer.status_code, answer.json()["field"]) == (422, "records.0.content")
        assert seen(one) == {FARO: 1}


def test_a_record_sent_many_times_at_once_is_counted_once(served: Served) -> None:
    """Whoever comes while the first is under way is told to come back, and gets its receipts then."""

    def insist(_: int) -> bytes:
        while (answer := submit(served, record(FARO))).status_code == 409:
            time.sleep(0.01)
        assert answer.status_code == 200
        return answer.content

    with ThreadPoolExecutor(12) as threads:
        answers = set(threads.map(insist, range(12)))
    assert len(answers) == 1
    assert seen(served) == {FARO: 1}


def test_after_the_retention_event_keys_prevent_duplicates(served: Served, clock: StillClock) -> None:
    """The key is forgotten, the event is not: the record is counted as seen before, and kept once."""
    first = submit(served, record(FARO, source={"id": "chat:1", "kind": "user_stated", "ref": "msg:1"}))
    sent = record(FARO, source={"id": "chat:1", "kind": "user_stated", "ref": "msg:1"})
    clock.pass_by(hours=24)
    assert served.store.answers.purge(clock()) == 1
    (receipt,) = submit(served, sent).json()["receipts"]
    (known,) = first.json()["receipts"]
    assert (known["outcome"], receipt["outcome"], receipt["reason"]["code"]) == (
        "stored",
        "unchanged",
        "seen_before",
    )
    assert (receipt["fact_id"], receipt["event_key"]) == (known["fact_id"], known["event_key"])
    assert seen(served) == {FARO: 2}
    (fact,) = served.client().get("/v1/facts").json()["facts"]
    assert len(fact["sightings"]) == 1


def test_a_batch_that_was_refused_as_a_whole_leaves_its_key_free(served: Served) -> None:
    """Put right, it may be sent under the same key."""
    assert submit(served, {"content": "no source"}).status_code == 422
    assert submit(served, record(FARO)).json()["receipts"][0]["outcome"] == "stored"


def test_erasing_a_fact_takes_it_out_of_kept_answers(tmp_path: Path, clock: StillClock) -> None:
    """The receipts that come again quote nothing of it, and no byte of the file does."""
    path = tmp_path / "facts.db"
    with worker(path, clock) as served:
        submit(served, record(FARO), key="first")
        before = submit(served, record(PORTO), key="second")
        assert QUOTE in before.text
        fact_id = before.json()["receipts"][0]["relations"][0]["fact_id"]
        assert served.client().delete(f"/v1/facts/{fact_id}").status_code == 200
        after = submit(served, record(PORTO), key="second")
        assert after.headers["idempotent-replayed"] == "true"
        assert "xyzzy" not in after.text
        known, kept = before.json()["receipts"][0], after.json()["receipts"][0]
        assert kept["receipt_id"] == known["receipt_id"]
        assert kept["relations"][0]["relation"] == "contradiction"
        assert (kept["relations"][0]["reason"], kept["relations"][0]["attribute"]) == ("", None)
    for part in path.parent.iterdir():
        assert b"xyzzy" not in part.read_bytes()


def test_a_ruling_sent_again_is_no_stale_one(served: Served) -> None:
    """Its answer is the one that got lost; under another key the question is settled already."""
    submit(served, record(FARO), record(PORTO))
    client = served.client()
    (item,) = client.get("/v1/reviews").json()["items"]
    ruling = {"ruling": "keep_both", "digest_a": item["digest_a"], "digest_b": item["digest_b"]}
    path = f"/v1/reviews/{item['id']}/ruling"
    first = client.post(path, json=ruling, headers={HEADER: "r"})
    assert first.status_code == 200
    again = client.post(path, json=ruling, headers={HEADER: "r"})
    assert (again.status_code, again.content) == (200, first.content)
    assert client.post(path, json=ruling, headers={HEADER: "other"}).status_code == 409
    changed = client.post(path, json=ruling | {"reason": "because"}, headers={HEADER: "r"})
    assert (changed.status_code, changed.json()["field"]) == (422, "reason")


def test_undo_and_compile_take_a_key(served: Served) -> None:
    """Sent again they answer what they answered; the namespace is part of the request."""
    receipts = submit(served, record(FARO), record(PORTO)).json()["receipts"]
    client, headers = served.client(), {HEADER: "k2"}
    undo = f"/v1/decisions/{receipts[1]['decisions'][0]['id']}/undo"
    answers = [client.post(undo, headers=headers) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [200, 200]
    assert answers[0].content == answers[1].content
    compiled = [client.post("/v1/compile", headers={HEADER: "k3"}) for _ in range(2)]
    assert compiled[0].content == compiled[1].content
    other = client.post("/v1/compile", params={"namespace": "crm"}, headers={HEADER: "k3"})
    assert (other.status_code, other.json()["field"]) == (422, "namespace")


def test_a_stream_takes_no_key(served: Served) -> None:
    """It says so instead of ignoring it."""
    answer = served.client().post(
        "/v1/records/stream",
        content=b"{}",
        headers={HEADER: "k", "content-type": "application/x-ndjson"},
    )
    assert (answer.status_code, answer.json()["field"]) == (422, HEADER)
