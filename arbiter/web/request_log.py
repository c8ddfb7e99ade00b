"""Every request is counted, timed, traced, and told of in one line of the log."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING
from uuid import uuid4

from starlette.datastructures import Headers, MutableHeaders

from arbiter.domain.outcomes import Receipt
from arbiter.web.logs import FIELDS
from arbiter.web.traces import NoTraces, Span

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from arbiter.web.telemetry import Telemetry

REQUEST_ID = "X-Request-Id"
MOST_RECEIPTS = 100
"""Ids of receipts that a line names; of more it says how many."""
_LOG = logging.getLogger("arbiter.requests")
_TAKEN_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/+=-]{0,127}")
_PARAMETER = re.compile(r"\{(\w+)(?::\w+)?\}")
_METHODS = frozenset("GET HEAD POST PUT PATCH DELETE OPTIONS".split())
_CUT_OFF = 499
"""Written where the caller was gone before there was an answer."""
_UNROUTED = "unrouted"
_PROBES = frozenset({"/healthz", "/readyz", "/metrics"})


@dataclass(slots=True)
class Notes:
    """What is found out about a request while it is served."""

    request_id: str
    caller: str | None = None
    receipts: list[str] = field(default_factory=list)
    records: int = 0


_NOTES: ContextVar[Notes | None] = ContextVar("arbiter_request_notes", default=None)


def note_caller(name: str) -> None:
    """Note by what name the caller of the current request is known."""
    if (notes := _NOTES.get()) is not None:
        notes.caller = name


def note_receipts(receipts: Iterable[Receipt]) -> None:
    """Note the receipts that the current request is answered with."""
    if (notes := _NOTES.get()) is not None:
        for receipt in receipts:
            notes.records += 1
            if len(notes.receipts) < MOST_RECEIPTS:
                notes.receipts.append(receipt.id)


class RequestLog:
    """Watches the requests of an app. It goes by the route, not by the address, which may hold anything."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun = perf_counter()
        headers = Headers(scope=scope)
        notes = Notes(_request_id(headers.getlist(REQUEST_ID)))
        status, replayed = _CUT_OFF, False

        async def sending(message: Message) -> None:
            nonlocal status, replayed
            if message["type"] == "http.response.start":
                status = message["status"]
                answered = MutableHeaders(scope=message)
                replayed = "idempotent-replayed" in answered
                answered[REQUEST_ID] = notes.request_id
            await send(message)

        telemetry = _telemetry(scope)
        method = scope["method"] if scope["method"] in _METHODS else "other"
        traced = scope["path"] not in _PROBES and telemetry is not None
        traces = telemetry.traces if telemetry is not None and traced else NoTraces()
        token = _NOTES.set(notes)
        try:
            with traces.request(method, headers) as span:
                try:
                    await self._app(scope, receive, sending)
                finally:
                    route = _route(scope)
                    _tell(span, method, route, status, notes)
        finally:
            _NOTES.reset(token)
            seconds = perf_counter() - begun
            if telemetry is not None:
                telemetry.metrics.requests.labels(method, route, status).observe(seconds)
                telemetry.metrics.replays.inc(replayed)
            _write(method, route, status, seconds, notes, span)


def _telemetry(scope: Scope) -> Telemetry | None:
    service = getattr(scope["app"].state, "service", None)
    found: Telemetry | None = getattr(service, "telemetry", None)
    return found


def _request_id(sent: Sequence[str]) -> str:
    """Return the id that the caller gave, if it is fit to be written down; else a new one."""
    if len(sent) == 1 and _TAKEN_ID.fullmatch(sent[0]):
        return sent[0]
    return uuid4().hex


def _route(scope: Scope) -> str:
    """Return the path of the route, with names in place of values.

    A route knows its path within its router only. What stands before it is the prefix of the router.
    """
    path = getattr(scope.get("route"), "path", None)
    if not isinstance(path, str):
        return _UNROUTED
    values: Mapping[str, object] = scope.get("path_params", {})
    filled = _PARAMETER.sub(lambda found: str(values.get(found[1], "")), path)
    asked: str = scope["path"]
    return asked.removesuffix(filled) + path if asked.endswith(filled) else path


def _tell(span: Span, method: str, route: str, status: int, notes: Notes) -> None:
    span.rename(f"{method} {route}")
    span.note(
        {
            "http.route": route,
            "http.response.status_code": status,
            "arbiter.request_id": notes.request_id,
            "arbiter.receipts": notes.receipts,
        }
    )
    if status >= 500:
        span.fail(str(status))


def _write(method: str, route: str, status: int, seconds: float, notes: Notes, span: Span) -> None:
    level = logging.DEBUG if route in _PROBES else logging.WARNING if status >= 500 else logging.INFO
    fields: dict[str, object] = {
        "method": method,
        "route": route,
        "status": status,
        "duration_ms": round(seconds * 1000, 3),
        "request_id": notes.request_id,
        "caller": notes.caller,
    }
    if notes.records:
        fields |= {"records": notes.records, "receipts": notes.receipts}
    if span.trace_id is not None:
        fields["trace_id"] = span.trace_id
    _LOG.log(level, "%s %s %d", method, route, status, extra={FIELDS: fields})
