"""Problems of RFC 9457 as the errors that arbiter raises on purpose: the code says which one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from arbiter.errors import (
    ArbiterError,
    ClaimedError,
    DependentDecisionError,
    RequestError,
    RetryLaterError,
    ScopeError,
    ServiceError,
    UnauthorizedError,
    UnconfirmedTextError,
)

if TYPE_CHECKING:
    import httpx

Problem = Mapping[str, Any]


def _kinds(kind: type[ArbiterError]) -> Iterator[type[ArbiterError]]:
    yield kind
    for below in kind.__subclasses__():
        yield from _kinds(below)


_BY_CODE = {kind.code: kind for kind in _kinds(ArbiterError)}


def problem_in(response: httpx.Response) -> Problem:
    """Return the problem that an answer tells; empty if it tells none, as one of a proxy on the way."""
    try:
        found = response.json()
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def error_of(response: httpx.Response) -> ArbiterError:
    """Return the error that an answer stands for."""
    status, problem = response.status_code, problem_in(response)
    kind = _BY_CODE.get(str(problem.get("code")))
    if kind is None:
        kind = RequestError if 400 <= status < 500 else ServiceError
        told = problem.get("detail") or f"{status} {_phrase(status)}".strip()
        problem = {**problem, "detail": f"{told} ({problem['code']})" if "code" in problem else told}
    detail = str(problem.get("detail") or "") or None
    try:
        error = kind(detail, **_members(kind, problem, response))
    except (KeyError, TypeError, ValueError):
        # Its code is ours, its members are not: what is clear is told all the same.
        error = kind(detail)
    error.field = problem.get("field")
    return error


def asked_pause(response: httpx.Response) -> float | None:
    """Return the seconds that an answer asks to wait, by ``Retry-After``; None where it does not say.

    A date is taken against the date of the answer, so that the clocks of two machines need not agree.
    """
    asked = response.headers.get("retry-after", "").strip()
    if asked.isascii() and asked.isdigit():
        return float(asked)
    try:
        until, sent = parsedate_to_datetime(asked), parsedate_to_datetime(response.headers.get("date", ""))
        return max(0.0, (until - sent).total_seconds())
    except (TypeError, ValueError):
        return None


def _members(kind: type[ArbiterError], problem: Problem, response: httpx.Response) -> dict[str, Any]:
    """Return what single kinds of errors tell beside their message."""
    challenge = response.headers.get("www-authenticate", "")
    told: dict[type[ArbiterError], Callable[[], dict[str, Any]]] = {
        DependentDecisionError: lambda: {"dependents": tuple(problem["dependents"])},
        UnconfirmedTextError: lambda: {"invented": tuple(problem["invented"])},
        ClaimedError: lambda: {
            "claimant": problem["claimant"],
            "until": datetime.fromisoformat(problem["until"]),
        },
        RetryLaterError: lambda: {"after_s": int(asked_pause(response) or 1)},
        UnauthorizedError: lambda: {"sent": "error=" in challenge},
        ScopeError: lambda: {"scope": challenge.partition('scope="')[2].partition('"')[0]},
    }
    return next((made() for known, made in told.items() if issubclass(kind, known)), {})


def _phrase(status: int) -> str:
    return HTTPStatus(status).phrase if status in HTTPStatus._value2member_map_ else ""
