"""Problems become the errors that the service raised; what is no problem of ours is told as well."""

from __future__ import annotations

from datetime import UTC, datetime

import httpx
import pytest

from arbiter.client.problems import asked_pause, error_of
from arbiter.errors import (
    ArbiterError,
    ClaimedError,
    DependentDecisionError,
    InvalidRecordError,
    NotFoundError,
    RateLimitedError,
    RequestError,
    ScopeError,
    ServiceError,
    UnauthorizedError,
    UnconfirmedTextError,
)
from arbiter.web.problems import _headers, answer, problem_of
from tests.unit.client.conftest import problem

UNTIL = datetime(2026, 1, 1, 9, tzinfo=UTC)
ERRORS = [
    InvalidRecordError("content: is blank", field="content"),
    NotFoundError("no fact fact_0"),
    ClaimedError("kim has it", claimant="kim", until=UNTIL),
    DependentDecisionError("others rest on it", dependents=("dec_1", "dec_2")),
    UnconfirmedTextError("it names Faro", invented=("Faro",)),
    RateLimitedError("slow down", after_s=7),
    UnauthorizedError("no such key", sent=True),
    ScopeError("admin is needed", scope="admin"),
]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: error.code)
def test_an_error_arrives_as_it_was_raised(error: ArbiterError) -> None:
    """Its class, its words, its field, and what its kind tells beside."""
    sent = answer(problem_of(error), _headers(error))
    found = error_of(httpx.Response(sent.status_code, content=bytes(sent.body), headers=dict(sent.headers)))
    assert type(found) is type(error)
    assert vars(found) == vars(error)


def test_a_code_that_is_not_ours_is_told_in_words() -> None:
    """By its status: the request's fault, or the service's."""
    ours, theirs = error_of(problem(405, "method_not_allowed")), error_of(problem(500, "internal_error"))
    assert (type(ours), ours.message) == (RequestError, "told (method_not_allowed)")
    assert (type(theirs), theirs.message) == (ServiceError, "told (internal_error)")


@pytest.mark.parametrize("body", [b"<html>", b"[]", b"\xff", b""])
def test_an_answer_that_is_no_problem_is_told_by_its_status(body: bytes) -> None:
    """As of a proxy on the way."""
    found = error_of(httpx.Response(502, content=body))
    assert (type(found), found.message) == (ServiceError, "502 Bad Gateway")
    assert error_of(httpx.Response(599)).message == "599"


def test_a_problem_without_its_members_is_still_one() -> None:
    """Its code and its words hold."""
    found = error_of(problem(409, "claimed", until="tomorrow"))
    assert (type(found), found.message) == (ClaimedError, "told")


@pytest.mark.parametrize(
    ("retry_after", "seconds"),
    [
        ("5", 5.0),
        ("Thu, 01 Jan 2026 09:00:30 GMT", 30.0),
        ("Thu, 01 Jan 2026 08:00:00 GMT", 0.0),
        ("soon", None),
        ("", None),
        ("²", None),
    ],
)
def test_the_pause_that_is_asked_for(retry_after: str, seconds: float | None) -> None:
    """In seconds, or until a date, by the clock of whoever asks."""
    headers = {b"Retry-After": retry_after.encode(), b"Date": b"Thu, 01 Jan 2026 09:00:00 GMT"}
    assert asked_pause(httpx.Response(503, headers=headers)) == seconds


def test_a_date_without_one_of_the_answer_says_nothing() -> None:
    """Nobody knows what the other clock shows."""
    assert asked_pause(httpx.Response(503, headers={"Retry-After": "Thu, 01 Jan 2026 09:00:30 GMT"})) is None
