"""Requests are read as they are meant or not at all: sizes, content types, JSON, parameters."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from email.message import Message
from typing import Any, get_args, get_origin

from fastapi import Request, Response
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute

from arbiter.domain.outcomes import Reason
from arbiter.errors import MediaTypeError, RequestError, TimeLimitError, TooLargeError, UnreadableError
from arbiter.interchange.faults import spelt
from arbiter.interchange.json_reader import json_value, repeated_key
from arbiter.web.intake import Unreadable
from arbiter.web.service import service_of

NDJSON = "application/x-ndjson"
_NDJSON_NAMES = frozenset([NDJSON, "application/ndjson", "application/jsonl", "application/jsonlines"])
# A body over the limit is read to its end, so that the sender gets to read the answer, but not for ever.
_DRAINED_BYTES = 67_108_864
_BIG_BYTES = 65_536


class StrictRoute(APIRoute):
    """A route that refuses unknown or repeated parameters, bodies of the wrong kind, and repeated keys."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return what handles a request to this route."""
        handle = super().get_route_handler()
        known = _parameters(self.dependant)
        takes_json = self.body_field is not None

        async def strictly(request: Request) -> Response:
            for name in request.query_params:
                if name not in known:
                    told = spelt(name)
                    raise RequestError(f"{told}: no such parameter", field=told or "''")
                if len(request.query_params.getlist(name)) > 1 and not known[name]:
                    raise RequestError(f"{name}: comes more than once", field=name)
            if not takes_json or _has_no_body(request):
                return await handle(request)
            require_media_type(request, "application/json")
            body = await read_body(request)
            parse = _parsed if len(body) <= _BIG_BYTES else None
            data = parse(body) if parse else await service_of(request).run(lambda: _parsed(body))
            return await handle(_Read(request, body, data))

        return strictly


class _Read(Request):
    """A request whose body has been read and parsed."""

    def __init__(self, request: Request, body: bytes, data: object) -> None:
        super().__init__(request.scope, request.receive)
        self._body = body
        self._json = self.data = data


def sent_json(request: Request) -> object:
    """Return the JSON that a request brought; None where its route takes none."""
    return request.data if isinstance(request, _Read) else None


def media_type(request: Request) -> str:
    """Return the content type of a request, without parameters; empty if there is none."""
    header = Message()
    header["content-type"] = request.headers.get("content-type", "")
    found = header.get_content_type() if request.headers.get("content-type") else ""
    return NDJSON if found in _NDJSON_NAMES else found


def require_media_type(request: Request, *taken: str) -> str:
    """Return the content type of a request, which is one of these.

    Raises:
        MediaTypeError: it is another one, or none.
    """
    found = media_type(request)
    if found not in taken:
        raise MediaTypeError(f"the body has to be {' or '.join(taken)}", field="Content-Type")
    return found


async def read_body(request: Request) -> bytes:
    """Return the whole body of a request, which may be asked for again.

    Raises:
        TooLargeError: it is larger than the settings allow.
        TimeLimitError: it stopped arriving.
    """
    known: bytes | None = getattr(request.state, "body", None)
    if known is None:
        chunks: list[bytes] = []
        await receive(request, service_of(request).settings.serve_max_body_bytes, chunks.append)
        known = request.state.body = b"".join(chunks)
    return known


async def receive(request: Request, limit: int, keep: Callable[[bytes], object]) -> None:
    """Take in a body of at most ``limit`` bytes, chunk by chunk.

    Raises:
        TooLargeError: it has more bytes.
        TimeLimitError: it stopped arriving.
    """
    size = 0
    seconds = service_of(request).settings.serve_timeout_s
    clock = asyncio.get_running_loop()
    try:
        async with asyncio.timeout(seconds) as patience:
            async for chunk in request.stream():
                patience.reschedule(clock.time() + seconds)
                size += len(chunk)
                if size <= limit:
                    keep(chunk)
                elif size > limit + _DRAINED_BYTES:
                    break
    except TimeoutError as error:
        raise TimeLimitError(f"nothing of the body arrived for {seconds:g} seconds") from error
    if size > limit:
        raise TooLargeError(f"the body has more than {limit:,} bytes")


def _parameters(dependant: Dependant) -> dict[str, bool]:
    """Return the names of the parameters of a route, and whether each may come more than once."""
    found = {field.alias: _is_list(field.field_info.annotation) for field in dependant.query_params}
    for inner in dependant.dependencies:
        found |= _parameters(inner)
    return found


def _is_list(annotation: object) -> bool:
    return get_origin(annotation) is list or any(map(_is_list, get_args(annotation)))


def _has_no_body(request: Request) -> bool:
    headers = request.headers
    return headers.get("content-length", "0") == "0" and "transfer-encoding" not in headers


def _parsed(body: bytes) -> object:
    """Return the JSON of a body. A key that stands twice within one item of a batch spoils that item alone.

    Raises:
        UnreadableError: it is no JSON, or a key stands twice elsewhere.
    """
    data, reason = json_value(body)
    if reason is None and repeated_key(data) is not None:
        data = _without_spoilt_items(data)
        reason = repeated_key(data)
    if reason is not None:
        raise UnreadableError(reason.message, field=reason.field)
    return data


def _without_spoilt_items(data: object) -> object:
    if isinstance(data, dict):
        for name, items in data.items():
            if isinstance(items, list):
                data[name] = [_spoilt(repeated_key(item)) or item for item in items]
    return data


def _spoilt(reason: Reason | None) -> Unreadable | None:
    return None if reason is None else Unreadable(reason)
