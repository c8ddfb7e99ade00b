"""The thread that asks again what no judge could tell, while the service runs."""

from __future__ import annotations

import logging
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any

import pytest

from arbiter.errors import StoreUnavailableError
from arbiter.pipeline.retry import Retried
from arbiter.testing import TableJudge
from arbiter.web.retrying import RetryWorker
from tests.factories import verdict
from tests.http_server import http_server
from tests.unit.pipeline.conftest import DOWN
from tests.unit.web.conftest import told
from tests.unit.web.keyed import StillClock, serving

LISBON, PORTO = told("Ana lives in Lisbon.", subject="Ana"), told("Ana moved to Porto.", subject="Ana", day=2)


class Waits:
    """Waits that end when the test says so; ``asked`` are the seconds that were to be waited."""

    def __init__(self) -> None:
        self.asked: list[float] = []
        self._ends: SimpleQueue[bool] = SimpleQueue()

    def __call__(self, seconds: float) -> bool:
        """Wait."""
        self.asked.append(seconds)
        return self._ends.get()

    def end(self, *, stop: bool = False) -> None:
        """Let the wait end."""
        self._ends.put(stop)


def worker(*made: Retried | Exception, waits: Waits) -> tuple[RetryWorker, list[Retried]]:
    """Return a worker whose passes come to these, one after the other, and what it counts."""
    counted: list[Retried] = []
    passes = iter(made)

    def make_pass(*, going_on: Callable[[], bool]) -> Retried:
        assert going_on() is True
        done = next(passes)
        if isinstance(done, Exception):
            raise done
        return done

    return RetryWorker(make_pass, counted.append, every_s=30.0, wait=waits), counted


def test_a_pass_is_made_after_every_wait() -> None:
    """The first one after the first wait; when it is to stop it ends."""
    waits, first, second = Waits(), Retried(asked=1), Retried(asked=2)
    retrying, counted = worker(first, second, waits=waits)
    retrying.start()
    waits.end()
    waits.end()
    waits.end(stop=True)
    assert retrying.join(60) is True
    assert (counted, waits.asked) == ([first, second], [30.0] * 3)


def test_nothing_that_goes_wrong_ends_it(caplog: pytest.LogCaptureFixture) -> None:
    """A store that is down, or what nobody foresaw, is logged by kind, and the next pass is made."""
    waits, done = Waits(), Retried(asked=1, answered=1)
    retrying, counted = worker(StoreUnavailableError("/srv/x"), RuntimeError("emeralds"), done, waits=waits)
    retrying.start()
    with caplog.at_level(logging.INFO):
        for stop in (False, False, False, True):
            waits.end(stop=stop)
        assert retrying.join(60) is True
    assert counted == [done]
    assert [record.levelname for record in caplog.records] == ["WARNING", "ERROR", "INFO"]
    assert "retrying failed: store_unavailable" in caplog.text
    assert "RuntimeError while retrying" in caplog.text
    assert "emeralds" not in caplog.text


def test_it_is_told_to_stop_in_the_middle_of_a_pass() -> None:
    """The pass hears of it and ends early; a pass that does not is not waited for."""
    heard: list[bool] = []

    def make_pass(*, going_on: Callable[[], bool]) -> Retried:
        retrying.stop()
        heard.append(going_on())
        return Retried()

    waits = Waits()
    retrying = RetryWorker(make_pass, lambda _: None, every_s=1.0, wait=waits)
    retrying.start()
    waits.end()
    waits.end()
    assert retrying.join(60) is True
    assert heard == [False]
    endless = Waits()
    never = RetryWorker(make_pass, lambda _: None, every_s=1.0, wait=endless)
    assert never.join(0) is True
    never.start()
    assert never.join(0.01) is False
    endless.end(stop=True)
    assert never.join(60) is True


def test_what_was_held_is_settled_and_the_receipt_tells() -> None:
    """The judge is down: held. It is back: the same receipt, read again, shows the outcome of the end."""
    clock, judge = StillClock(), TableJudge(otherwise=DOWN)
    with serving(clock=clock, judge=judge) as served:
        client = served.client()
        first, second = client.post("/v1/records", json={"records": [LISBON, PORTO]}).json()["receipts"]
        address = f"/v1/receipts/{second['receipt_id']}"
        assert (second["outcome"], second["retryable"]) == ("held", True)
        before = client.get(address).json()
        assert (before["now"]["outcome"], before["now"]["retryable"]) == ("held", True)
        judge.otherwise = verdict("update")
        clock.pass_by(minutes=1)
        served.app.state.service.retrying.pass_once()
        after: dict[str, Any] = client.get(address).json()
        numbers = client.get("/metrics").text
    now, earlier = after.pop("now"), before.pop("now")
    assert after == before == second
    assert (earlier["state"], now["state"], now["outcome"]) == ("pending", "active", "stored")
    assert (now["retryable"], now["supersedes"], now["review"]) == (False, [first["fact_id"]], [])
    assert 'arbiter_retried_pairs_total{result="answered"} 1.0' in numbers
    assert 'arbiter_queue_items{kind="",queue="judge"} 0.0' in numbers


def test_an_outage_is_counted_and_told(caplog: pytest.LogCaptureFixture) -> None:
    """Who runs the service sees that the judges are down and how much waits."""
    clock = StillClock()
    with serving(clock=clock, judge=TableJudge(otherwise=DOWN)) as served:
        served.client().post("/v1/records", json={"records": [LISBON, PORTO]})
        clock.pass_by(minutes=1)
        with caplog.at_level(logging.INFO, "arbiter.retry"):
            served.app.state.service.retrying.pass_once()
        numbers = served.client().get("/metrics").text
    (record,) = [record for record in caplog.records if record.name == "arbiter.retry"]
    assert record.levelname == "WARNING"
    assert vars(record)["fields"] == {
        "asked": 1,
        "answered": 0,
        "finished": 0,
        "waiting": 1,
        "outage": True,
    }
    assert 'arbiter_retried_pairs_total{result="waiting"} 1.0' in numbers
    assert "arbiter_retry_outages_total 1.0" in numbers


@pytest.mark.parametrize(("every_s", "runs"), [(30, True), (0, False)])
def test_a_real_service_retries_until_it_is_closed(every_s: float, *, runs: bool) -> None:
    """It begins with the service, unless the settings say otherwise, and ends with it."""
    with http_server(serve_retry_s=every_s) as server:
        retrying = server.service.retrying
        assert server.client.get("/readyz").json()["status"] == "ok"
        assert retrying.join(0) is not runs
    assert retrying.join(0) is True
