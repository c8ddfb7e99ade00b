"""What goes wrong outside the store becomes an error that says what it is and which file it is about."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from threading import Event, Thread

import pytest
from sqlalchemy import event
from sqlalchemy.engine import Engine

from arbiter.adapters.sql_engine import open_engine
from arbiter.adapters.sql_schema import REVISIONS
from arbiter.adapters.sql_store import SqlStore
from arbiter.errors import ConfigurationError, SchemaVersionError, StoreError, StoreUnavailableError
from tests.contracts.fact_store_cases import HERE, TickingClock, facts_in, keep
from tests.factories import make_sighting

AT_ONCE = timedelta()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return a file with one fact in it."""
    made = tmp_path / "facts.db"
    store = SqlStore(made, TickingClock())
    facts_in(store, 1)
    store.close()
    return made


@pytest.fixture
def store(path: Path) -> Iterator[SqlStore]:
    """Return a store on the file that does not wait for locks."""
    made = SqlStore(path, TickingClock(), busy_timeout=AT_ONCE)
    yield made
    made.close()


def test_a_locked_file_is_named(store: SqlStore, path: Path) -> None:
    """While another process writes, writing fails with a retryable error, reading works, then all works."""
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreUnavailableError, match=r"facts\.db is locked") as failed:
        keep(store, make_sighting("Late", at=3))
    assert failed.value.retryable
    assert str(path) in failed.value.message
    assert isinstance(failed.value.__cause__, sqlite3.OperationalError)
    assert len(list(store.fact_ids(HERE))) == 1
    other.execute("ROLLBACK")
    other.close()
    keep(store, make_sighting("Late", at=3))
    assert len(list(store.fact_ids(HERE))) == 2


def test_a_writer_of_the_same_process_is_waited_for(store: SqlStore) -> None:
    """Within a process too the wait has an end, and the error says so."""
    entered, leave = Event(), Event()

    def hold() -> None:
        with store.writing(HERE):
            entered.set()
            leave.wait(60)

    holder = Thread(target=hold)
    holder.start()
    entered.wait(60)
    with pytest.raises(StoreUnavailableError, match="locked by another writer"):
        keep(store, make_sighting("Late", at=3))
    leave.set()
    holder.join()
    keep(store, make_sighting("Late", at=3))


def test_a_read_only_file_can_be_read(path: Path) -> None:
    """A file that must not be written still answers; writing says that it is read-only."""
    store = SqlStore(f"sqlite:///file:{path}?mode=ro&uri=true", TickingClock())
    assert len(list(store.fact_ids(HERE))) == 1
    with pytest.raises(StoreUnavailableError, match=r"facts\.db.* is read-only"):
        keep(store, make_sighting("Late", at=3))
    store.close()


def test_a_full_disk_is_told_and_nothing_is_kept(path: Path) -> None:
    """When the file cannot grow the transaction fails as a whole, with the reason; what was there stays."""

    def limit(connection: sqlite3.Connection, _record: object) -> None:
        connection.execute("PRAGMA max_page_count = 150")

    event.listen(Engine, "connect", limit)
    try:
        small = SqlStore(path, TickingClock())
        with pytest.raises(StoreUnavailableError, match=r"facts\.db cannot grow: the disk is full"):
            facts_in(small, 2000)
        assert len(list(small.fact_ids(HERE))) == 1
        small.close()
    finally:
        event.remove(Engine, "connect", limit)
    store = SqlStore(path, TickingClock())
    assert len(facts_in(store, 2000)) == len(list(store.fact_ids(HERE))) == 2000
    store.close()


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    """Some other file is neither opened nor changed."""
    other = tmp_path / "notes.txt"
    other.write_text("These are my notes. " * 300, encoding="utf-8")
    with pytest.raises(StoreUnavailableError, match=r"notes\.txt is not a database"):
        SqlStore(other, TickingClock())
    assert other.read_text(encoding="utf-8") == "These are my notes. " * 300


def test_a_damaged_file_is_told(path: Path) -> None:
    """Pages of rubbish are reported as damage, not as missing facts."""
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(8192)
        file.write(b"\xa5" * (size - 8192))
    with pytest.raises(StoreUnavailableError, match=r"facts\.db is damaged"):
        SqlStore(path, TickingClock()).facts(HERE, ["fact_x"])


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("mysql://ada:secret@db/facts", "facts are kept in SQLite or PostgreSQL; mysql cannot be used"),
        ("postgresql+asyncpg://db/facts", r"PostgreSQL; postgresql\+asyncpg cannot be used"),
        ("://", "this is no URL"),
    ],
)
def test_another_database_is_refused(url: str, told: str) -> None:
    """A URL of another database, or none at all, is a fault of the configuration; no password is told."""
    with pytest.raises(ConfigurationError, match=told) as caught:
        SqlStore(url, TickingClock())
    assert caught.value.field == "database"
    assert "secret" not in caught.value.message


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    """A path into nowhere names the file that cannot be opened."""
    with pytest.raises(StoreUnavailableError, match=r"nowhere/facts\.db cannot be opened"):
        SqlStore(tmp_path / "nowhere" / "facts.db", TickingClock())


def test_a_newer_file_is_refused_and_left_alone(path: Path) -> None:
    """A schema that this version does not know is an error that names both."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    before = path.read_bytes()
    with pytest.raises(SchemaVersionError, match=f"schema 9999, newer than {REVISIONS[-1]}; upgrade arbiter"):
        SqlStore(path, TickingClock())
    assert path.read_bytes() == before


def test_other_faults_of_the_database_are_ours_too(path: Path) -> None:
    """A fault that has nothing to do with the file is a plain store error that keeps its cause."""
    engine = open_engine(str(path), AT_ONCE)
    with engine.connect() as connection, pytest.raises(StoreError, match="no such table") as failed:
        connection.exec_driver_sql("SELECT * FROM missing")
    assert type(failed.value) is StoreError
    assert isinstance(failed.value.__cause__, sqlite3.OperationalError)
    engine.dispose()


def test_a_broken_log_of_the_file_does_not_hide_a_commit(path: Path) -> None:
    """What was committed is there although the process never closed the file."""
    store = SqlStore(path, TickingClock())
    late = make_sighting("Late", at=3)
    keep(store, late)
    copies = [path.with_name(f"copy.db{ending}") for ending in ("", "-wal")]
    for copy, ending in zip(copies, ("", "-wal"), strict=True):
        copy.write_bytes(path.with_name(path.name + ending).read_bytes())
    again = SqlStore(copies[0], TickingClock())
    assert list(again.fact_ids(HERE))[-1] == late.fact_id
    again.close()
    store.close()
