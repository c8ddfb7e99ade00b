"""Calls of the service as plain values: what to send, and how the answer reads. Nothing here sends."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, Generic, TypeVar
from urllib.parse import quote
from uuid import uuid4

from arbiter.errors import RequestError, ServiceError

if TYPE_CHECKING:
    import httpx

T = TypeVar("T")
Parameters = Mapping[str, str | int | Sequence[str] | datetime | None]

KEY_HEADER = "Idempotency-Key"
JSON = "application/json"
_LONGEST_KEY = 255


@dataclass(frozen=True, slots=True)
class Call(Generic[T]):
    """One request.

    Attributes:
        method: the HTTP method.
        path: below the address of the service.
        read: makes the result of an answer that is a success.
        query: parameters; those that are None are left out.
        content: the body.
        media_type: what the body is.
        key: Idempotency-Key.
        repeatable: is it safe to send it again when nobody knows what became of it?
        itemised: the key under which a batch is answered item by item. An answer that refuses every item
            is a result, too.
    """

    method: str
    path: str
    read: Callable[[httpx.Response], T]
    query: Parameters = field(default_factory=dict)
    content: bytes | None = None
    media_type: str = JSON
    key: str | None = None
    repeatable: bool = True
    itemised: str | None = None

    @property
    def headers(self) -> dict[str, str]:
        """The headers of the request, beside those of every request."""
        found = {} if self.content is None else {"Content-Type": self.media_type}
        return found if self.key is None else {**found, KEY_HEADER: _quoted(self.key)}

    @property
    def params(self) -> dict[str, str | list[str]]:
        """The parameters as they are written."""
        return {name: _written(value) for name, value in self.query.items() if value is not None}

    def behind(self, place: str) -> Call[T]:
        """Return the call for the page behind a place."""
        return replace(self, query={**self.query, "after": place})

    def result(self, response: httpx.Response) -> T:
        """Return what an answer says.

        Raises:
            ServiceError: it is not an answer of an arbiter.
        """
        try:
            return self.read(response)
        except (ValueError, KeyError, TypeError) as error:
            status = response.status_code
            raise ServiceError(f"{self.method} {self.path}: {status}, and no answer of an arbiter") from error


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """A part of a longer answer; ``next`` is the place behind which the rest lies, None at the end."""

    items: Sequence[T]
    next: str | None = None


def key_for(own: str | None) -> str:
    """Return the Idempotency-Key of a call: the caller's own one, else a new one.

    Raises:
        RequestError: the caller's own one cannot be sent.
    """
    key = str(uuid4()) if own is None else own
    if not (1 <= len(key) <= _LONGEST_KEY and key.isascii() and key.isprintable()):
        message = f"{KEY_HEADER}: has to be 1 to {_LONGEST_KEY} printable ASCII characters"
        raise RequestError(message, field=KEY_HEADER)
    return key


def path_to(*parts: str) -> str:
    """Return the path to something under ``/v1``; parts may be ids, whatever is in them."""
    return "/".join(["/v1", *(quote(part, safe="") for part in parts)])


def encoded(value: object, name: str) -> bytes:
    """Return a value as JSON; moments are written in ISO 8601.

    Raises:
        RequestError: it cannot be written; ``field`` is the name.
    """
    try:
        # Escaped, so that a lone surrogate gets to the service, which refuses its record and no other.
        return json.dumps(value, allow_nan=False, default=_plain, separators=(",", ":")).encode("ascii")
    except (TypeError, ValueError, RecursionError) as error:
        raise RequestError(f"{name}: cannot be written as JSON: {error}", field=name) from error


def json_of(response: httpx.Response) -> Any:  # noqa: ANN401  each call says what it is
    """Return the JSON of an answer."""
    return response.json()


def of_key(name: str) -> Callable[[httpx.Response], Any]:
    """Return what reads one key of an answer."""
    return lambda response: response.json()[name]


def page_of(name: str) -> Callable[[httpx.Response], Page[Any]]:
    """Return what reads a page, whose items are under one key of an answer."""

    def read(response: httpx.Response) -> Page[Any]:
        body = response.json()
        return Page(body[name], body["next"])

    return read


def _plain(value: object) -> str:
    if isinstance(value, datetime):
        return value.isoformat()
    raise TypeError(f"{type(value).__name__} is no type of JSON")


def _written(value: str | int | Sequence[str] | datetime) -> str | list[str]:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, datetime):
        return value.isoformat()
    return value if isinstance(value, str) else str(value) if isinstance(value, int) else list(value)


def _quoted(key: str) -> str:
    """Write a key as a string of RFC 9651."""
    return '"' + key.replace("\\", "\\\\").replace('"', '\\"') + '"'
