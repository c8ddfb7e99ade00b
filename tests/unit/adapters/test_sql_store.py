"""The SQL store between threads and processes, and how few statements it needs."""

from __future__ import annotations

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from threading import Barrier

import pytest

from arbiter.adapters.sql_store import SqlStore
from tests.contracts.fact_store_cases import (
    HERE,
    TickingClock,
    active,
    apply,
    decision,
    facts_in,
    judge,
    judged,
    keep,
    review,
    settled,
    sightings_in,
)
from tests.factories import day, make_sighting
from tests.processes import go_on, start, wait_for
from tests.statements import statements

WRITER = """
import sys
from arbiter.adapters.sql_store import SqlStore
from tests.contracts.fact_store_cases import TickingClock, active, apply, judge, judged, keep, settled
from tests.factories import make_sighting
store = SqlStore(sys.argv[1], TickingClock())
print("ready", flush=True)
sys.stdin.readline()
for n in range(20):
    shared = make_sighting(f"Shared {n}", at=n)
    own = make_sighting(f"Only {sys.argv[2]} says {n}", at=n, source=sys.argv[2])
    again = make_sighting(f"shared {n}", at=n, source=sys.argv[2])
    a, b, _ = keep(store, shared, own, again)
    with store.writing("default") as tx:
        tx.judged([judged(a, b, "update")])
        tx.finish([a, b])
        tx.touch({shared.id: (shared.last_seen, 1)})
        tx.apply(settled(*active(a, b)))
"""
KILLED = """
import sys
import numpy as np
from arbiter.adapters.sql_store import SqlStore
from tests.contracts.fact_store_cases import TickingClock, active, judged, keep, ruling, settled
from tests.factories import make_sighting
store = SqlStore(sys.argv[1], TickingClock())
keep(store, make_sighting("Before", at=0))
with store.writing("default") as tx:
    told = [make_sighting(f"Inside {n}" + " and more" * 500, at=1) for n in range(2000)]
    ids = [sighting.fact_id for sighting in told]
    tx.arrive(told, dict.fromkeys(ids, "ada"), dict.fromkeys(ids, frozenset({"porto"})))
    tx.put_vectors("m", ids, np.ones((2000, 384), dtype=np.float32))
    tx.judged([judged(ids[0], one, "update") for one in ids[1:]])
    tx.finish(ids)
    tx.ruled(ruling(ids[0], ids[1]))
    tx.apply(settled(*active(*ids)))
    tx.flush()
    print("inside", flush=True)
    sys.stdin.readline()
"""


def test_processes_that_write_at_once_lose_nothing(tmp_path: Path) -> None:
    """Three processes fill one new file together: every fact is there once, every touch counted."""
    path = str(tmp_path / "facts.db")
    writers = [start(WRITER, path, f"w{n}") for n in range(3)]
    for writer in writers:
        wait_for(writer, "ready")
    for writer in writers:
        go_on(writer)
    for writer in writers:
        _, errors = writer.communicate(timeout=120)
        assert writer.returncode == 0, errors
    store = SqlStore(path, TickingClock())
    shared = [make_sighting(f"Shared {n}", at=n) for n in range(20)]
    own = [make_sighting(f"Only w{w} says {n}", at=n) for w in range(3) for n in range(20)]
    ids = {s.fact_id for s in (*shared, *own)}
    assert set(store.fact_ids(HERE)) == ids
    assert store.states(HERE, ids) == {state.fact_id: state for state in active(*ids)}
    assert store.unfinished(HERE) == []
    counts = [sightings_in(store)[s.id].seen_count for s in shared]
    assert counts == [4] * 20
    facts = store.facts(HERE, [s.fact_id for s in shared])
    assert {fact.sources for fact in facts.values()} == {("chat:1", "w0", "w1", "w2")}
    store.close()
    with closing(sqlite3.connect(path)) as connection:
        places = connection.execute(
            "SELECT position FROM sightings UNION ALL SELECT position FROM judgements "
            "UNION ALL SELECT position FROM state_changes"
        ).fetchall()
    assert len(places) == len(set(places)) == 80 + 60 + 60 + 80


def test_a_killed_process_leaves_nothing_half_done(tmp_path: Path) -> None:
    """A process that dies inside a transaction leaves what was there before, and the file works."""
    path = str(tmp_path / "facts.db")
    writer = start(KILLED, path)
    wait_for(writer, "inside")
    writer.kill()
    writer.communicate()
    store = SqlStore(path, TickingClock())
    before = make_sighting("Before", at=0)
    assert list(store.fact_ids(HERE)) == [before.fact_id]
    assert store.subjects(HERE) == []
    assert store.rulings(HERE) == []
    assert list(store.vectors(HERE, "m", after=0)) == []
    assert [entry.kind for entry in store.history(HERE, before.fact_id)] == ["sighting"]
    after = make_sighting("After", at=2)
    keep(store, after)
    assert list(store.fact_ids(HERE)) == [before.fact_id, after.fact_id]
    store.close()
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


@pytest.mark.parametrize("location", ["facts.db", ":memory:"])
def test_threads_share_a_store(tmp_path: Path, location: str) -> None:
    """Threads that write and read at once see whole transactions only, and lose none."""
    store = SqlStore(location if location == ":memory:" else tmp_path / location, TickingClock())
    together = Barrier(4)

    def work(worker: int) -> list[int]:
        together.wait()
        seen = []
        for n in range(15):
            keep(store, *(make_sighting(f"Fact {worker} {n} {k}", at=n) for k in range(5)))
            seen.append(len(list(store.fact_ids(HERE))))
        return seen

    with ThreadPoolExecutor(4) as threads:
        seen = [number for found in threads.map(work, range(4)) for number in found]
    assert {number % 5 for number in seen} == {0}
    assert len(list(store.fact_ids(HERE))) == 4 * 15 * 5
    store.close()


def test_a_reader_does_not_wait_for_a_writer(tmp_path: Path) -> None:
    """Another thread reads the state before a transaction that is still open."""
    store = SqlStore(tmp_path / "facts.db", TickingClock())
    (known,) = facts_in(store, 1)
    with store.writing(HERE) as tx, ThreadPoolExecutor(1) as threads:
        tx.arrive([make_sighting("Another", at=5)], {}, {})
        assert threads.submit(lambda: list(store.fact_ids(HERE))).result() == [known.id]
    store.close()


def test_everything_is_there_after_closing(tmp_path: Path) -> None:
    """A file that is opened again holds what was written, and goes on from there."""
    path = tmp_path / "facts.db"
    store = SqlStore(path, TickingClock())
    a, b = (fact.id for fact in facts_in(store, 2))
    early, late = decision(a, b), decision(b, a)
    apply(store, settled(*active(a, b), decisions=[early], reviews=[review(a, b)]))
    store.close()
    again = SqlStore(f"sqlite:///{path}", TickingClock())
    apply(again, settled(*active(a, b), decisions=[early, late], reviews=[review(a, b)]))
    assert again.later_decisions(HERE, early.id) == [late]
    assert again.reviews(HERE) == [review(a, b)]
    again.close()


def test_stores_in_memory_are_apart() -> None:
    """Each ``:memory:`` is a store of its own."""
    one, other = SqlStore(":memory:", TickingClock()), SqlStore(":memory:", TickingClock())
    facts_in(one, 2)
    assert one.namespaces() == [HERE]
    assert other.namespaces() == []
    one.close()
    other.close()


def test_a_batch_of_re_reads_takes_a_handful_of_statements(tmp_path: Path) -> None:
    """A thousand records that were seen before are looked up in one statement and counted in another."""
    store = SqlStore(tmp_path / "facts.db", TickingClock())
    told = [make_sighting(f"Fact {n}", at=n) for n in range(1000)]
    keep(store, *told)
    with statements() as sent:
        assert len(store.last_seen(HERE, [s.id for s in told])) == 1000
        with store.writing(HERE) as tx:
            tx.touch({s.id: (day(2000), 1) for s in told})
            tx.touch({s.id: (None, 1) for s in told})
    assert [text.split()[0] for text in sent] == ["BEGIN", "SELECT", "BEGIN", "UPDATE", "UPDATE"]
    assert {s.seen_count for s in sightings_in(store).values()} == {3}
    store.close()


def test_work_grows_in_rows_and_not_in_statements(tmp_path: Path) -> None:
    """A batch of five hundred takes as many statements as one of five."""
    store = SqlStore(tmp_path / "facts.db", TickingClock())

    def round_trip(number: int, label: str) -> int:
        told = [make_sighting(f"{label} {n}", at=n, ref=f"{label}{n}") for n in range(number)]
        ids = [s.fact_id for s in told]
        names = {fact_id: f"user:{n}" for n, fact_id in enumerate(ids)}
        with statements() as sent:
            keep(store, *told, subjects=names, entities={i: frozenset({n}) for i, n in names.items()})
            for find in (store.by_subject, store.by_entity):
                assert len(find(HERE, names.values(), limit=3)) == number
            judge(store, *(judged(ids[0], other, "update") for other in ids[1:]))
            with store.writing(HERE) as tx:
                tx.finish(ids)
                assert len(tx.cluster(ids[1:2]).facts) == number
            decisions = [decision(ids[0], other) for other in ids[1:]]
            questions = [review(ids[0], other) for other in ids[1:]]
            for _ in range(2):
                apply(store, settled(*active(*ids), decisions=decisions, reviews=questions))
            apply(store, settled(*active(*ids)))
        return len(sent)

    assert round_trip(5, "few") == round_trip(500, "many")
    store.close()
