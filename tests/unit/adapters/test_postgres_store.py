"""The store in PostgreSQL between threads, processes and namespaces."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier

import numpy as np
import pytest

from arbiter.adapters.pgvector_index import PgVectorIndex
from arbiter.adapters.sql_store import SqlStore
from arbiter.domain.answers import Answer, Claim
from arbiter.errors import StoreUnavailableError
from tests.contracts.fact_store_cases import (
    HERE,
    RECORDED,
    TickingClock,
    active,
    facts_in,
    keep,
    settled,
    sightings_in,
)
from tests.factories import make_sighting
from tests.postgres_server import PostgresServer
from tests.processes import go_on, start, wait_for

AT_ONCE = timedelta(milliseconds=1)
OPENER = """
import sys
from arbiter.adapters.sql_store import SqlStore
from tests.contracts.fact_store_cases import TickingClock
print("ready", flush=True)
sys.stdin.readline()
SqlStore(sys.argv[1], TickingClock()).close()
"""
KILLED = """
import sys
from arbiter.adapters.sql_store import SqlStore
from tests.contracts.fact_store_cases import TickingClock
from tests.factories import make_sighting
store = SqlStore(sys.argv[1], TickingClock())
with store.writing("default") as tx:
    tx.arrive([make_sighting("Inside", at=1)], {}, {})
    print("inside", flush=True)
    sys.stdin.readline()
"""


@pytest.fixture
def store(postgres_database: str) -> Iterator[SqlStore]:
    """Return an empty store."""
    made = SqlStore(postgres_database, TickingClock())
    yield made
    made.close()


@pytest.fixture
def hasty(postgres_database: str) -> Iterator[SqlStore]:
    """Return a second store on the same database, one that waits for nobody."""
    made = SqlStore(postgres_database, TickingClock(), busy_timeout=AT_ONCE)
    yield made
    made.close()


def test_processes_that_open_a_new_database_at_once_make_it_once(postgres: PostgresServer) -> None:
    """One of them makes the schema, the others wait for it."""
    url = postgres.new()
    openers = [start(OPENER, url) for _ in range(3)]
    for opener in openers:
        wait_for(opener, "ready")
    for opener in openers:
        go_on(opener)
    for opener in openers:
        _, errors = opener.communicate(timeout=120)
        assert opener.returncode == 0, errors
    store = SqlStore(url, TickingClock())
    assert len(facts_in(store, 2)) == len(list(store.fact_ids(HERE))) == 2
    store.close()


def test_two_stores_that_write_at_once_take_turns(store: SqlStore, postgres_database: str) -> None:
    """Two stores, as of two workers, read and write one count two hundred times: no turn is lost."""
    other = SqlStore(postgres_database, TickingClock())
    (fact,) = facts_in(store, 1)
    (sighting,) = fact.sightings
    together = Barrier(4)

    def count(worker: int) -> None:
        mine = (store, other)[worker % 2]
        together.wait()
        for _ in range(50):
            with mine.writing(HERE) as tx:
                seen = sightings_in(mine)[sighting.id].seen_count
                tx.touch({sighting.id: (sighting.last_seen, 1)})
                assert sightings_in(mine)[sighting.id].seen_count == seen + 1

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(count, range(4)))
    assert sightings_in(store)[sighting.id].seen_count == 201
    other.close()


def test_two_settlements_at_once_have_one_winner(store: SqlStore, postgres_database: str) -> None:
    """Each of two workers lets its own fact win, if none has won: in a hundred rounds there is one."""
    other = SqlStore(postgres_database, TickingClock())
    for turn in range(100):
        namespace, together = f"race {turn}", Barrier(2)
        told = [make_sighting(f"Says {n}", at=n, namespace=namespace) for n in range(2)]
        ids = keep(store, *told, namespace=namespace)

        def win(
            worker: int, *, space: str = namespace, barrier: Barrier = together, known: list[str] = ids
        ) -> bool:
            mine = (store, other)[worker]
            barrier.wait()
            with mine.writing(space) as tx:
                if mine.states(space, known):
                    return False
                tx.apply(settled(*active(known[worker])))
                return True

        with ThreadPoolExecutor(2) as threads:
            won = list(threads.map(win, range(2)))
        assert sorted(won) == [False, True]
        assert list(store.states(namespace, ids)) == [ids[won.index(True)]]
    other.close()


def test_a_writer_waits_for_its_namespace_only(store: SqlStore, hasty: SqlStore) -> None:
    """While one is written to, another one can be; the same one cannot, and says so."""
    with store.writing(HERE):
        elsewhere = make_sighting("Elsewhere", namespace="other")
        assert keep(hasty, elsewhere, namespace="other") == [elsewhere.fact_id]
        with pytest.raises(StoreUnavailableError, match="is locked by another writer"):
            keep(hasty, make_sighting("Here"))
    assert hasty.namespaces() == ["other"]


def test_a_reader_does_not_wait_for_a_writer(store: SqlStore, hasty: SqlStore) -> None:
    """Another store reads the state before a transaction that is still open."""
    (known,) = facts_in(store, 1)
    with store.writing(HERE) as tx:
        tx.arrive([make_sighting("Another", at=5)], {}, {})
        assert list(hasty.fact_ids(HERE)) == [known.id]
    assert len(list(hasty.fact_ids(HERE))) == 2


def test_a_killed_process_leaves_nothing_half_done(store: SqlStore, postgres_database: str) -> None:
    """A worker that dies inside a transaction leaves nothing of it, and nobody waits for it for ever."""
    writer = start(KILLED, postgres_database)
    wait_for(writer, "inside")
    writer.kill()
    writer.communicate()
    after = make_sighting("After", at=2)
    keep(store, after)
    assert list(store.fact_ids(HERE)) == [after.fact_id]


def test_an_answer_that_is_kept_while_a_fact_is_erased_does_not_quote_it(
    store: SqlStore, hasty: SqlStore
) -> None:
    """Erasure and the answers of all namespaces take turns, so whichever is later sees the other."""
    (fact,) = facts_in(store, 1)
    claim = Claim(
        "key", "me", "f", {}, RECORDED, RECORDED + timedelta(minutes=1), RECORDED + timedelta(days=1)
    )
    assert hasty.answers.claim(claim) is None
    with store.writing(HERE) as tx:
        tx.erase(fact.id)
        with pytest.raises(StoreUnavailableError, match="is locked by another writer"):
            hasty.answers.finish(claim, Answer(200, b"{}"), HERE)


def test_texts_are_in_order_by_their_code_points(store: SqlStore) -> None:
    """Whatever the language of the server: capitals first, then small letters, then the rest."""
    names = ["b", "a", "Z", "é", "_", "1"]
    told = [make_sighting(f"About {name}") for name in names]
    keep(store, *told, subjects={s.fact_id: name for s, name in zip(told, names, strict=True)})
    with store.reading() as connection:
        found = connection.exec_driver_sql("SELECT subject FROM facts ORDER BY subject").scalars()
        assert list(found) == sorted(names)


def test_a_large_namespace_is_searched_by_its_graph(store: SqlStore) -> None:
    """The graph is made once, for that namespace alone, and finds what comes after it."""
    rows = np.eye(40, dtype=np.float32)
    for namespace in ("it's 50% large", "small"):
        index = PgVectorIndex(store, namespace, "m", 40, hnsw_from=20)
        count = 30 if namespace != "small" else 10
        index.add([f"fact_{n:02}" for n in range(count)], rows[:count])
        assert index.search(rows[:1], limit=1, min_similarity=0.5) == [[("fact_00", 1.0)]]
    with store.reading() as connection:
        made = "SELECT count(*) FROM pg_indexes WHERE indexname LIKE 'ix_vectors_hnsw_%%'"
        graphs = made + " AND indexdef LIKE '%%50%% large%%'"
        assert connection.exec_driver_sql(graphs).scalar() == 1
    large = PgVectorIndex(store, "it's 50% large", "m", 40, hnsw_from=20)
    large.add(["fact_new"], rows[35:36])
    assert large.search(rows[35:36], limit=1, min_similarity=0.5) == [[("fact_new", 1.0)]]
