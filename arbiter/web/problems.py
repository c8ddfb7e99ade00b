"""Errors as RFC 9457 has them: problem+json, with ``code`` and, where one is to blame, ``field``."""

from __future__ import annotations

import logging
import re
import traceback
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException

from arbiter.domain.facts import iso
from arbiter.errors import (
    ArbiterError,
    BudgetExceededError,
    ClaimedError,
    DependentDecisionError,
    EmbeddingError,
    ForbiddenError,
    IdempotencyKeyBusyError,
    InvalidRecordError,
    MediaTypeError,
    NotFoundError,
    RateLimitedError,
    RequestError,
    RetryLaterError,
    ScopeError,
    StaleRulingError,
    StoreUnavailableError,
    TooLargeError,
    UnauthorizedError,
    UnconfirmedTextError,
    UnreadableError,
)
from arbiter.interchange.faults import spelt

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

MEDIA_TYPE = "application/problem+json"
_LOG = logging.getLogger("arbiter.web")
_STATUS: Mapping[type[ArbiterError], int] = {
    InvalidRecordError: 422,
    RequestError: 422,
    UnreadableError: 400,
    MediaTypeError: 415,
    TooLargeError: 413,
    ForbiddenError: 403,
    UnauthorizedError: 401,
    NotFoundError: 404,
    StaleRulingError: 409,
    ClaimedError: 409,
    DependentDecisionError: 409,
    RetryLaterError: 503,
    RateLimitedError: 429,
    IdempotencyKeyBusyError: 409,
    StoreUnavailableError: 503,
    EmbeddingError: 503,
    BudgetExceededError: 503,
}
# How Python shows a member of an enumeration; callers know its value.
_MEMBER = re.compile(r"<\w+\.\w+: ('[^']*')>")
_MOST_FAULTS = 100
_CHALLENGE = 'Bearer realm="arbiter"'
_CODES = {404: NotFoundError.code, 405: "method_not_allowed"}


class Fault(BaseModel):
    """One fault of a request."""

    field: str | None = Field(description="Path of the field to blame, such as `records.0.content`.")
    message: str


class Problem(BaseModel):
    """What went wrong, in the form of RFC 9457."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "type": "about:blank",
                    "title": "Not Found",
                    "status": 404,
                    "code": "not_found",
                    "detail": "no fact fact_0 in namespace 'default'",
                    "field": None,
                    "retryable": False,
                }
            ]
        }
    )

    type: str = Field("about:blank", description="`about:blank`: the code says which kind of problem it is.")
    title: str = Field(description="The phrase of the status.")
    status: int = Field(description="The HTTP status.")
    code: str = Field(description="Which problem it is, for programs; the README lists the codes.")
    detail: str = Field(description="What happened, for people.")
    field: str | None = Field(None, description="Path of the field to blame, where there is one.")
    retryable: bool = Field(default=False, description="Can sending the same again help?")
    errors: list[Fault] | None = Field(
        None, description="The faults, where a request has several; of very many the first 100."
    )
    dependents: list[str] | None = Field(None, description="Decisions that rest on the one to be undone.")
    claimant: str | None = Field(None, description="Who has the review item in hand.")
    until: str | None = Field(None, description="Until when they have.")
    invented: list[str] | None = Field(None, description="What a merged text names and neither side does.")


def documented(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the entries of OpenAPI for problems with these statuses."""
    return {status: {"model": Problem, "description": _MEANINGS[status]} for status in statuses}


_MEANINGS = {
    400: "The body cannot be read.",
    401: "A key is needed, or this one is not known.",
    403: "The caller may not do this, or not in that namespace.",
    404: "There is no such thing in this namespace.",
    409: "It does not go with what is there now, or the same request is being carried out.",
    413: "The request is too large.",
    415: "The body is of another kind than is taken here.",
    422: "The request is not valid; `field` names what is to blame.",
    429: "Too many requests; `Retry-After` says when to go on.",
    503: "Not now; `Retry-After` says when to try again.",
}
READING = documented(401, 403, 422, 429, 503)
"""What any route that takes no body may answer."""
WRITING = documented(400, 401, 403, 413, 415, 422, 429, 503)
"""What any route that takes a body may answer."""


def status_of(error: ArbiterError) -> int:
    """Return the HTTP status of an error: that of the nearest class that has one."""
    return next((_STATUS[kind] for kind in type(error).__mro__ if kind in _STATUS), 500)


def problem_of(error: ArbiterError) -> Problem:
    """Return the problem that an error is; of what is wrong on our side no details: they name files."""
    status = status_of(error)
    inside = status >= 500 and not isinstance(error, RetryLaterError)
    return Problem(
        title=HTTPStatus(status).phrase,
        status=status,
        code=error.code,
        detail=type(error)().message if inside else error.message,
        field=error.field,
        retryable=error.retryable,
        **_members(error),
    )


def _members(error: ArbiterError) -> dict[str, Any]:
    """Return what single kinds of errors tell beside their message."""
    if isinstance(error, DependentDecisionError):
        return {"dependents": list(error.dependents)}
    if isinstance(error, UnconfirmedTextError):
        return {"invented": list(error.invented)}
    if isinstance(error, ClaimedError):
        return {"claimant": error.claimant, "until": iso(error.until)}
    return {}


def answer(
    problem: Problem, headers: Mapping[str, str] | None = None, more: Mapping[str, object] | None = None
) -> JSONResponse:
    """Return a problem as a response; ``more`` are members beside those that every problem has."""
    body = {**problem.model_dump(exclude_none=True), "field": problem.field, **(more or {})}
    if problem.errors is not None:
        body["errors"] = [fault.model_dump() for fault in problem.errors]
    retry = {"Retry-After": "1"} if problem.status == HTTPStatus.SERVICE_UNAVAILABLE else {}
    return JSONResponse(body, problem.status, {**retry, **(headers or {})}, media_type=MEDIA_TYPE)


def install(app: FastAPI) -> None:
    """Let every error of an app leave it as a problem."""
    app.add_exception_handler(ArbiterError, _on_error)
    app.add_exception_handler(RequestValidationError, _on_invalid)
    app.add_exception_handler(HTTPException, _on_http)
    app.add_middleware(LastResort)


class LastResort:
    """Answers errors that nobody foresaw. They are logged by kind and place: their words may quote facts."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        begun = False

        async def sending(message: Message) -> None:
            nonlocal begun
            begun = begun or message["type"] == "http.response.start"
            await send(message)

        try:
            await self._app(scope, receive, sending)
        except Exception as error:
            if scope["type"] != "http":
                raise
            places = "".join(traceback.format_tb(error.__traceback__))
            _LOG.error("%s while serving %s\n%s", type(error).__name__, scope["path"], places)
            if begun:
                # Closed without an end, so that the caller sees that something is missing.
                raise ConnectionError("the answer was cut off") from None
            unforeseen = Problem(
                title=HTTPStatus(500).phrase,
                status=500,
                code="internal_error",
                detail="something went wrong that should not; the log of the service says where",
            )
            await answer(unforeseen)(scope, receive, sending)


async def _on_error(_: Request, error: Exception) -> JSONResponse:
    if not isinstance(error, ArbiterError):
        raise error
    problem = problem_of(error)
    if problem.status >= 500:
        _LOG.warning("%s: %s", error.code, error.message)
    return answer(problem, _headers(error))


def _headers(error: ArbiterError) -> dict[str, str]:
    if isinstance(error, RetryLaterError):
        return {"Retry-After": str(error.after_s)}
    if isinstance(error, UnauthorizedError):
        return {"WWW-Authenticate": _CHALLENGE + (', error="invalid_token"' if error.sent else "")}
    if isinstance(error, ScopeError):
        return {"WWW-Authenticate": f'{_CHALLENGE}, error="insufficient_scope", scope="{error.scope}"'}
    return {}


async def _on_invalid(_: Request, error: Exception) -> JSONResponse:
    found = error.errors() if isinstance(error, RequestValidationError) else []
    faults = [_fault(one) for one in found[:_MOST_FAULTS]]
    first = faults[0]
    return answer(
        Problem(
            title=HTTPStatus(422).phrase,
            status=422,
            code=RequestError.code,
            detail=f"{first.field}: {first.message}" if first.field else first.message,
            field=first.field,
            errors=faults,
        )
    )


async def _on_http(_: Request, error: Exception) -> JSONResponse:
    if not isinstance(error, HTTPException):
        raise error
    status: int = error.status_code
    title = HTTPStatus(status).phrase
    problem = Problem(
        title=title, status=status, code=_CODES.get(status, RequestError.code), detail=str(error.detail)
    )
    return answer(problem, error.headers)


def _fault(found: Mapping[str, Any]) -> Fault:
    """Write one fault of validation without the value that was given."""
    place: Sequence[object] = found["loc"]
    inside = place[1:] if place and place[0] in ("body", "query", "path", "header") else place
    field = spelt(".".join(str(part) or "''" for part in inside))
    message = _MEMBER.sub(r"\1", str(found["msg"]).removeprefix("Value error, "))
    return Fault(field=field or None, message=message)
