"""The databases that the stores of the tests are kept in."""

from __future__ import annotations

import functools
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import psycopg

from arbiter.adapters.sql_store import SqlStore
from tests.postgres_server import PostgresServer

SERVER: ContextVar[PostgresServer | None] = ContextVar("SERVER", default=None)
"""The server that keeps the stores; none: each has a file."""


@contextmanager
def empty_database(folder: Path) -> Iterator[str]:
    """Lend an empty store until the block ends: a file in the folder, or a database of the server."""
    if (server := SERVER.get()) is not None:
        with server.lent() as url:
            yield url
        return
    database = folder / "facts.db"
    database.write_bytes(_empty_file())
    yield str(database)


@contextmanager
def copied(database: str) -> Iterator[str]:
    """Lend a copy of a store that nobody has open, until the block ends."""
    if (server := SERVER.get()) is not None:
        with server.copied(database) as url:
            yield url
        return
    with TemporaryDirectory() as folder:
        yield str(shutil.copy(database, folder))


@contextmanager
def refusing(database: str, content: str) -> Iterator[None]:
    """Let a database refuse the sighting of a text, until the block ends."""
    if "://" in database:
        refuse = f"ALTER TABLE sightings ADD CONSTRAINT refused CHECK (content <> '{content}')"
        relent = "ALTER TABLE sightings DROP CONSTRAINT refused"
    else:
        refuse = (
            f"CREATE TRIGGER refuses BEFORE INSERT ON sightings WHEN NEW.content = '{content}' "
            "BEGIN SELECT RAISE(ABORT, 'refused'); END"
        )
        relent = "DROP TRIGGER refuses"
    _change(database, refuse)
    try:
        yield
    finally:
        _change(database, relent)


def _change(database: str, statement: str) -> None:
    if "://" in database:
        with psycopg.connect(database) as server:
            server.execute(statement.encode())
    else:
        with closing(sqlite3.connect(database)) as file:
            file.execute(statement)


@functools.cache
def _empty_file() -> bytes:
    """Return the file of a store with nothing in it, to be copied instead of made again."""
    with TemporaryDirectory() as folder:
        SqlStore(Path(folder, "empty.db"), lambda: datetime.now(UTC)).close()  # noqa: TID251  nothing is dated
        return Path(folder, "empty.db").read_bytes()
