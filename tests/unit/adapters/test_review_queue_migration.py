"""A file from before the review queue opens with its questions and rulings."""

from __future__ import annotations

import shutil
from datetime import timedelta
from pathlib import Path

from arbiter.adapters.migrate import SCRIPTS, migrate
from arbiter.adapters.sql_engine import open_engine
from arbiter.adapters.sql_store import SqlStore
from arbiter.domain.outcomes import FactState
from arbiter.domain.review_queue import ReviewStatus, ReviewWork
from arbiter.domain.vocabulary import RulingKind, State
from tests.contracts.fact_store_cases import HERE, TickingClock, apply, review, ruling, settled
from tests.factories import START

A, B, C = "fact_a", "fact_b", "fact_c"
ASKED, ANSWERED = review(A, B), review(A, C)
MICROS = int(START.timestamp()) * 1_000_000
REVIEW = """
INSERT INTO reviews (namespace, id, opened_at, closed_at, low, high, flipped, kind, rule, question,
    priority, digest_a, digest_b, relation, stakes)
VALUES ('default', ?, ?, ?, ?, ?, 0, 'conflict', 'r1', 'Which?', 50, 'x', 'y', 'contradiction', 'normal')
"""
RULING = """
INSERT INTO rulings (namespace, id, position, recorded_at, low, high, flipped, kind, reviewer, at,
    digest_a, digest_b, reason, policy)
VALUES ('default', 'rul_1', 1, ?, 'fact_a', 'fact_c', 0, 'keep_a', 'ada', ?, 'x', 'y', '', '')
"""


def old_file(folder: Path) -> Path:
    """Return a file of the first schema with an open question, a settled one, and its ruling."""
    scripts, path = folder / "migrations", folder / "facts.db"
    shutil.copytree(SCRIPTS, scripts, ignore=shutil.ignore_patterns("__pycache__", "v000[2-9]*"))
    engine = open_engine(str(path), timedelta(seconds=5))
    migrate(engine, scripts, ("0001",))
    with engine.begin() as connection:
        for item, closed in ((ASKED, None), (ANSWERED, MICROS)):
            connection.exec_driver_sql(REVIEW, (item.id, MICROS, closed, *item.key))
        connection.exec_driver_sql(RULING, (MICROS, MICROS))
    engine.dispose()
    return path


def test_old_questions_and_rulings_are_read_as_they_were(tmp_path: Path) -> None:
    """They stand where they stood; nobody works on them, and nothing was set aside."""
    store = SqlStore(old_file(tmp_path), TickingClock())
    found = store.queued(HERE, [ASKED.id, ANSWERED.id])
    assert {name: (q.item, q.status, q.opened_at) for name, q in found.items()} == {
        ASKED.id: (ASKED, ReviewStatus.OPEN, START),
        ANSWERED.id: (ANSWERED, ReviewStatus.CLOSED, START),
    }
    assert found[ASKED.id].work == ReviewWork(ASKED.id)
    assert store.rulings(HERE) == [ruling(A, C, name="rul_1", kind=RulingKind.KEEP_A)]
    states = [FactState(fact_id, State.ACTIVE) for fact_id in (A, B, C)]
    apply(store, settled(*states, aside=[ASKED]))
    assert store.queued(HERE, [ASKED.id])[ASKED.id].status is ReviewStatus.SET_ASIDE
    store.close()
