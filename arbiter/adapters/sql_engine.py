"""Opening the database of the store, and how its transactions keep out of each other's way."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError
from sqlalchemy.pool import StaticPool

from arbiter.adapters.postgres_engine import clear_old_rows, exclude, open_postgres
from arbiter.adapters.sql_dialect import POSTGRESQL
from arbiter.adapters.sqlite_engine import WRITES, open_sqlite, scrub_file
from arbiter.errors import ConfigurationError

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection, Engine

SERVICE = "service"
"""The lock of what belongs to no namespace."""
_POSTGRES = {"postgres", POSTGRESQL, "postgresql+psycopg"}


def open_engine(location: str, busy_timeout: timedelta) -> Engine:
    """Return an engine for a file, a URL or ``:memory:``; nothing is opened yet.

    Every error of the driver leaves the engine as one of ours.

    Raises:
        ConfigurationError: the URL is no URL, or that of a database that cannot be used.
    """
    try:
        url = make_url(location) if "://" in location else URL.create("sqlite", database=location)
    except ArgumentError as error:
        raise ConfigurationError("database: this is no URL", field="database") from error
    if url.drivername in _POSTGRES:
        return open_postgres(url, busy_timeout)
    if url.drivername != "sqlite":
        raise ConfigurationError(
            f"database: facts are kept in SQLite or PostgreSQL; {url.drivername} cannot be used",
            field="database",
        )
    return open_sqlite(url, busy_timeout)


def is_postgres(engine: Engine) -> bool:
    """Is it a PostgreSQL server?"""
    return engine.dialect.name == POSTGRESQL


def is_shared(engine: Engine) -> bool:
    """Does the engine have one connection for all threads?"""
    return isinstance(engine.pool, StaticPool)


def for_writing(connection: Connection) -> Connection:
    """Mark a connection as one that writes.

    On SQLite its transactions exclude every other writer from their first statement. On PostgreSQL each
    of its statements sees what is committed by then, and ``take_turn`` excludes the others.
    """
    if is_postgres(connection.engine):
        return connection.execution_options(isolation_level="READ COMMITTED")
    return connection.execution_options(**{WRITES: True})


def take_turn(connection: Connection, lock: str) -> None:
    """Exclude every other writer that takes the lock, until the transaction ends.

    A namespace is a lock, ``SERVICE`` another one; who needs both takes that of the namespace first.
    """
    if is_postgres(connection.engine):
        exclude(connection, lock)


def scrub(engine: Engine) -> bool:
    """See that nothing erased can be read from the database's files; False if somebody was in the way."""
    if is_postgres(engine):
        return clear_old_rows(engine)
    return is_shared(engine) or scrub_file(engine)
