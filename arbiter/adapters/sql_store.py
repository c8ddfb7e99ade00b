"""The store in an SQL database: one SQLite file by default, or PostgreSQL for many workers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from datetime import timedelta
from pathlib import Path
from threading import RLock, local
from typing import TYPE_CHECKING

from arbiter.adapters.migrate import migrate
from arbiter.adapters.sql_access import SqlKeys
from arbiter.adapters.sql_answers import SqlAnswers
from arbiter.adapters.sql_audit import SqlAudit
from arbiter.adapters.sql_backlog import SqlBacklog
from arbiter.adapters.sql_engine import (
    SERVICE,
    for_writing,
    is_postgres,
    is_shared,
    open_engine,
    scrub,
    take_turn,
)
from arbiter.adapters.sql_erase import mark_scrubbed, needs_scrubbing
from arbiter.adapters.sql_leases import SqlLeases, write_probe
from arbiter.adapters.sql_overview import SqlOverview
from arbiter.adapters.sql_rebuild import rebuild
from arbiter.adapters.sql_writing import SqlWriting
from arbiter.adapters.sqlite_checkpoints import Checkpoints
from arbiter.errors import StoreError, StoreUnavailableError

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

    from arbiter.ports import Clock

DEFAULT_BUSY_TIMEOUT = timedelta(seconds=30)
# Writers of different namespaces seldom share one of these.
_QUEUES = 16


class SqlStore(SqlAudit):
    """Implements ``FactStore``. Threads and processes may share one database.

    ``location`` is a path, a database URL or ``:memory:``. A new database gets the schema, an older one is
    migrated. A writer waits up to ``busy_timeout`` for another one: on SQLite for any, on PostgreSQL for
    one of the same namespace. Within ``writing`` the same thread reads what it has written so far.

    Raises:
        ConfigurationError: the location names no database that can be used.
        SchemaVersionError: the database was written by a newer version.
        StoreUnavailableError: it cannot be opened, read or, where it is new, written.
    """

    def __init__(
        self, location: str | Path, clock: Clock, *, busy_timeout: timedelta = DEFAULT_BUSY_TIMEOUT
    ) -> None:
        self._engine = open_engine(str(location), busy_timeout)
        self._clock = clock
        self._busy_timeout = busy_timeout
        # SQLite lets waiting writers poll, PostgreSQL lets each of them wait with a connection; within this
        # process they queue here instead.
        self._writers = tuple(RLock() for _ in range(_QUEUES if is_postgres(self._engine) else 1))
        self._own = local()
        self._checkpoints = Checkpoints(self._engine) if self.path else None
        self.keys = SqlKeys(self._reading, self._changing)
        self.answers = SqlAnswers(self._changing)
        self.backlog = SqlBacklog(self._reading)
        self.leases = SqlLeases(self._changing)
        self.overview = SqlOverview(self._reading)
        try:
            migrate(self._engine)
            with self._engine.connect() as connection:
                self._scrub_due = needs_scrubbing(connection)
            self._scrub()
        except Exception:
            self._engine.dispose()
            raise

    @contextmanager
    def writing(self, namespace: str) -> Iterator[SqlWriting]:
        """See ``FactStore.writing``."""
        if self._connection is not None:
            raise StoreError("this thread is writing already; end that transaction first")
        with self._turn(namespace):
            with for_writing(self._engine.connect()) as connection, connection.begin():
                take_turn(connection, f"namespace {namespace}")
                transaction = SqlWriting(connection, namespace, self._clock)
                self._own.connection = connection
                try:
                    yield transaction
                finally:
                    self._own.connection = None
                transaction.flush()
            self._scrub_due = self._scrub_due or transaction.erased
            self._scrub()
        self._committed()

    def rebuild_views(self, namespace: str) -> None:
        """See ``FactStore.rebuild_views``.

        Fact rows, references and pairs come from sightings, erasures and judgements. States are gone until
        they are derived again; only those that differ from the last one in the log are news. Decisions and
        review items stay: the time at which they came into force is part of the log.
        """
        with self.writing(namespace):
            rebuild(self._own.connection, namespace)

    def check_writable(self) -> None:
        """See ``FactStore.check_writable``."""
        with self._changing() as connection:
            write_probe(connection, self._clock())

    def close(self) -> None:
        """See ``FactStore.close``."""
        if self._checkpoints:
            self._checkpoints.close()
        self._engine.dispose()

    @property
    def searches_vectors(self) -> bool:
        """Can the database find the nearest vectors itself?"""
        return is_postgres(self._engine)

    @property
    def path(self) -> Path | None:
        """The file in which it lies; None for a server and for memory."""
        inside = is_postgres(self._engine) or is_shared(self._engine)
        return None if inside else Path(str(self._engine.url.database))

    def reading(self) -> AbstractContextManager[Connection]:
        """Lend a connection to what searches the same database; within ``writing``, the one that writes."""
        return self._reading()

    def unattended(self) -> AbstractContextManager[Connection]:
        """Lend a connection without a transaction, for what the database does in none."""
        return self._engine.connect().execution_options(isolation_level="AUTOCOMMIT")

    @property
    def _connection(self) -> Connection | None:
        """The connection on which this thread is writing."""
        return getattr(self._own, "connection", None)

    def _scrub(self) -> None:
        """Rewrite the file if text was erased; where somebody is in the way, the next writer tries again."""
        if not self._scrub_due:
            return
        with self._checkpoints.paused() if self._checkpoints else nullcontext():
            scrubbed = scrub(self._engine)
        if scrubbed:
            with (
                suppress(StoreUnavailableError),
                for_writing(self._engine.connect()) as connection,
                connection.begin(),
            ):
                mark_scrubbed(connection)
                self._scrub_due = False

    def _committed(self) -> None:
        if self._checkpoints:
            self._checkpoints.due()

    @contextmanager
    def _turn(self, lock: str = SERVICE) -> Iterator[None]:
        queue = self._writers[hash(lock) % len(self._writers)]
        if not queue.acquire(timeout=self._busy_timeout.total_seconds()):
            raise StoreUnavailableError("the store is locked by another writer of this process")
        try:
            yield
        finally:
            queue.release()

    @contextmanager
    def _changing(self) -> Iterator[Connection]:
        """Open a transaction on what belongs to no namespace."""
        with self._turn(), for_writing(self._engine.connect()) as connection, connection.begin():
            take_turn(connection, SERVICE)
            yield connection
        self._committed()

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        if self._connection is not None:
            yield self._connection
        elif is_shared(self._engine):
            with self._turn(), self._engine.connect() as connection:
                yield connection
        else:
            with self._engine.connect() as connection:
                yield connection
