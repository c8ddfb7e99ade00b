"""What holds for every test: no network beyond this machine, no inherited settings, no wall clock."""

from __future__ import annotations

import ipaddress
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, settings

from tests.postgres_server import PostgresServer, running

os.environ.update(
    # Child processes too find their models in packages, never in a hub.
    HF_HUB_OFFLINE="1",
    TRANSFORMERS_OFFLINE="1",
    LITELLM_LOCAL_MODEL_COST_MAP="True",
    TOKENIZERS_PARALLELISM="false",
)

settings.register_profile("desk", deadline=None)
settings.register_profile(
    "ci", deadline=None, derandomize=True, database=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("ci" if os.environ.get("CI") else "desk")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let some tests do more than a plain run has time for: ``--kills 500 --inputs 100000``."""
    parser.addoption("--kills", type=int, default=20, help="How often the crash tests kill the service.")
    parser.addoption("--rounds", type=int, default=8, help="How many races are run, of each kind.")
    parser.addoption(
        "--submissions", type=int, default=24, help="How much is submitted while the language model fails."
    )
    parser.addoption("--inputs", type=int, default=2_000, help="How many faulty inputs are tried.")


_NAME_EVENTS = {"socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"}
_ADDRESS_EVENTS = {"socket.connect", "socket.sendto", "socket.sendmsg"}


class NetworkClosedError(AssertionError):
    """A test tried to reach another machine."""


def _close_network(event: str, args: tuple[object, ...]) -> None:
    """Refuse to look up or to reach anything but this machine."""
    if event in _NAME_EVENTS:
        host = args[0]
    elif event in _ADDRESS_EVENTS and isinstance(args[1], tuple):
        host = args[1][0]
    else:
        return
    if not _is_here(host):
        raise NetworkClosedError(f"{event} to {host!r}: tests reach nothing but this machine")


def _is_here(host: object) -> bool:
    name = host.decode() if isinstance(host, bytes) else host
    if name in {None, "", "localhost"}:
        return True
    try:
        address = ipaddress.ip_address(str(name))
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified


sys.addaudithook(_close_network)


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """Run a PostgreSQL server for the tests that ask for one.

    Another user runs it, to whom pytest closes its own folder whenever it is started again.
    """
    with TemporaryDirectory(prefix="postgres") as folder, running(Path(folder)) as server:
        yield server


@pytest.fixture
def postgres_database(postgres: PostgresServer) -> Iterator[str]:
    """Return the URL of an empty store in PostgreSQL."""
    with postgres.lent() as url:
        yield url


@pytest.fixture(autouse=True)
def _no_inherited_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Remove every variable that arbiter would read."""
    for name in [name for name in os.environ if name.startswith("ARBITER_")]:
        monkeypatch.delenv(name)
