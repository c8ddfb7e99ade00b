"""A file from before receipts were counted by columns opens with all of them counted."""

from __future__ import annotations

import shutil
from datetime import timedelta
from pathlib import Path

from arbiter.adapters.migrate import SCRIPTS, migrate
from arbiter.adapters.sql_engine import open_engine
from arbiter.adapters.sql_rows import to_json
from arbiter.adapters.sql_store import SqlStore
from arbiter.domain.evidence import Spend
from arbiter.domain.outcomes import Receipt
from arbiter.domain.overview import DayOfRecords
from arbiter.domain.vocabulary import Outcome
from arbiter.interchange.receipts import receipt_json
from tests.contracts.fact_store_cases import HERE, TickingClock
from tests.factories import START

SPENT = Spend(llm_calls=2, prompt_tokens=300, completion_tokens=40, usd=0.25, local_pairs=5)
RECEIPTS = (
    Receipt(0, HERE, Outcome.STORED, stored=True, cost=SPENT),
    Receipt(1, HERE, Outcome.HELD, stored=True, cost=SPENT),
    Receipt(2, HERE, Outcome.REFUSED, stored=False),
)


def test_old_receipts_are_counted(tmp_path: Path) -> None:
    """Outcome and cost are read from their bodies once."""
    scripts, path = tmp_path / "migrations", tmp_path / "facts.db"
    shutil.copytree(SCRIPTS, scripts, ignore=shutil.ignore_patterns("__pycache__", "v0005*", "v0006*"))
    engine = open_engine(str(path), timedelta(seconds=5))
    migrate(engine, scripts, ("0001", "0002", "0003", "0004"))
    with engine.begin() as connection:
        for receipt in RECEIPTS:
            row = (HERE, receipt.id, int(START.timestamp()) * 1_000_000, to_json(receipt_json(receipt)))
            connection.exec_driver_sql("INSERT INTO receipts VALUES (?, ?, ?, ?)", row)
    engine.dispose()
    store = SqlStore(path, TickingClock())
    outcomes = {"stored": 1, "held": 1, "refused": 1}
    assert store.overview.records(HERE, START) == [DayOfRecords(START.date(), outcomes, SPENT + SPENT)]
    store.close()
