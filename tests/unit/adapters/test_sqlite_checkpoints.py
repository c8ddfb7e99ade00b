"""The log of a file is carried over beside the work."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

import pytest

from arbiter.adapters.sql_engine import open_engine
from arbiter.adapters.sqlite_checkpoints import Checkpoints

if TYPE_CHECKING:
    from sqlalchemy.engine import Engine

MIB = 1 << 20


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return where the database is."""
    return tmp_path / "facts.db"


@pytest.fixture
def engine(path: Path) -> Iterator[Engine]:
    """Return the engine of an empty database."""
    engine = open_engine(str(path), timedelta(seconds=5))
    with engine.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE kept (what BLOB)")
    yield engine
    engine.dispose()


def write(engine: Engine, size: int) -> None:
    """Commit some bytes."""
    with engine.begin() as connection:
        connection.exec_driver_sql("INSERT INTO kept VALUES (zeroblob(?))", (size,))


def test_what_is_due_is_carried_over(engine: Engine, path: Path) -> None:
    """No commit carries six megabytes into the file, the thread does; it is done when it is closed."""
    checkpoints = Checkpoints(engine)
    with checkpoints.paused():
        for _ in range(6):
            write(engine, MIB)
            checkpoints.due()
        assert path.stat().st_size < MIB
    checkpoints.close()
    assert path.stat().st_size > 6 * MIB


def test_a_log_does_not_grow_without_end(engine: Engine, path: Path) -> None:
    """Where nothing carries it over beside the work, a commit does, after some 32 megabytes."""
    for _ in range(7):
        write(engine, 5 * MIB)
    assert path.stat().st_size > 32 * MIB


def test_a_fault_is_left_to_whoever_uses_the_database(tmp_path: Path) -> None:
    """A database that cannot be opened ends nothing here."""
    nowhere = open_engine(str(tmp_path), timedelta())
    broken = Checkpoints(nowhere)
    broken.due()
    broken.close()
    nowhere.dispose()


def test_where_no_thread_can_start_nothing_fails(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was committed is committed; a later commit tries again."""

    def fails(_: Thread) -> None:
        raise RuntimeError("can't start new thread")

    checkpoints = Checkpoints(engine)
    with monkeypatch.context() as patched:
        patched.setattr(Thread, "start", fails)
        checkpoints.due()
    checkpoints.due()
    checkpoints.close()


def test_nothing_begins_after_the_end(engine: Engine, path: Path) -> None:
    """What is committed after the end stays in the log."""
    checkpoints = Checkpoints(engine)
    checkpoints.close()
    write(engine, MIB)
    checkpoints.due()
    checkpoints.close()
    assert path.stat().st_size < MIB
