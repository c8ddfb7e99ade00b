"""Threads and processes that write to one store at the same moment: nothing is lost, doubled or half done."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from threading import Barrier

import pytest

from arbiter.adapters.sql_store import SqlStore
from arbiter.api import Arbiter
from tests.acceptance.databases import SERVER, empty_database
from tests.acceptance.interrupted import STARTER
from tests.acceptance.racing import PATIENCE_S, RACERS, RACES, Finish, race_along, run
from tests.consistency import check_index, check_states
from tests.light_service import light_context

Racing = Callable[[str, str], list[str]]


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """Return an empty store, in a file or on a server."""
    with ExitStack() as stack:
        if request.param == "postgresql":
            token = SERVER.set(request.getfixturevalue("postgres"))
            stack.callback(SERVER.reset, token)
        yield stack.enter_context(empty_database(tmp_path))


@pytest.fixture(params=["threads", "processes"])
def racing(request: pytest.FixtureRequest, database: str) -> Iterator[Racing]:
    """Return what lets three run a race in a namespace, and says what each was told."""
    yield from _threads(database) if request.param == "threads" else _processes(database)


def _threads(database: str) -> Iterator[Racing]:
    context, start = light_context(database), Barrier(RACERS)
    with ThreadPoolExecutor(RACERS) as pool:

        def race(name: str, namespace: str) -> list[str]:
            runs = [
                pool.submit(run, Arbiter(context), name, racer, namespace, start) for racer in range(RACERS)
            ]
            return [one.result(PATIENCE_S) for one in runs]

        yield race
    context.store.close()


def _processes(database: str) -> Iterator[Racing]:
    start = STARTER.Barrier(RACERS)
    lines, processes = [], []
    for racer in range(RACERS):
        ours, theirs = STARTER.Pipe()
        process = STARTER.Process(target=race_along, args=(database, racer, start, theirs))
        process.start()
        theirs.close()
        lines.append(ours)
        processes.append(process)

    def race(name: str, namespace: str) -> list[str]:
        for line in lines:
            line.send((name, namespace))
        assert all(line.poll(PATIENCE_S) for line in lines)
        return [str(line.recv()) for line in lines]

    yield race
    for line in lines:
        line.close()
    for process in processes:
        process.join(PATIENCE_S)


def test_whoever_comes_first(database: str, racing: Racing, rounds: int) -> None:
    """After each round the outcome is one that some order gives, and the same as that of a clean compile."""
    context, names = light_context(database), list(RACES)
    for number in range(rounds):
        name, namespace = names[number % len(names)], f"round {number}"
        race = RACES[name]
        before = [{**record, "namespace": namespace} for record in race.before]
        assert all(receipt.stored for receipt in Arbiter(context).submit(before))
        told = racing(name, namespace)
        there = check_states(context, namespace)
        check_index(context, namespace)
        finish = Finish(there, told)
        assert race.right(finish), (name, told, finish.states, finish.sightings)
    assert list(context.store.namespaces()) == sorted(f"round {number}" for number in range(rounds))
    store = context.store
    assert isinstance(store, SqlStore)
    with store.reading() as connection:
        forgotten = "SELECT count(*) FROM {} WHERE {} LIKE '%Forget me%'"
        for table, text in (("sightings", "content"), ("receipts", "body"), ("judgements", "body")):
            left = connection.exec_driver_sql(forgotten.format(table, text).replace("%", "%%")).scalar()
            assert left == 0, table
    store.close()
