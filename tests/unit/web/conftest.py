"""A service without models: words are its vectors, a table its judge."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Any

import pytest

from arbiter.adapters.sql_store import SqlStore
from arbiter.api import Arbiter
from arbiter.testing import TableJudge
from tests.factories import day, verdict
from tests.http_server import HttpServer, http_server
from tests.unit.pipeline.conftest import context_on

if TYPE_CHECKING:
    import httpx

JUDGEMENTS = {
    ("Ana lives in Lisbon.", "Ana moved to Porto."): verdict("update", mutability="mutable"),
    ("Ana moved to Porto.", "Ana moved to Faro."): verdict("update", mutability="mutable"),
    ("Ana was born in Porto.", "Ana was born in Faro."): verdict(
        "contradiction", mutability="immutable", stakes="high"
    ),
}
_names = count()


@dataclass(frozen=True)
class Room:
    """A namespace of its own in a served store."""

    server: HttpServer
    namespace: str

    @property
    def client(self) -> httpx.Client:
        """A client that is connected to the service."""
        return self.server.client

    def get(self, path: str, **query: Any) -> httpx.Response:
        """Read something of the namespace."""
        return self.client.get(f"/v1{path}", params={"namespace": self.namespace, **query})

    def post(self, path: str, body: object = None, **query: Any) -> httpx.Response:
        """Send JSON to a route of the namespace."""
        return self.client.post(f"/v1{path}", params={"namespace": self.namespace, **query}, json=body)

    def record(self, content: str, **fields: Any) -> dict[str, Any]:
        """Return a record of the namespace."""
        return {**told(content, **fields), "namespace": self.namespace}

    def submit(self, *records: object) -> httpx.Response:
        """Submit records."""
        return self.client.post("/v1/records", json={"records": records})


def told(content: str, *, day: int = 1, **fields: Any) -> dict[str, Any]:
    """Return a record of what a user said on a day of January 2026."""
    source = {"id": "chat:1", "kind": "user_stated"}
    return {"content": content, "source": source, "observed_at": f"2026-01-{day:02}T09:00:00Z", **fields}


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HttpServer]:
    """Return a running service; it is shared, so a test keeps to a namespace of its own."""
    store = SqlStore(tmp_path_factory.mktemp("web") / "facts.db", lambda: day(100))
    with http_server(Arbiter(context_on(store, TableJudge(JUDGEMENTS)))) as running:
        yield running


@pytest.fixture
def room(server: HttpServer) -> Room:
    """Return an empty namespace of the shared service."""
    return Room(server, f"room-{next(_names)}")
