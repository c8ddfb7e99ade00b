"""What the tables of the store are made of."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Index, MetaData, Text, text

metadata = MetaData()


def key(name: str, kind: type[Text | BigInteger] = Text) -> Column[object]:
    """Return a column of the primary key; every key starts with the namespace."""
    return Column(name, kind(), primary_key=True)


def texts(*names: str) -> list[Column[object]]:
    """Return columns of texts that are always there."""
    return [Column(name, Text(), nullable=False) for name in names]


def optionals(*names: str) -> list[Column[object]]:
    """Return columns of texts that may lack."""
    return [Column(name, Text()) for name in names]


def counted(*names: str) -> list[Column[object]]:
    """Return columns of whole numbers, 0 by default."""
    return [Column(name, BigInteger(), nullable=False, server_default=text("0")) for name in names]


def moment(name: str, *, nullable: bool = False) -> Column[object]:
    """Return a column of whole microseconds since 1970 in UTC."""
    return Column(name, BigInteger(), nullable=nullable)


def index_where(condition: str, in_sqlite: str, name: str, *columns: str) -> Index:
    """Index few rows; SQLite only uses it where the condition is written as in the query."""
    return Index(name, *columns, postgresql_where=text(condition), sqlite_where=text(in_sqlite))
