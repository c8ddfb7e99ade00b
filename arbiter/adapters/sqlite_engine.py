"""SQLite as the database of the store: one file in WAL mode, or memory."""

from __future__ import annotations

import sqlite3
from datetime import timedelta
from time import sleep
from typing import TYPE_CHECKING, Any

from sqlalchemy import create_engine, event
from sqlalchemy.pool import QueuePool, StaticPool

from arbiter.errors import StoreError, StoreUnavailableError

if TYPE_CHECKING:
    from sqlalchemy.engine import URL, Connection, Engine, ExceptionContext

MEMORY = ":memory:"
# The log is carried over beside the work (sqlite_checkpoints.py); a commit does it where it is this long.
_LONGEST_LOG = 8_000
WRITES = "arbiter_writes"
"""The option of a connection whose transactions exclude every other writer from their first statement."""

# What SQLite answers at once where another process is carrying the log over, which takes moments.
_ANOTHER_CHECKPOINT = (1, -1, -1)
_TRIES, _TRY_EVERY_S = 100, 0.01
_BACKUP = "put a backup in its place"
# The primary result codes of SQLite: what is wrong, and the way out.
_FAULTS = {
    5: ("is locked by another writer", "try again once it is done"),
    6: ("is locked by another writer", "try again once it is done"),
    8: ("is read-only", "let this user write to the file and to its folder"),
    10: ("cannot be read or written", "look after the disk"),
    11: ("is damaged", f"run `arbiter doctor --repair`, or else {_BACKUP}"),
    13: ("cannot grow: the disk is full", "make room; what was there is safe"),
    14: ("cannot be opened", "see that its folder is there and that this user may write to it"),
    26: ("is not a database", f"name another file, or {_BACKUP}"),
}


def open_sqlite(url: URL, busy_timeout: timedelta) -> Engine:
    """Return an engine for a file or for memory; nothing is opened yet."""
    shared = url.database in (None, "", MEMORY)
    engine = create_engine(
        url,
        # A file takes as many connections as there are threads; memory lives in a single one.
        **({"poolclass": StaticPool} if shared else {"poolclass": QueuePool, "max_overflow": -1}),
        connect_args={"check_same_thread": False, "isolation_level": None},
    )
    name = "the store in memory" if shared else f"the store {url.database}"
    wait = int(busy_timeout.total_seconds() * 1000)

    @event.listens_for(engine, "connect")
    def _prepare(connection: Any, _record: object) -> None:  # noqa: ANN401  (the driver's own class)
        cursor = connection.cursor()
        cursor.execute(f"PRAGMA busy_timeout = {wait}")
        cursor.execute("PRAGMA journal_mode = WAL")
        cursor.execute("PRAGMA synchronous = NORMAL")
        cursor.execute(f"PRAGMA wal_autocheckpoint = {_LONGEST_LOG}")
        cursor.execute("PRAGMA foreign_keys = ON")
        cursor.execute("PRAGMA secure_delete = ON")
        cursor.close()

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        writes = connection.get_execution_options().get(WRITES)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    @event.listens_for(engine, "handle_error")
    def _translate(context: ExceptionContext) -> StoreError:
        return our_error(context.original_exception, name)

    return engine


def scrub_file(engine: Engine) -> bool:
    """Rewrite the file, so that no page and no log holds erased text; False if somebody was in the way.

    Overwriting what is deleted is not enough: pages that were split keep stale copies of moved rows.
    """
    raw = engine.raw_connection()
    try:
        cursor = raw.cursor()
        cursor.execute("VACUUM")
        for _ in range(_TRIES):
            answer = cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            if answer != _ANOTHER_CHECKPOINT:
                return answer is not None and answer[0] == 0
            sleep(_TRY_EVERY_S)
    except sqlite3.OperationalError:
        return False
    else:
        return False
    finally:
        raw.close()


def our_error(error: BaseException, name: str) -> StoreError:
    """Return an error of the driver as one of ours, which names the store and says what is wrong with it."""
    code = getattr(error, "sqlite_errorcode", None)
    if code is None:
        return StoreError(f"{name} failed: {error}")
    fault = _FAULTS.get(code & 0xFF)
    if fault is None:
        return StoreError(f"{name} failed: {error}")
    wrong, way_out = fault
    return StoreUnavailableError(f"{name} {wrong}; {way_out} ({error})")
