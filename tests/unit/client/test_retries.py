"""What is sent again, after which pause, and when a client gives up. Nobody sleeps here."""

from __future__ import annotations

import httpx
import pytest

from arbiter.client import Retries
from arbiter.errors import (
    IdempotencyKeyBusyError,
    NotFoundError,
    OverloadedError,
    RateLimitedError,
    ServiceError,
    UnreachableError,
)
from tests.unit.client.conftest import Line, problem, submitted

RECORD = {"content": "Ana lives in Lisbon."}
LATER = {"Retry-After": "3"}


def test_a_lost_connection_is_no_loss() -> None:
    """The same body goes out again under the same key, after pauses that double."""
    line = Line([httpx.ConnectError, httpx.ReadTimeout, httpx.RemoteProtocolError, submitted("stored")])
    assert line.client().submit([RECORD])["receipts"][0]["outcome"] == "stored"
    assert len({(sent.headers["idempotency-key"], sent.content) for sent in line.sent}) == 1
    assert [low <= pause <= 2 * low for low, pause in zip([0.125, 0.25, 0.5], line.pauses, strict=True)] == [
        True
    ] * 3


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_who_is_put_off_comes_back(status: int) -> None:
    """Not before the time that it was asked to wait."""
    line = Line([problem(status, "overloaded", headers=LATER), submitted("stored")])
    line.client().submit([RECORD])
    assert line.pauses == [3.0]


def test_a_request_that_is_carried_out_already_is_waited_for() -> None:
    """However often it is asked after: that is no failure."""
    busy = problem(409, "idempotency_key_busy", headers={"Retry-After": "1"})
    line = Line([httpx.ReadTimeout, *[busy] * 20, submitted("stored")])
    line.client(retries=Retries(attempts=2)).submit([RECORD])
    assert line.pauses[1:] == [1.0] * 20


def test_patience_ends() -> None:
    """After so many attempts, or where the next one would come too late; the last error is told."""
    line = Line([problem(503, "overloaded")] * 3)
    with pytest.raises(OverloadedError):
        line.client(retries=Retries(attempts=3)).policy()
    assert (len(line.sent), len(line.pauses)) == (3, 2)
    line = Line([problem(429, "rate_limited", headers={"Retry-After": "60"})])
    with pytest.raises(RateLimitedError) as caught:
        line.client(retries=Retries(patience_s=59)).policy()
    assert (caught.value.after_s, line.pauses) == (60, [])
    busy = problem(409, "idempotency_key_busy", headers={"Retry-After": "2"})
    line = Line([busy] * 6)
    with pytest.raises(IdempotencyKeyBusyError):
        line.client(retries=Retries(patience_s=10)).compile()
    assert line.pauses == [2.0] * 5
    line = Line([httpx.ConnectError] * 2)
    with pytest.raises(UnreachableError, match="GET /v1/policy: ConnectError: broken"):
        line.client(retries=Retries(attempts=2)).policy()


def test_a_refusal_is_not_argued_with() -> None:
    """A second attempt cannot help."""
    line = Line([problem(404, "not_found")])
    with pytest.raises(NotFoundError):
        line.client().fact("fact_1")
    line = Line([problem(500, "internal_error")])
    with pytest.raises(ServiceError):
        line.client().submit([RECORD])
    line = Line([problem(409, "stale_ruling")])
    with pytest.raises(Exception, match="told"):
        line.client().undo("dec_1")
    assert line.pauses == []


def test_what_would_happen_twice_is_sent_again_under_its_key() -> None:
    """A comment, and the next item: the service tells by the key that it is the same request."""
    line = Line([httpx.ReadTimeout, httpx.WriteError, httpx.Response(201, json={"id": "note_1"})])
    assert line.client().comment("rev_1", "Hm.")["id"] == "note_1"
    late = Line(
        [
            problem(503, "time_limit"),
            problem(409, "idempotency_key_busy"),
            httpx.Response(200, json={"review": None}),
        ]
    )
    assert late.client().claim_next() is None
    for sent in (line.sent, late.sent):
        assert len(sent) == 3
        assert len({request.headers["Idempotency-Key"] for request in sent}) == 1


def test_what_need_not_be_known_twice_is_asked_once() -> None:
    """Whether the service can work: again only if the first attempt never got there."""
    for broken in (httpx.ReadTimeout, problem(503, "not_ready")):
        line = Line([broken])
        with pytest.raises(ServiceError):
            line.client().ready()
    line = Line(
        [httpx.ConnectError, problem(429, "rate_limited"), httpx.Response(200, json={"status": "ok"})]
    )
    assert line.client().ready()["status"] == "ok"
    assert len(line.pauses) == 2


def test_what_cannot_be_sent_is_not_tried_again() -> None:
    """The fault is on this side."""
    line = Line([httpx.LocalProtocolError])
    with pytest.raises(ServiceError, match="the request cannot be sent"):
        line.client().policy()
    assert line.pauses == []
