"""A request with an Idempotency-Key is carried out once, and only where that is promised."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Annotated, Any

import pytest
from fastapi import APIRouter, Body, Depends, Request
from fastapi.responses import JSONResponse

from arbiter.domain.answers import Claim, Known
from arbiter.errors import NotFoundError, StoreUnavailableError, TimeLimitError
from arbiter.testing_store import MemoryStore
from arbiter.web import idempotency
from arbiter.web.access import Place, place
from arbiter.web.idempotency import HEADER, OnceRoute, once
from tests.unit.web.keyed import Served, StillClock, serving

if TYPE_CHECKING:
    from httpx2 import Response

KEY = "8e03978e-40d5-43dd-bc93-6894a57f9324"
routes = APIRouter(route_class=OnceRoute, dependencies=[Depends(once("submit"))])


class Work:
    """What the routes do, with a count of how often they did it."""

    def __init__(self) -> None:
        self.done = 0
        self.begun = threading.Event()
        self.may_end = threading.Event()


@routes.post("/work/{how}")
async def work(
    how: str,
    request: Request,
    at: Annotated[Place, Depends(place("submit"))],
    body: Annotated[dict[str, Any] | None, Body()] = None,
) -> Any:
    """Do it, in one of several ways."""
    job: Work = request.app.state.job
    job.done += 1
    if how == "wait":
        job.begun.set()
        await asyncio.to_thread(job.may_end.wait, 10)
    if how == "partly":
        return JSONResponse({"done": job.done}, 207)
    if how == "fail":
        raise NotFoundError("there is no such thing")
    if how == "refuse":
        return JSONResponse({"done": job.done}, 422)
    if how == "crash":
        raise ZeroDivisionError
    if how == "late":
        raise TimeLimitError
    return {"done": job.done, "for": at.caller.name, "in": at.namespace, "body": body}


@pytest.fixture
def served() -> Iterator[Served]:
    """Return a service with such routes that asks for keys."""
    with serving(routes, keys=True) as found:
        found.app.state.job = Work()
        yield found


@pytest.fixture
def token(served: Served) -> str:
    """Return a key for it."""
    return served.make_key().token


def send(served: Served, token: str, how: str = "well", *, key: str = KEY, **more: Any) -> Response:
    """Send a request under a key."""
    sent = {"json": {"content": "a"}} | more
    headers = {HEADER: key} | sent.pop("headers", {})
    return served.client(token).post(f"/work/{how}", headers=headers, **sent)


def test_the_same_request_gets_the_same_answer(served: Served, token: str) -> None:
    """It is carried out once; the answer is the same to the byte and says that it was kept."""
    first, second = send(served, token), send(served, token)
    assert first.json() == {"done": 1, "for": "Ada", "in": "default", "body": {"content": "a"}}
    assert (second.status_code, second.content) == (200, first.content)
    assert second.headers["content-type"] == first.headers["content-type"] == "application/json"
    assert "idempotent-replayed" not in first.headers
    assert second.headers["idempotent-replayed"] == "true"
    assert send(served, token, key="another").json()["done"] == 2


def test_a_partial_success_is_kept_with_its_status(served: Served, token: str) -> None:
    """207 comes again as 207."""
    answers = [send(served, token, "partly") for _ in range(2)]
    assert [(answer.status_code, answer.json()) for answer in answers] == [(207, {"done": 1})] * 2


def test_without_the_header_every_request_is_carried_out(served: Served, token: str) -> None:
    """Nothing is kept, and nothing is asked of the store of answers."""
    client = served.client(token)
    assert [client.post("/work/well").json()["done"] for _ in range(2)] == [1, 2]


@pytest.mark.parametrize(
    ("how", "more", "field"),
    [
        ("well", {"json": {"content": "b"}}, "content"),
        ("well", {"json": {"content": "a", "n": 1}}, "n"),
        ("well", {"json": {}}, "content"),
        ("well", {"json": None}, "body"),
        ("well", {"params": {"namespace": "crm"}}, "namespace"),
        ("partly", {}, "path"),
    ],
)
def test_another_request_under_the_key_is_refused(
    served: Served, token: str, how: str, more: dict[str, Any], field: str
) -> None:
    """The first field that differs is named; nothing is done, and the first answer stays."""
    first = send(served, token)
    answer = send(served, token, how, **more)
    assert (answer.status_code, answer.json()["code"]) == (422, "idempotency_key_reused")
    assert answer.json()["field"] == field
    assert answer.json()["detail"].startswith(f"{field}: differs")
    assert send(served, token).content == first.content


def test_keys_are_the_callers_own(served: Served, token: str) -> None:
    """Another caller's request under the same key is another request, with nothing of the first one in it."""
    other = served.make_key("submit", namespace="crm").token
    send(served, token)
    answer = send(served, other, json={"content": "b"})
    assert answer.json() == {"done": 2, "for": "Ada", "in": "crm", "body": {"content": "b"}}


def test_a_request_under_way_is_not_begun_again(served: Served, token: str) -> None:
    """Meanwhile the same is told to come back, another one is refused; then the answer is there."""
    job: Work = served.app.state.job
    with ThreadPoolExecutor(1) as threads:
        first = threads.submit(send, served, token, "wait")
        assert job.begun.wait(10)
        busy = send(served, token, "wait")
        reused = send(served, token, "wait", json={})
        job.may_end.set()
    assert (busy.status_code, busy.json()["code"]) == (409, "idempotency_key_busy")
    assert (busy.headers["retry-after"], busy.json()["retryable"]) == ("1", True)
    assert (reused.status_code, reused.json()["field"]) == (422, "content")
    assert send(served, token, "wait").content == first.result().content
    assert job.done == 1


@pytest.mark.parametrize(("how", "status"), [("fail", 404), ("refuse", 422), ("crash", 500)])
def test_a_failure_is_not_kept(served: Served, token: str, how: str, status: int) -> None:
    """The request may be sent again under its key, changed too."""
    assert [send(served, token, how).status_code for _ in range(2)] == [status] * 2
    assert served.app.state.job.done == 2
    assert send(served, token, json={"content": "b"}).json()["done"] == 3


def test_an_invalid_body_leaves_the_key_free(served: Served, token: str) -> None:
    """What is refused before it begins was nothing."""
    assert send(served, token, json=["no object"]).status_code == 422
    assert send(served, token).json()["done"] == 1


def test_what_took_too_long_holds_its_key_for_a_while(served: Served, token: str) -> None:
    """Its work may go on unattended, so the same is not begun again before the lock ends."""
    assert send(served, token, "late").status_code == 503
    assert send(served, token, "late").status_code == 409
    served.clock.pass_by(seconds=14.9)
    assert send(served, token, "late").status_code == 409
    served.clock.pass_by(seconds=0.1)
    assert send(served, token, "late").status_code == 503
    assert served.app.state.job.done == 2


def test_the_lock_is_renewed_while_the_work_goes_on(
    served: Served, token: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Long work keeps its key beyond the time of the lock."""
    monkeypatch.setattr(idempotency, "RENEWAL", idempotency.LOCK / 3000)
    renewed = threading.Event()
    renew = served.store.answers.renew

    def telling(claim: Claim, until: Any) -> bool:
        held = renew(claim, until)
        if until >= claim.locked_until + idempotency.LOCK:
            renewed.set()
        return held

    monkeypatch.setattr(served.store.answers, "renew", telling)
    job: Work = served.app.state.job
    with ThreadPoolExecutor(1) as threads:
        first = threads.submit(send, served, token, "wait")
        assert job.begun.wait(10)
        served.clock.pass_by(seconds=15)
        assert renewed.wait(10)
        busy = send(served, token, "wait")
        job.may_end.set()
    assert (busy.status_code, first.result().json()["done"]) == (409, 1)


def test_an_answer_is_kept_for_as_long_as_it_is_set() -> None:
    """After that the key is free, for another request too."""
    with serving(routes, serve_answers_h=2) as served:
        served.app.state.job = Work()
        send(served, "")
        served.clock.pass_by(hours=1.9)
        assert send(served, "").json()["done"] == 1
        served.clock.pass_by(hours=0.1)
        assert send(served, "", json={}).json()["done"] == 2


def test_an_answer_that_cannot_be_kept_is_given_all_the_same() -> None:
    """The work is done; that nobody will remember it is no reason to say otherwise."""

    class Full:
        def __init__(self, store: MemoryStore) -> None:
            self.claim = store.answers.claim
            self.finish = self.release = self.renew = self.refuse

        def refuse(self, *_: object) -> bool:
            raise StoreUnavailableError

    clock = StillClock()
    store = MemoryStore(clock)
    store.answers = Full(store)  # type: ignore[assignment]
    with serving(routes, store=store, clock=clock) as served:
        served.app.state.job = Work()
        assert send(served, "").json()["done"] == 1
        assert send(served, "", "fail", key="another").status_code == 404


def test_a_request_nested_too_deeply_is_refused(served: Served, token: str) -> None:
    """Whatever depth can just be parsed, there is an answer of its own, and it is no failure of ours."""
    found = set()
    for depth in range(100, 1001, 25):
        body = b'{"a":' + b"[" * depth + b"]" * depth + b"}"
        headers = {"content-type": "application/json"}
        answer = send(served, token, "partly", key=f"{depth}", json=None, content=body, headers=headers)
        found.add((answer.status_code, answer.json().get("code")))
    assert found == {(207, None), (400, "unreadable")}


def test_who_may_not_do_it_learns_nothing_of_the_key(served: Served, token: str) -> None:
    """A caller without the scope, or without a key, is refused before any answer is looked up."""
    send(served, token)
    assert send(served, served.make_key("read").token).status_code == 403
    assert send(served, "").status_code == 401


def test_a_faulty_key_is_refused_by_the_service(served: Served, token: str) -> None:
    """Nothing is done under it."""
    answer = send(served, token, key="a b")
    assert (answer.status_code, answer.json()["code"], answer.json()["field"]) == (
        422,
        "invalid_request",
        HEADER,
    )
    assert served.app.state.job.done == 0


def test_the_document_tells_of_the_header(served: Served) -> None:
    """Each such route has it among its parameters."""
    (parameter,) = [
        parameter
        for parameter in served.app.openapi()["paths"]["/work/{how}"]["post"]["parameters"]
        if parameter["in"] == "header"
    ]
    assert (parameter["name"], parameter["required"]) == (HEADER, False)


def test_nothing_readable_is_kept_of_a_request(
    served: Served, token: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither the key nor the text of the body stands in the claim."""
    claims: list[Claim] = []
    keep = served.store.answers.claim

    def noting(claim: Claim) -> Known | None:
        claims.append(claim)
        return keep(claim)

    monkeypatch.setattr(served.store.answers, "claim", noting)
    send(served, token, json={"content": "xyzzy", "Xyzzy": "xyzzy"})
    (claim,) = claims
    for secret in ("xyzzy", KEY, token):
        assert secret not in repr(claim).lower()
