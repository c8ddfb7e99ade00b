"""Clients of a service on loopback, records to send, and a way on which answers get lost."""

from __future__ import annotations

import ssl
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import httpx

from arbiter.client import Client

TLS = ssl.create_default_context()
"""Not used on loopback, but each connection would make one of its own, and that takes its time."""


def told(
    content: str, day: int = 1, *, by: str = "chat:1", ref: str | None = None, **fields: Any
) -> dict[str, Any]:
    """Return a record of what a user said on a day of January 2025."""
    source = {"id": by, "kind": "user_stated", "ref": ref}
    return {"content": content, "source": source, "observed_at": f"2025-01-{day:02}T09:00:00Z", **fields}


def lives(city: str, day: int = 1, who: str = "Ana", **fields: Any) -> dict[str, Any]:
    """Return a record of where somebody lives, which can change."""
    claim = {"subject": who.lower(), "claim_key": "user.residence", "value": city}
    return told(f"{who} lives in {city}.", day, **claim, **fields)


def born(city: str, day: int = 1, who: str = "Bob", **fields: Any) -> dict[str, Any]:
    """Return a record of where somebody was born, which cannot."""
    claim = {"subject": who.lower(), "claim_key": "user.birthplace", "value": city}
    return told(f"{who} was born in {city}.", day, **claim, **fields)


def calling(url: str, **options: Any) -> Client:
    """Return a client that asks no proxy on the way."""
    return Client(url, **{"transport": httpx.HTTPTransport(verify=TLS), **options})


@dataclass
class Loses(httpx.BaseTransport):
    """Carries every request to the service, and loses the answers that it is told to lose.

    ``lost`` are those answers, so that a test can see what became of the request.
    """

    is_lost: Callable[[int], bool]
    lost: list[bytes] = field(default_factory=list)
    sent: int = 0

    def __post_init__(self) -> None:
        self._inner = httpx.HTTPTransport(verify=TLS)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request and return its answer, or lose it."""
        response = self._inner.handle_request(request)
        self.sent += 1
        if not self.is_lost(self.sent):
            return response
        self.lost.append(response.read())
        response.close()
        raise httpx.ReadTimeout("the answer got lost", request=request)

    def close(self) -> None:
        """Let go of the connections."""
        self._inner.close()
