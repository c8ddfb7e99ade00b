"""Many namespaces side by side in one store, as an engine with many workers arbitrates them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TypeVar

import pytest

from arbiter.scan import Engine, ProcessEngine, RayEngine, scan
from arbiter.settings import Settings
from tests.scan_outcome import Outcome, outcome
from tests.scanning import raw, write_lines

Result = TypeVar("Result")

NAMESPACES = 24
TOWNS = "Lisbon Porto Faro".split()


class Everywhere:
    """Implements ``Cluster`` in this process: each thread computes what it asks for."""

    def map(self, function: Callable[..., Result], parts: Iterable[Sequence[object]]) -> list[Result]:
        """See ``Cluster.map``."""
        return [function(*part) for part in parts]


def scanned(dump: Path, folder: Path, engine: Engine, database: str) -> Outcome:
    """Scan a file into a store with an engine; no model judges."""
    settings = Settings(database=database, judge="none", embedding_threads=1)
    with engine.open(settings) as arbiter:
        scan(arbiter, [dump], folder, batch_size=2 * NAMESPACES, engine=engine)
        return outcome(arbiter, folder)


@pytest.fixture(scope="module")
def dump(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a file of people, each in a namespace, who move in turn."""
    home = {"subject": "user", "claim_key": "user.residence"}
    moves = [
        raw(f"User lives in {town}.", at=at, namespace=f"n{number}", value=town, **home)
        for at, town in enumerate(TOWNS)
        for number in range(NAMESPACES)
    ]
    return write_lines(tmp_path_factory.mktemp("dump") / "dump.jsonl", moves)


@pytest.fixture(scope="module")
def alone(dump: Path, tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    """Return what comes of a scan of one namespace after the other."""
    folder = tmp_path_factory.mktemp("alone")
    return scanned(dump, folder, ProcessEngine(), str(folder / "facts.db"))


@pytest.mark.parametrize("store", ["file", "memory", "server"])
def test_namespaces_side_by_side(
    dump: Path, tmp_path: Path, alone: Outcome, store: str, request: pytest.FixtureRequest
) -> None:
    """More of them than are arbitrated at once: nobody waits too long for the store, and nothing differs."""
    database = {"file": str(tmp_path / "facts.db"), "memory": ":memory:"}.get(store)
    database = database or request.getfixturevalue("postgres_database")
    found = scanned(dump, tmp_path, RayEngine(Everywhere()), database)
    states = {"active": 1, "superseded": 2, "tombstoned": 0, "pending": 0}
    assert found.summary["facts"] == {state: count * NAMESPACES for state, count in states.items()}
    assert found.without_similarities() == alone.without_similarities()
