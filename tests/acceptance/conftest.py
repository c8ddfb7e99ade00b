"""Whatever stands on a bench runs on each database that a store can be kept in."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.acceptance.databases import SERVER
from tests.postgres_server import PostgresServer


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run the tests of a module that uses the bench twice."""
    if hasattr(metafunc.module, "bench"):
        metafunc.parametrize("_kept_in", ["sqlite", "postgresql"], indirect=True, scope="module")


@pytest.fixture(autouse=True, scope="module")
def _kept_in(request: pytest.FixtureRequest) -> Iterator[None]:
    """Let the bench keep its store in that database."""
    if getattr(request, "param", "sqlite") == "sqlite":
        yield
        return
    server: PostgresServer = request.getfixturevalue("postgres")
    token = SERVER.set(server)
    yield
    SERVER.reset(token)


@pytest.fixture
def kills(request: pytest.FixtureRequest) -> int:
    """Return how often to kill."""
    count: int = request.config.getoption("--kills")
    return count


@pytest.fixture
def rounds(request: pytest.FixtureRequest) -> int:
    """Return how many races to run on each kind of store and with each kind of racer."""
    count: int = request.config.getoption("--rounds")
    return count
