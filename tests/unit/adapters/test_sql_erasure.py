"""Erased text is in no file of the database: neither in its pages nor in its write-ahead log."""

from __future__ import annotations

import random
import sqlite3
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest

from arbiter.adapters import sqlite_engine
from arbiter.adapters.sql_store import SqlStore
from arbiter.domain.evidence import GuardFinding
from arbiter.domain.facts import Sighting
from arbiter.domain.outcomes import FoundRelation, Receipt
from arbiter.domain.vocabulary import Outcome
from tests.contracts.fact_store_cases import (
    HERE,
    TickingClock,
    active,
    decision,
    judged,
    keep,
    review,
    ruling,
    settled,
)
from tests.factories import make_sighting
from tests.processes import start, wait_for


def secretive(number: int, rng: random.Random) -> Sighting:
    """Return a sighting, short or long, that has a secret of its own in each of its words."""
    secret = f"secret{number:04}x"
    return make_sighting(
        f"Ada {secret}. " + f"{secret} " * rng.choice([0, 1, 9, 300]),
        at=rng.random() * 100,
        subject=secret,
        claim_key=secret,
        value=secret,
        tags=(secret,),
        metadata={secret: secret},
    )


def fill(store: SqlStore, told: list[Sighting], rng: random.Random) -> None:
    """Bring sightings in batches of mixed size, each judged against an earlier one, quoting both."""
    for first in range(0, len(told), 25):
        batch = told[first : first + 25]
        names = {s.fact_id: str(s.record.subject) for s in batch}
        others = [rng.choice(told[: first + 25]) for _ in batch]
        keep(store, *batch, subjects=names, entities={i: frozenset({n, "x"}) for i, n in names.items()})
        with store.writing(HERE) as tx:
            tx.put_vectors("m", list(names), np.ones((len(names), 32), dtype=np.float32))
            for one, other in zip(batch, others, strict=True):
                if one is other:
                    continue
                both = f"{one.record.subject} against {other.record.subject} "
                a, b = one.fact_id, other.fact_id
                found = judged(
                    a,
                    b,
                    "update",
                    reason=both * rng.choice([1, 50]),
                    attribute=both,
                    merged_text=both,
                    guards=(GuardFinding("name", both, both),),
                )
                relation = FoundRelation(b, "b", found.judgement)
                told_so = Receipt(
                    0, HERE, Outcome.STORED, stored=True, fact_id=a, event_key=a, relations=(relation,)
                )
                tx.judged([found])
                tx.receipts([told_so])
                tx.ruled(ruling(a, b, name=f"rul_{a}", reason=both))
                tx.apply(
                    settled(*active(a), decisions=[decision(a, b)], reviews=[review(a, b, proposal=both)])
                )


def test_no_file_holds_erased_text(tmp_path: Path) -> None:
    """After erasing some of many facts, no file beside the database holds one of their words."""
    rng = random.Random(4)
    told = [secretive(number, rng) for number in range(250)]
    store = SqlStore(tmp_path / "facts.db", TickingClock())
    fill(store, told, rng)
    erased, kept = told[::10], [s for n, s in enumerate(told) if n % 10]

    def held(sighting: Sighting) -> bool:
        word = str(sighting.record.subject).encode()
        return any(word in file.read_bytes() for file in tmp_path.iterdir())

    assert all(held(sighting) for sighting in told)
    with store.writing(HERE) as tx:
        for sighting in erased:
            tx.erase(sighting.fact_id)
    assert {file.name for file in tmp_path.iterdir()} == {"facts.db", "facts.db-shm", "facts.db-wal"}
    assert [s.record.subject for s in erased if held(s)] == []
    names = {s.fact_id: str(s.record.subject) for s in erased}
    again = [replace(s, id=f"{s.id}-again") for s in erased]
    keep(store, *again, subjects=names, entities={i: frozenset({n}) for i, n in names.items()})
    assert len(store.facts(HERE, [erased[0].fact_id])[erased[0].fact_id].sightings) == 2
    assert [s.record.subject for s in erased if held(s)] == []
    assert all(held(sighting) for sighting in kept)
    store.close()


def test_text_that_could_not_be_scrubbed_goes_later(tmp_path: Path) -> None:
    """While a reader holds old pages they stay; the next writer takes them out."""
    path = tmp_path / "facts.db"
    store = SqlStore(path, TickingClock(), busy_timeout=timedelta())
    (fact_id,) = keep(store, make_sighting("Ada xyzzy."))
    reader = sqlite3.connect(path, isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT * FROM sightings").fetchall()
    with store.writing(HERE) as tx:
        tx.erase(fact_id)
    assert any(b"xyzzy" in file.read_bytes() for file in tmp_path.iterdir())
    reader.close()
    with store.writing(HERE):
        pass
    assert not any(b"xyzzy" in file.read_bytes() for file in tmp_path.iterdir())
    store.close()


_CARRIES_OVER = """
import fcntl, sys
# The lock of SQLite that whoever carries the log over holds (walformat.html, "WAL Locks": WAL_CKPT_LOCK).
with open(sys.argv[1] + "-shm", "r+b") as shared:
    fcntl.lockf(shared, fcntl.LOCK_EX, 1, 121)
    print("holds", flush=True)
    sys.stdin.readline()
"""


def test_scrubbing_waits_while_another_process_carries_the_log_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite refuses at once; it takes moments, so erased text is gone when the erasure returns."""
    path = tmp_path / "facts.db"
    store = SqlStore(path, TickingClock())
    (fact_id,) = keep(store, make_sighting("Ada xyzzy."))
    other = start(_CARRIES_OVER, str(path))
    wait_for(other, "holds")
    waited = []

    def ends(seconds: float) -> None:
        waited.append(seconds)
        other.communicate("\n")

    monkeypatch.setattr(sqlite_engine, "sleep", ends)
    with store.writing(HERE) as tx:
        tx.erase(fact_id)
    assert len(waited) == 1
    assert not any(b"xyzzy" in file.read_bytes() for file in tmp_path.iterdir())
    store.close()


def test_text_that_a_crash_left_goes_on_opening(tmp_path: Path) -> None:
    """A store that ends between the erasure and the scrubbing is scrubbed when it is opened again."""
    path = tmp_path / "facts.db"
    store = SqlStore(path, TickingClock(), busy_timeout=timedelta())
    (fact_id,) = keep(store, make_sighting("Ada xyzzy."))
    reader = sqlite3.connect(path, isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT * FROM sightings").fetchall()
    with store.writing(HERE) as tx:
        tx.erase(fact_id)
    reader.close()
    again = SqlStore(path, TickingClock())
    assert not any(b"xyzzy" in file.read_bytes() for file in tmp_path.iterdir())
    assert again.facts(HERE, [fact_id])[fact_id].erased
    again.close()
    store.close()
    third = SqlStore(path, TickingClock())
    assert third.history(HERE, fact_id)[-1].kind == "erasure"
    third.close()


@pytest.mark.parametrize("location", [":memory:", "facts.db"])
def test_the_store_works_after_an_erasure(tmp_path: Path, location: str) -> None:
    """Rewriting the file leaves everything else readable and writable."""
    store = SqlStore(location if location == ":memory:" else tmp_path / location, TickingClock())
    gone, stays = keep(store, make_sighting("Ada xyzzy.", at=1), make_sighting("Bo lives in Rome.", at=2))
    with store.writing(HERE) as tx:
        tx.erase(gone)
    (new,) = keep(store, make_sighting("Cy lives in Lima.", at=3))
    assert list(store.fact_ids(HERE)) == [gone, stays, new]
    assert store.facts(HERE, [stays])[stays].content == "Bo lives in Rome."
    store.close()
