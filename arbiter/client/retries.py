"""When a call is made again: after what, how long after, and until when. Nothing here sends or sleeps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from http import HTTPStatus
from typing import Any
from uuid import uuid4

import httpx

from arbiter.client.calls import Call
from arbiter.client.problems import asked_pause, error_of, problem_in
from arbiter.domain.backoff import Backoff
from arbiter.errors import IdempotencyKeyBusyError, ServiceError, UnreachableError

_LATER = frozenset(
    [
        HTTPStatus.TOO_MANY_REQUESTS,
        HTTPStatus.BAD_GATEWAY,
        HTTPStatus.SERVICE_UNAVAILABLE,
        HTTPStatus.GATEWAY_TIMEOUT,
    ]
)
_NEVER_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)
_OURS = (httpx.UnsupportedProtocol, httpx.LocalProtocolError)
_BUSY_PAUSE_S = 1.0


@dataclass(frozen=True, slots=True)
class Retries:
    """How much patience a client has.

    What can be sent again without harm is sent again when the connection fails, or the service says that it
    cannot do it now. Pauses double, with jitter, and are never shorter than the service asks.

    Attributes:
        attempts: at a call, the first included. To be told that the call is being carried out already (after
            a connection was lost on the way) is none.
        first_s: the first pause, in seconds.
        most_s: the longest pause, unless the service asks for a longer one.
        patience_s: seconds from the beginning of a call after which no further attempt begins.
    """

    attempts: int = 6
    first_s: float = 0.25
    most_s: float = 20.0
    patience_s: float = 300.0


class Course:
    """One call on its way: told what came of an attempt, it says how long to wait before the next one."""

    def __init__(self, call: Call[Any], retries: Retries, clock: Callable[[], float]) -> None:
        self._call = call
        self._retries = retries
        self._clock = clock
        self._end = clock() + retries.patience_s
        self._backoff = Backoff(timedelta(seconds=retries.first_s), timedelta(seconds=retries.most_s))
        self._seed = uuid4().hex
        self._failures = 0

    def broke_off(self, error: httpx.TransportError) -> float:
        """Return the pause, in seconds, after an attempt without an answer.

        Raises:
            ServiceError: it was the last attempt.
        """
        if isinstance(error, _OURS):
            raise ServiceError(f"the request cannot be sent: {error}") from error
        told = f"{self._call.method} {self._call.path}: {type(error).__name__}: {error}"
        repeatable = self._call.repeatable or isinstance(error, _NEVER_SENT)
        pause = self._next_pause(None) if repeatable else None
        if pause is None:
            raise UnreachableError(told.removesuffix(": ")) from error
        return pause

    def answered(self, response: httpx.Response) -> float | None:
        """Return the pause, in seconds, after an answer that puts off; None: this is the result.

        Raises:
            ArbiterError: it is a refusal, or it was the last attempt.
        """
        if response.is_success:
            return None
        problem, asked = problem_in(response), asked_pause(response)
        if self._call.itemised is not None and self._call.itemised in problem:
            return None
        if problem.get("code") == IdempotencyKeyBusyError.code:
            pause = self._in_time(max(asked or 0.0, _BUSY_PAUSE_S))
        elif response.status_code == HTTPStatus.TOO_MANY_REQUESTS or (
            response.status_code in _LATER and self._call.repeatable
        ):
            pause = self._next_pause(asked)
        else:
            pause = None
        if pause is None:
            raise error_of(response)
        return pause

    def _next_pause(self, asked: float | None) -> float | None:
        """Return the pause after a failure; None: no more attempts."""
        self._failures += 1
        if self._failures >= self._retries.attempts:
            return None
        backing_off = self._backoff.wait(self._failures, self._seed).total_seconds()
        return self._in_time(max(backing_off, asked or 0.0))

    def _in_time(self, pause: float) -> float | None:
        return pause if self._clock() + pause <= self._end else None
