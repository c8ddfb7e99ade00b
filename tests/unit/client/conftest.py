"""A service that is not there: its answers, one after the other, and a clock that moves with pauses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest

from arbiter.client import AsyncClient, Client

URL = "http://service.test"


@dataclass
class Line:
    """The way to the service: gives these answers, or breaks, and notes what was sent and waited."""

    answers: Sequence[httpx.Response | type[httpx.TransportError]]
    sent: list[httpx.Request] = field(default_factory=list)
    pauses: list[float] = field(default_factory=list)

    def __call__(self, request: httpx.Request) -> httpx.Response:
        """Answer one request."""
        self.sent.append(request)
        answer = self.answers[len(self.sent) - 1]
        if isinstance(answer, httpx.Response):
            return answer
        raise answer("broken")

    def clock(self) -> float:
        """Return the seconds that were slept."""
        return sum(self.pauses)

    async def sleep(self, seconds: float) -> None:
        """Note a pause."""
        self.pauses.append(seconds)

    def client(self, **options: Any) -> Client:
        """Return a client at this end of the line."""
        transport = httpx.MockTransport(self)
        return Client(URL, transport=transport, sleep=self.pauses.append, clock=self.clock, **options)

    def async_client(self, **options: Any) -> AsyncClient:
        """Return the other kind of client."""
        transport = httpx.MockTransport(self)
        return AsyncClient(URL, transport=transport, sleep=self.sleep, clock=self.clock, **options)


def problem(
    status: int, code: str, *, headers: dict[str, str] | None = None, **members: Any
) -> httpx.Response:
    """Return a problem as the service answers it."""
    body = {"title": "-", "status": status, "code": code, "detail": "told", "field": None, **members}
    return httpx.Response(status, json=body, headers=headers)


def submitted(*outcomes: str) -> httpx.Response:
    """Return the answer to a batch, with no more of each receipt than its outcome and its place."""
    receipts = [{"record_index": place, "outcome": outcome} for place, outcome in enumerate(outcomes)]
    return httpx.Response(200, json={"receipts": receipts})


@pytest.fixture
def anyio_backend() -> str:
    """Return what async tests run on."""
    return "asyncio"
