"""Everything that depends on which database it is: opening, locking, upserts, lists as parameters, errors."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from sqlalchemy import (
    CTE,
    BindParameter,
    Column,
    ColumnElement,
    CompoundSelect,
    Select,
    Table,
    Text,
    bindparam,
    create_engine,
    event,
    func,
    select,
    text,
    union_all,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError
from sqlalchemy.pool import QueuePool, StaticPool

from arbiter.domain.canonical import canonical
from arbiter.errors import ConfigurationError, StoreError, StoreUnavailableError

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection, Engine, ExceptionContext
    from sqlalchemy.sql.base import ReadOnlyColumnCollection
    from sqlalchemy.sql.dml import Insert

MEMORY = ":memory:"
NAMESPACE: BindParameter[str] = bindparam("namespace", type_=Text)
"""The parameter that every statement has."""
WITHIN: BindParameter[str] = bindparam("within", type_=Text)
"""The same for updates, where the names of columns are taken by their new values."""

_WRITES = "arbiter_writes"
_FOLDED = "arbiter_canonical"
# The primary result codes of SQLite, and what they say to whoever runs the store.
_SQLITE_FAULTS = {
    5: "is locked by another writer",
    6: "is locked by another writer",
    8: "is read-only",
    10: "cannot be read or written",
    11: "is damaged",
    13: "cannot grow: the disk is full",
    14: "cannot be opened",
    26: "is not a database",
}


def open_engine(location: str, busy_timeout: timedelta) -> Engine:
    """Return an engine for a file, a URL or ``:memory:``; nothing is opened yet.

    Every error of the driver leaves the engine as one of ours.

    Raises:
        ConfigurationError: the URL is no URL, or that of another database than SQLite.
    """
    try:
        url = make_url(location) if "://" in location else URL.create("sqlite", database=location)
    except ArgumentError as error:
        raise ConfigurationError("database: this is no URL", field="database") from error
    if url.get_backend_name() != "sqlite":
        raise ConfigurationError(
            f"database: facts are kept in SQLite; {url.get_backend_name()} cannot be used", field="database"
        )
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
        cursor.execute("PRAGMA foreign_keys = ON")
        cursor.execute("PRAGMA secure_delete = ON")
        cursor.close()
        connection.create_function(_FOLDED, 1, canonical, deterministic=True)

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        writes = connection.get_execution_options().get(_WRITES)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    @event.listens_for(engine, "handle_error")
    def _translate(context: ExceptionContext) -> StoreError:
        return _our_error(context.original_exception, name)

    return engine


def is_shared(engine: Engine) -> bool:
    """Does the engine have one connection for all threads?"""
    return isinstance(engine.pool, StaticPool)


def for_writing(connection: Connection) -> Connection:
    """Mark a connection, so that its transactions exclude every other writer from their first statement."""
    return connection.execution_options(**{_WRITES: True})


def scrub(engine: Engine) -> bool:
    """Rewrite the file, so that no page and no log holds erased text; False if somebody was in the way.

    Overwriting what is deleted is not enough: pages that were split keep stale copies of moved rows.
    """
    if is_shared(engine):
        return True
    raw = engine.raw_connection()
    try:
        cursor = raw.cursor()
        cursor.execute("VACUUM")
        cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        answer = cursor.fetchone()
    except sqlite3.OperationalError:
        return False
    else:
        return answer is not None and answer[0] == 0
    finally:
        raw.close()


def _our_error(error: BaseException, name: str) -> StoreError:
    code = getattr(error, "sqlite_errorcode", None)
    if code is None:
        return StoreError(f"{name} failed: {error}")
    fault = _SQLITE_FAULTS.get(code & 0xFF)
    if fault is None:
        return StoreError(f"{name} failed: {error}")
    return StoreUnavailableError(f"{name} {fault} ({error})")


def insert_new(connection: Connection, table: Table) -> Insert:
    """Return an insert that leaves rows with a known key as they are."""
    return _insert(connection, table).on_conflict_do_nothing()


def upsert(
    connection: Connection,
    table: Table,
    *,
    where: Callable[[ReadOnlyColumnCollection[str, Any]], ColumnElement[bool]] | None = None,
) -> Insert:
    """Return an insert that replaces rows with a known key.

    ``where`` says of the new row's columns when it replaces the one that is there; always, without it.
    """
    insert = _insert(connection, table)
    new = insert.excluded
    values = {column.name: new[column.name] for column in table.columns if not column.primary_key}
    return insert.on_conflict_do_update(
        index_elements=list(table.primary_key.columns),
        set_=values,
        where=None if where is None else where(new),
    )


def _insert(connection: Connection, table: Table) -> sqlite.Insert | postgresql.Insert:
    if connection.dialect.name == "postgresql":
        return postgresql.insert(table)
    return sqlite.insert(table)


def listed(name: str) -> Select[str]:
    """Return the texts of a JSON array given as the parameter ``name``.

    One statement and one parameter serve a list of any length; ``as_list`` writes the parameter.
    """
    rows = func.json_each(bindparam(name, type_=Text)).table_valued("value", name=f"{name}_list")
    return select(rows.c.value)


def listed_rows(name: str, width: int) -> CTE:
    """Return the rows of a JSON array of arrays of texts, as columns ``k0``, ``k1`` and so on."""
    rows = func.json_each(bindparam(name, type_=Text)).table_valued("value", name=f"{name}_list")
    items = [
        func.json_extract(rows.c.value, text(f"'$[{i}]'"), type_=Text).label(f"k{i}") for i in range(width)
    ]
    return select(*items).cte(f"{name}_rows")


def either_side(
    table: Table,
    *columns: Column[Any],
    where: Sequence[ColumnElement[bool]] = (),
    third: Column[Any] | None = None,
) -> CompoundSelect[Any]:
    """Return the rows of a table of pairs in which either side is one of the facts ``ids``, each once.

    ``third`` is a column that may hold one more fact. Each side is a select of its own, since SQLite would
    walk through the whole namespace for one with an OR.
    """
    ids = listed("ids")
    known = [table.c.namespace == NAMESPACE, *where]
    chosen = columns or tuple(table.c)
    apart = table.c.low.not_in(ids)
    sides = [
        select(*chosen).where(*known, table.c.low.in_(ids)),
        select(*chosen).where(*known, table.c.high.in_(ids), apart),
    ]
    if third is not None:
        sides.append(select(*chosen).where(*known, third.in_(ids), apart, table.c.high.not_in(ids)))
    return union_all(*sides)


def holds(column: ColumnElement[Any], name: str) -> ColumnElement[bool]:
    """Say that a text, in canonical form, holds the text given as the parameter ``name``."""
    return func.instr(getattr(func, _FOLDED)(column), bindparam(name, type_=Text)) > 0


def as_list(values: Iterable[str | tuple[str, ...]]) -> str:
    """Write texts, or rows of texts, as the parameter of ``listed`` or ``listed_rows``."""
    return json.dumps(list(values))


def collected(column: ColumnElement[str]) -> ColumnElement[str]:
    """Return all texts of a column in one value, in the order of their rows; ``of_collected`` reads it."""
    return func.json_group_array(column, type_=Text)


def of_collected(value: str) -> list[str]:
    """Return the texts of a value made by ``collected``."""
    texts: list[str] = json.loads(value)
    return texts
