"""PostgreSQL with pgvector as the database of the store, for many workers."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

from sqlalchemy import Text, bindparam, create_engine, event, func, select
from sqlalchemy.exc import TimeoutError  # noqa: A004  the pool's own
from sqlalchemy.pool import QueuePool

from arbiter.errors import ConfigurationError, StoreError, StoreUnavailableError

if TYPE_CHECKING:
    from sqlalchemy.engine import URL, Connection, Engine, ExceptionContext
    from sqlalchemy.pool import ConnectionPoolEntry

# A process of the service has a thread that writes, some that read, and one that asks again.
_KEPT_CONNECTIONS, _MOST_CONNECTIONS = 5, 20
# Codes of PostgreSQL, or the classes that they begin with, and what they say to whoever runs the store.
_FAULTS = {
    "08": "cannot be reached",
    "25006": "is read-only",
    "28": "lets this user not in",
    "3D000": "is not there",
    "40001": "is locked by another writer",
    "40P01": "is locked by another writer",
    "42501": "forbids this user what arbiter needs",
    "53100": "cannot grow: the disk is full",
    "53300": "takes no more connections",
    "55P03": "is locked by another writer",
    "57P": "is starting or stopping",
    "58030": "cannot be read or written",
    "XX001": "is damaged",
    "XX002": "is damaged",
}
_ABOUT_VALUES = "22"
_LOCK = select(func.pg_advisory_xact_lock(func.hashtextextended(bindparam("name", type_=Text), 0)))
# Old versions of rows hold what was erased until they are cleared away. The vectors' own index is left to
# the server's housekeeping: to walk a large graph for one erasure would take minutes.
_CLEAR = (
    "VACUUM sightings, judgements, rulings, reviews, review_comments, receipts, answers",
    "VACUUM facts, fact_entities, fact_references",
    "VACUUM (INDEX_CLEANUP OFF) vectors",
)


class _Connections(QueuePool):
    """As many connections as there are threads, up to a limit: a server has few for all its clients."""

    def _do_get(self) -> ConnectionPoolEntry:
        try:
            return super()._do_get()
        except TimeoutError as error:
            raise StoreUnavailableError("all connections of this process to the store are busy") from error


def open_postgres(url: URL, busy_timeout: timedelta) -> Engine:
    """Return an engine for a database; nothing is opened yet.

    What reads sees one state of the database from its first statement to its last. What writes sees, after
    it has the lock of ``exclude``, everything that was committed before.

    Raises:
        ConfigurationError: the driver is not installed.
    """
    try:
        engine = create_engine(
            url.set(drivername="postgresql+psycopg"),
            isolation_level="REPEATABLE READ",
            poolclass=_Connections,
            max_overflow=_MOST_CONNECTIONS - _KEPT_CONNECTIONS,
            pool_size=_KEPT_CONNECTIONS,
            pool_timeout=busy_timeout.total_seconds(),
            pool_pre_ping=True,
        )
        from pgvector.psycopg import register_vector
    except ModuleNotFoundError as error:
        raise ConfigurationError(
            "database: PostgreSQL needs an extra: pip install 'arbiter[postgres]'", field="database"
        ) from error
    name = f"the store {url.database or ''} on {url.host or url.query.get('host') or 'this machine'}"
    # To PostgreSQL 0 means for ever.
    wait = max(1, int(busy_timeout.total_seconds() * 1000))

    @event.listens_for(engine, "connect")
    def _prepare(connection: Any, _record: object) -> None:  # noqa: ANN401  (the driver's own class)
        encoding = connection.info.parameter_status("server_encoding")
        if encoding != "UTF8":
            raise ConfigurationError(f"database: {name} keeps texts in {encoding}, not in UTF8")
        connection.autocommit = True
        connection.execute("SET client_encoding TO 'UTF8'")
        connection.execute(f"SET lock_timeout TO {wait}")
        # Before the first migration there are none.
        if connection.execute("SELECT to_regtype('vector') IS NOT NULL").fetchone()[0]:
            register_vector(connection)
        connection.autocommit = False

    @event.listens_for(engine, "handle_error")
    def _translate(context: ExceptionContext) -> StoreError | None:
        # The pool finds out by itself that a connection is gone, and makes another one.
        return None if context.is_pre_ping else _our_error(context.original_exception, name)

    return engine


def exclude(connection: Connection, name: str) -> None:
    """Wait until no other transaction has the lock of this name, and keep it to the end of this one."""
    connection.execute(_LOCK, {"name": f"arbiter {name}"})


def clear_old_rows(engine: Engine) -> bool:
    """Clear away the old versions of rows that hold erased text; False if somebody was in the way.

    What a server keeps beside its tables, in its log, its copies and its backups, is not in its clients'
    hands.
    """
    try:
        with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            for statement in _CLEAR:
                connection.exec_driver_sql(statement)
    except StoreUnavailableError:
        return False
    return True


def _our_error(error: BaseException, name: str) -> StoreError:
    import psycopg

    code = getattr(error, "sqlstate", None)
    if code is None:
        if isinstance(error, psycopg.OperationalError):
            return StoreUnavailableError(f"{name} cannot be reached ({error})")
        return StoreError(f"{name} failed: {error}")
    told = _told(error)
    for begin, fault in _FAULTS.items():
        if code.startswith(begin):
            return StoreUnavailableError(f"{name} {fault} ({told})")
    return StoreError(f"{name} failed: {told}")


def _told(error: BaseException) -> str:
    """Return what the server says of an error, without the rows and values that it shows along with it.

    The whole message goes on with them. What is wrong with a value is told with the value in the first line.
    """
    code, first = getattr(error, "sqlstate", ""), str(error).partition("\n")[0]
    return f"{type(error).__name__} {code}" if code.startswith(_ABOUT_VALUES) else first
