"""The implementations that each contract is run on."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from arbiter.adapters.sql_store import SqlStore
from arbiter.ports import Clock, FactStore
from arbiter.testing_store import MemoryStore
from tests.contracts.fact_store_cases import TickingClock
from tests.postgres_server import PostgresServer

_MAKERS: dict[str, Callable[[Clock, Path], FactStore]] = {
    "memory": lambda clock, _: MemoryStore(clock),
    "sqlite-file": lambda clock, folder: SqlStore(folder / "facts.db", clock),
    "sqlite-memory": lambda clock, _: SqlStore(":memory:", clock),
}


@pytest.fixture(scope="session")
def empty_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a file that has the schema and nothing else, to be copied instead of made again."""
    path = tmp_path_factory.mktemp("empty") / "facts.db"
    SqlStore(path, TickingClock()).close()
    return path


@pytest.fixture
def clock() -> TickingClock:
    """Return the clock of the store, which goes on by a second at each look."""
    return TickingClock()


@pytest.fixture(params=[*_MAKERS, "postgresql"])
def store(
    request: pytest.FixtureRequest, tmp_path: Path, empty_file: Path, clock: TickingClock
) -> Iterator[FactStore]:
    """Return an empty fact store with that clock."""
    if request.param == "postgresql":
        made: FactStore = SqlStore(request.getfixturevalue("postgres_database"), clock)
    else:
        shutil.copy(empty_file, tmp_path)
        made = _MAKERS[request.param](clock, tmp_path)
    yield made
    made.close()


@pytest.fixture(scope="session", params=["sqlite-memory", "postgresql"])
def sql_store(request: pytest.FixtureRequest) -> Iterator[SqlStore]:
    """Return one SQL store for all examples of a property; each takes a namespace of its own."""
    location = ":memory:"
    if request.param == "postgresql":
        server: PostgresServer = request.getfixturevalue("postgres")
        location = server.new()
    made = SqlStore(location, TickingClock())
    yield made
    made.close()
