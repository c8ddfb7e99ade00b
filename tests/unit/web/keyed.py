"""A service on fakes whose clock stands still, and clients that call it with and without keys."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from fastapi.testclient import TestClient

from arbiter.adapters.secret_tokens import Made, new_key
from arbiter.api import Arbiter
from arbiter.domain.access import SCOPES, Scope
from arbiter.ports import FactStore
from arbiter.settings import Settings
from arbiter.testing import TableJudge
from arbiter.testing_store import MemoryStore
from arbiter.web.app import build
from arbiter.web.service import Service
from tests.factories import day
from tests.unit.pipeline.conftest import context_on

if TYPE_CHECKING:
    from fastapi import APIRouter, FastAPI

HERE = "http://127.0.0.1:8000"


@dataclass
class StillClock:
    """Tells the same time until it is moved."""

    now: datetime = field(default_factory=lambda: day(100))

    def __call__(self) -> datetime:
        """Return the time."""
        return self.now

    def pass_by(self, **units: float) -> None:
        """Move on."""
        self.now += timedelta(**units)


@dataclass
class Served:
    """A running service, its store and its clock."""

    app: FastAPI
    store: FactStore
    clock: StillClock

    def client(
        self, token: str | None = None, *, address: str = "127.0.0.1", base_url: str = HERE, **headers: str
    ) -> TestClient:
        """Return a client that sends this key, from this address."""
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        if token is not None:
            sent["authorization"] = f"Bearer {token}"
        return TestClient(
            self.app, base_url=base_url, client=(address, 50_000), headers=sent, follow_redirects=False
        )

    def make_key(
        self, *scopes: Scope, namespace: str | None = None, expires_at: datetime | None = None
    ) -> Made:
        """Make a key with these scopes, all of them by default."""
        made = new_key("Ada", namespace, scopes or SCOPES, at=self.clock(), expires_at=expires_at)
        self.store.keys.add(made.key, made.digest)
        return made


@contextmanager
def serving(
    *routers: APIRouter,
    store: FactStore | None = None,
    clock: StillClock | None = None,
    judge: TableJudge | None = None,
    keys: bool = False,
    **settings: Any,
) -> Iterator[Served]:
    """Run a service, with more routes beside its own; with ``keys`` there is a key that nobody has."""
    clock = clock or StillClock()
    store = store or MemoryStore(clock)
    chosen = Settings(judge="none", serve_linger_ms=0, serve_threads=2, **settings)
    context = replace(context_on(store, judge or TableJudge()), clock=clock)
    app = build(chosen, lambda settings: Service(Arbiter(context), settings))
    for router in routers:
        app.include_router(router)
    served = Served(app, store, clock)
    if keys:
        served.make_key()
    with TestClient(app):
        yield served
