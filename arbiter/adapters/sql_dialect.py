"""What the statements of the store write differently for SQLite and PostgreSQL: upserts, and lists."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias

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
    literal_column,
    select,
    union_all,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection
    from sqlalchemy.sql.base import ReadOnlyColumnCollection
    from sqlalchemy.sql.compiler import SQLCompiler
    from sqlalchemy.sql.dml import Insert

POSTGRESQL = "postgresql"
NAMESPACE: BindParameter[str] = bindparam("namespace", type_=Text)
"""The parameter that every statement has."""
WITHIN: BindParameter[str] = bindparam("within", type_=Text)
"""The same for updates, where the names of columns are taken by their new values."""
NewRow: TypeAlias = "Callable[[ReadOnlyColumnCollection[str, Any]], ColumnElement[bool]]"
"""Says of the columns of a new row whether it replaces the one that is there."""


def insert_new(connection: Connection, table: Table) -> Insert:
    """Return an insert that leaves rows with a known key as they are."""
    return _insert_new(connection.dialect.name, table)


def upsert(connection: Connection, table: Table, *, where: NewRow | None = None) -> Insert:
    """Return an insert that replaces rows with a known key.

    ``where`` says of the new row's columns when it replaces the one that is there; always, without it. It is
    asked once: statements are kept, since building one takes longer than running it.
    """
    return _upsert(connection.dialect.name, table, where)


@cache
def _insert_new(dialect: str, table: Table) -> Insert:
    return _insert(dialect, table).on_conflict_do_nothing()


@cache
def _upsert(dialect: str, table: Table, where: NewRow | None) -> Insert:
    insert = _insert(dialect, table)
    new = insert.excluded
    values = {column.name: new[column.name] for column in table.columns if not column.primary_key}
    return insert.on_conflict_do_update(
        index_elements=list(table.primary_key.columns),
        set_=values,
        where=None if where is None else where(new),
    )


def _insert(dialect: str, table: Table) -> sqlite.Insert | postgresql.Insert:
    return postgresql.insert(table) if dialect == POSTGRESQL else sqlite.insert(table)


class _TextsOf(FunctionElement[Any]):
    """The texts of a JSON array, a row each, in a column ``value``."""

    inherit_cache = True


class _ItemsOf(FunctionElement[Any]):
    """The items of a JSON array, as JSON, a row each, in a column ``value``."""

    inherit_cache = True


class _TextAt(FunctionElement[str]):
    """The text at a place of a JSON array; the place is a literal."""

    inherit_cache = True
    type = Text()


class _Collected(FunctionElement[str]):
    """All texts of a column as one JSON array."""

    inherit_cache = True
    type = Text()


@compiles(_TextsOf)
@compiles(_ItemsOf)
def _each(element: FunctionElement[Any], compiler: SQLCompiler, **told: Any) -> str:  # noqa: ANN401
    return f"json_each({compiler.process(element.clauses, **told)})"


@compiles(_TextsOf, POSTGRESQL)
def _each_text(element: _TextsOf, compiler: SQLCompiler, **told: Any) -> str:  # noqa: ANN401
    return f"jsonb_array_elements_text(CAST({compiler.process(element.clauses, **told)} AS JSONB))"


@compiles(_ItemsOf, POSTGRESQL)
def _each_item(element: _ItemsOf, compiler: SQLCompiler, **told: Any) -> str:  # noqa: ANN401
    return f"jsonb_array_elements(CAST({compiler.process(element.clauses, **told)} AS JSONB))"


@compiles(_TextAt)
def _text_at(element: _TextAt, compiler: SQLCompiler, **told: Any) -> str:  # noqa: ANN401
    array, place = (compiler.process(clause, **told) for clause in element.clauses)
    return f"json_extract({array}, '$[{place}]')"


@compiles(_TextAt, POSTGRESQL)
def _text_at_arrow(element: _TextAt, compiler: SQLCompiler, **told: Any) -> str:  # noqa: ANN401
    array, place = (compiler.process(clause, **told) for clause in element.clauses)
    return f"({array} ->> {place})"


@compiles(_Collected)
def _grouped(element: _Collected, compiler: SQLCompiler, **told: Any) -> str:  # noqa: ANN401
    return f"json_group_array({compiler.process(element.clauses, **told)})"


@compiles(_Collected, POSTGRESQL)
def _aggregated(element: _Collected, compiler: SQLCompiler, **told: Any) -> str:  # noqa: ANN401
    return f"CAST(coalesce(json_agg({compiler.process(element.clauses, **told)}), '[]') AS TEXT)"


def listed(name: str) -> Select[str]:
    """Return the texts of a JSON array given as the parameter ``name``.

    One statement and one parameter serve a list of any length; ``as_list`` writes the parameter.
    """
    rows = _TextsOf(bindparam(name, type_=Text)).table_valued("value", name=f"{name}_list")
    return select(rows.c.value)


def listed_rows(name: str, width: int) -> CTE:
    """Return the rows of a JSON array of arrays of texts, as columns ``k0``, ``k1`` and so on."""
    rows = _ItemsOf(bindparam(name, type_=Text)).table_valued("value", name=f"{name}_list")
    items = [_TextAt(rows.c.value, literal_column(str(i))).label(f"k{i}") for i in range(width)]
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


def as_list(values: Iterable[str | tuple[str, ...]]) -> str:
    """Write texts, or rows of texts, as the parameter of ``listed`` or ``listed_rows``."""
    return json.dumps(list(values))


def collected(column: ColumnElement[str]) -> ColumnElement[str]:
    """Return all texts of a column in one value, in the order of their rows; ``of_collected`` reads it."""
    return _Collected(column)


def of_collected(value: str) -> list[str]:
    """Return the texts of a value made by ``collected``."""
    texts: list[str] = json.loads(value)
    return texts
