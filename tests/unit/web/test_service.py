"""What holds for every request: open or closed, foreseen or not, alive and ready."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from threading import Event

import pytest

from arbiter.api import Arbiter
from arbiter.errors import StoreUnavailableError
from arbiter.judges.local import LocalJudge
from arbiter.ports import Writing
from arbiter.settings import Settings
from arbiter.testing import TableJudge
from arbiter.testing_store import MemoryStore
from arbiter.web.app import build
from arbiter.web.service import Service
from tests.factories import day
from tests.http_server import HttpServer, http_server
from tests.unit.pipeline.conftest import context_on
from tests.unit.web.conftest import Room, told

SECRET = "Ana lives in Lisbon."


@pytest.fixture
def alone() -> Iterator[HttpServer]:
    """Return a service that a test may break."""
    store = MemoryStore(lambda: day(100))
    with http_server(Arbiter(context_on(store, TableJudge())), serve_queue_records=1) as server:
        yield server


def test_it_is_alive_and_ready(room: Room) -> None:
    """Both answers ask for no key."""
    assert room.client.get("/healthz").json()["status"] == "ok"
    assert room.client.get("/readyz").status_code == 200


def test_no_caller_waits_for_a_model(tmp_path: Path) -> None:
    """The judge in the package has its weights before the first request."""
    service = Service.open(Settings(database=str(tmp_path / "facts.db"), embedding_threads=1))
    (local,) = (judge for judge in service.telemetry.judges if isinstance(judge, LocalJudge))
    assert "_session" in vars(local)
    service.close()


def test_who_watches_it_may_ask_for_the_head_alone(room: Room) -> None:
    """The status tells; there is no body."""
    for path in ("/healthz", "/readyz"):
        answer = room.client.head(path)
        assert (answer.status_code, answer.content) == (200, b"")


def test_its_address_leads_to_its_page(room: Room) -> None:
    """Whoever opens what it prints when it starts sees something."""
    answer = room.client.get("/")
    assert (answer.status_code, answer.headers["location"]) == (307, "/review")


def test_the_documentation_is_served_from_here(room: Room) -> None:
    """The page asks nothing of other machines, and the document is the app's own."""
    page = room.client.get("/docs")
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert "default-src 'none'" in page.headers["content-security-policy"]
    assert "://" not in page.text
    for path in ("/docs/start.js", "/docs/assets/swagger-ui-bundle.js", "/docs/assets/swagger-ui.css"):
        assert room.client.get(path).status_code == 200
    assert room.client.get("/openapi.json").json() == build(Settings()).openapi()


def test_what_nobody_foresaw_is_a_problem_and_no_secret(
    alone: HttpServer, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The caller gets a 500 that says nothing; the log has kind and place of the error, but not its words."""

    def broken(*_: object, **__: object) -> None:
        raise RuntimeError(SECRET)

    monkeypatch.setattr(Arbiter, "search", broken)
    with caplog.at_level(logging.DEBUG):
        answer = alone.client.post("/v1/search", json={"text": SECRET})
    assert (answer.status_code, answer.json()["code"]) == (500, "internal_error")
    assert SECRET not in answer.text + caplog.text
    assert "RuntimeError while serving /v1/search" in caplog.text
    assert "test_service.py" in caplog.text
    assert alone.client.get("/healthz").status_code == 200


def test_a_store_that_is_down_is_told_without_its_place(
    alone: HttpServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """503 with Retry-After; where the file lies is nobody's business."""

    def down(*_: object, **__: object) -> None:
        raise StoreUnavailableError("the store /srv/facts.db is locked by another writer")

    monkeypatch.setattr(MemoryStore, "writing", down)
    answer = alone.client.post("/v1/records", json={"records": [told(SECRET)]})
    assert (answer.status_code, answer.json()["code"], answer.json()["retryable"]) == (
        503,
        "store_unavailable",
        True,
    )
    assert answer.headers["retry-after"] == "1"
    assert "/srv" not in answer.text


def test_more_than_can_wait_is_turned_away(alone: HttpServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """While one caller's records are written and another's wait, a third one is asked to come again."""
    begun, go = Event(), Event()
    writing = MemoryStore.writing

    def slow(store: MemoryStore, namespace: str) -> AbstractContextManager[Writing]:
        begun.set()
        assert go.wait(10)
        return writing(store, namespace)

    monkeypatch.setattr(MemoryStore, "writing", slow)
    post = partial(alone.client.post, "/v1/records")
    with ThreadPoolExecutor(2) as threads:
        first = threads.submit(post, json={"records": [told(SECRET)]})
        assert begun.wait(10)
        second = threads.submit(post, json={"records": [told("Ben drinks tea.")]})
        while alone.service.submitter.waiting == 0:
            assert not second.done()
        third = post(json={"records": [told("Cleo sings.")]})
        go.set()
        answers = [first.result(10), second.result(10)]
    assert (third.status_code, third.json()["code"], third.headers["retry-after"]) == (503, "overloaded", "1")
    assert [answer.json()["receipts"][0]["outcome"] for answer in answers] == ["stored", "stored"]
    assert len(alone.client.get("/v1/facts").json()["facts"]) == 2
