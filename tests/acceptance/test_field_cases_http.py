"""Field cases whose authors ask for an HTTP status or a key, sent over HTTP as their callers would."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from arbiter.domain.outcomes import review_id
from tests.acceptance.bench import Bench, bench, says
from tests.acceptance.databases import refusing
from tests.acceptance.field_cases import CASES, adapted, covers, over_http, record, records, told
from tests.http_server import http_server
from tests.scripted_server import Answer

if TYPE_CHECKING:
    import httpx

pytestmark = pytest.mark.filterwarnings("ignore:.*`ReadOnly` qualifier:UserWarning")

PROBLEM = "application/problem+json"


@contextmanager
def served(*answers: Any, **options: Any) -> Iterator[tuple[Bench, httpx.Client]]:
    """Serve a bench; yield it with a client that is connected to it."""
    with bench(*answers, **options) as on, http_server(on.arbiter) as server:
        yield on, server.client


def submit(client: httpx.Client, *told: object, **headers: str) -> httpx.Response:
    """Submit records."""
    return client.post("/v1/records", json={"records": told}, headers=headers)


def outcomes(answer: httpx.Response) -> list[str]:
    """Return what became of each record."""
    return [receipt["outcome"] for receipt in answer.json()["receipts"]]


@covers("retry-after-ambiguous-timeout")
@over_http("retry-after-ambiguous-timeout")
def test_a_retry_under_a_key_writes_nothing() -> None:
    """The same receipt, marked as a replay; another body under the key is refused by what differs."""
    first, again, other = CASES["retry-after-ambiguous-timeout"].input["requests"]
    with served() as (on, client):
        answers = [
            submit(client, record(request["record"]), **{"Idempotency-Key": request["idempotency_key"]})
            for request in (first, again, other)
        ]
        assert [answer.status_code for answer in answers] == [200, 200, 422]
        assert answers[1].content == answers[0].content
        assert [answer.headers.get("idempotent-replayed") for answer in answers] == [None, "true", None]
        refusal = answers[2].json()
        assert (refusal["code"], refusal["field"]) == ("idempotency_key_reused", "records.0.content")
        assert on.active() == {"The tide mark is 2.1 m."}
        (view,) = on.arbiter.facts()
        assert view.fact.seen_count == 1


@covers("replacement-fails-after-delete")
@over_http("replacement-fails-after-delete")
def test_a_merge_that_cannot_be_stored_takes_nothing_away() -> None:
    """An error of ours; both sides stand as before, the item is open, and mended the same ruling holds."""
    case = CASES["replacement-fails-after-delete"].input
    one, other = case["pair"]
    merged = case["steps"][0]["replace_with"]
    with served(says(one, other, "contradiction")) as (on, client):
        submit(client, told(one, "2026-02-01"), told(other, "2026-02-02", by="u:2"))
        before = on.views()
        (item,) = client.get("/v1/reviews").json()["items"]
        ruling = {
            "ruling": "merge",
            "text": merged,
            "confirmed": True,
            "digest_a": item["digest_a"],
            "digest_b": item["digest_b"],
        }
        with refusing(on.database, merged):
            answer = client.post(f"/v1/reviews/{item['id']}/ruling", json=ruling)
            assert (answer.status_code // 100, answer.headers["content-type"]) == (5, PROBLEM)
            assert "refused" not in answer.text
            assert on.views() == before
            waiting = client.get("/v1/reviews").json()["items"]
            assert [open_item["id"] for open_item in waiting] == [item["id"]]
        assert client.post(f"/v1/reviews/{item['id']}/ruling", json=ruling).status_code == 200
        assert on.active() == {merged}


@over_http("batch-one-bad-item")
def test_a_batch_answers_item_by_item() -> None:
    """207: three are stored, and the third receipt names the field."""
    with served() as (_, client):
        answer = submit(client, *records(CASES["batch-one-bad-item"].input))
        assert (answer.status_code, answer.json()["partial"]) == (207, True)
        assert outcomes(answer) == ["stored", "stored", "refused", "stored"]
        assert answer.json()["receipts"][2]["reason"]["field"] == "source.kind"


@over_http("empty-content", "text-over-model-limit", "supersession-cycle-in-batch")
def test_what_cannot_be_taken_is_a_problem_that_names_its_field() -> None:
    """422 for blanks, for a text over the limit, and for what no record has; nothing is stored."""
    blanks = [record(request["record"]) for request in CASES["empty-content"].input["requests"]]
    (long,) = CASES["text-over-model-limit"].input["requests"]
    circle = CASES["supersession-cycle-in-batch"].input["records"]
    with served() as (on, client):
        for blank in blanks:
            answer = submit(client, blank)
            assert (answer.status_code, answer.json()["field"]) == (422, "records.0.content")
            assert answer.headers["content-type"] == PROBLEM
        answer = submit(client, record(long["record"]))
        assert (answer.status_code, answer.json()["field"]) == (422, "records.0.content")
        assert "8000 characters" in answer.json()["detail"]
        answer = submit(client, *({**record(raw), "supersedes": raw["supersedes"]} for raw in circle))
        assert (answer.status_code, answer.json()["field"]) == (422, "records.0.supersedes")
        assert outcomes(answer) == ["refused", "refused"]
        assert on.states() == {}


@over_http("independent-source-refused")
def test_an_independent_source_is_welcome() -> None:
    """200, never 409: the fact has two sources afterwards."""
    case = CASES["independent-source-refused"].input
    with served() as (_, client):
        first, second = (submit(client, record(case[side])) for side in ("existing", "candidate"))
        assert (first.status_code, second.status_code) == (200, 200)
        (receipt,) = second.json()["receipts"]
        fact = client.get(f"/v1/facts/{receipt['fact_id']}", params={"namespace": "t1"}).json()
        assert fact["sources"] == ["agent:day-round", "agent:night-round"]


@over_http("foreign-id-then-forget")
def test_the_id_of_another_tenant_is_not_found() -> None:
    """404, whatever is tried with it; one's own can be forgotten."""
    steps = CASES["foreign-id-then-forget"].steps
    with served() as (on, client):
        a, b = (
            submit(client, record(step["records"][0])).json()["receipts"][0]["fact_id"] for step in steps[:2]
        )
        for method, path in (("DELETE", ""), ("GET", ""), ("GET", "/history")):
            answer = client.request(method, f"/v1/facts/{a}{path}", params={"namespace": "b"})
            assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
        assert client.delete(f"/v1/facts/{b}", params={"namespace": "b"}).status_code == 200
        assert (on.active("a"), on.active("b")) == ({"The safe is serviced every spring."}, set())


@over_http("invented-record-id")
def test_a_model_that_invents_ids_is_no_error_of_the_service() -> None:
    """200: the record is held, the receipt says that no judge could tell, and the failure is counted."""
    case = CASES["invented-record-id"].input
    (existing,) = case["existing"]
    with served(script=lambda _: Answer(adapted(case["reply"], current="b"))) as (on, client):
        submit(client, record(existing))
        answer = submit(client, record(case["candidate"]))
        assert (answer.status_code, outcomes(answer)) == (200, ["held"])
        (receipt,) = answer.json()["receipts"]
        assert (receipt["retryable"], receipt["reason"]["code"]) == (True, "not_judged")
        assert receipt["relations"][0]["unjudged"]["code"] == "judge_reply"
        assert on.states()[existing["content"]] == "active"
        counted = client.get("/metrics").text.splitlines()
        assert 'arbiter_relations_total{relation="unjudged"} 1.0' in counted


@over_http("queue-position-used-as-id")
def test_a_position_in_the_queue_is_no_id() -> None:
    """422 for a position, 409 for what is settled already; the other items are untouched."""
    queue = CASES["queue-position-used-as-id"].input["queue"]
    answers = [says(first, second, "contradiction") for first, second in queue.values()]
    with served(*answers) as (on, client):
        for existing, candidate in queue.values():
            submit(client, told(existing, "2026-02-01"), told(candidate, "2026-02-02", by="u:2"))
        items = {item["facts"]["a"]["content"]: item for item in client.get("/v1/reviews").json()["items"]}
        first = items[queue["k1"][0]]

        def ruled(item_id: str, ruling: str) -> httpx.Response:
            digests = {"digest_a": first["digest_a"], "digest_b": first["digest_b"]}
            return client.post(f"/v1/reviews/{item_id}/ruling", json={"ruling": ruling, **digests})

        assert ruled(first["id"], "keep_a").status_code == 200
        assert ruled("0", "keep_a").status_code == 422
        again = ruled(first["id"], "keep_b")
        assert (again.status_code, again.json()["code"]) == (409, "stale_ruling")
        assert "no longer open" in again.json()["detail"]
        assert len(client.get("/v1/reviews").json()["items"]) == 2
        states = on.states()
        assert [states[text] for text in queue["k1"]] == ["active", "tombstoned"]
        assert {states[text] for name in ("k2", "k3") for text in queue[name]} == {"active contested"}


@over_http("retired-record-demotes-live-one")
def test_what_is_not_before_people_cannot_be_ruled_on() -> None:
    """404: there is no such question. The live record stays."""
    retired, live = (record(raw) for raw in CASES["retired-record-demotes-live-one"].input["store"])
    with served(says(retired["content"], live["content"], "update")) as (on, client):
        a, b = (submit(client, raw).json()["receipts"][0]["fact_id"] for raw in (retired, live))
        digests = {"digest_a": "0", "digest_b": "0"}
        path = f"/v1/reviews/{review_id(a, b)}/ruling"
        answer = client.post(path, json={"ruling": "keep_a", **digests})
        assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
        assert on.active() == {live["content"]}
