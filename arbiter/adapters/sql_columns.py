"""What the tables of the store are made of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import BigInteger, Column, Index, LargeBinary, MetaData, Text, text
from sqlalchemy.types import TypeDecorator, TypeEngine, UserDefinedType

if TYPE_CHECKING:
    from sqlalchemy.engine import Dialect

metadata = MetaData()

# Texts are in order by their code points everywhere, as in Python.
Words: TypeEngine[str] = Text().with_variant(Text(collation="C"), "postgresql")


class _PgVector(UserDefinedType[Any]):
    cache_ok = True

    def get_col_spec(self, **_: Any) -> str:  # noqa: ANN401
        return "VECTOR"


class Vector(TypeDecorator[bytes]):
    """Numbers as little-endian float32: bytes in SQLite, a vector of pgvector in PostgreSQL."""

    impl = LargeBinary
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """Return the type of the column."""
        return dialect.type_descriptor(_PgVector() if dialect.name == "postgresql" else LargeBinary())

    def process_bind_param(self, value: bytes | None, dialect: Dialect) -> Any:  # noqa: ANN401
        """Return what the driver takes."""
        if dialect.name != "postgresql" or value is None:
            return value
        import numpy as np

        return np.frombuffer(value, dtype="<f4")

    def process_result_value(self, value: Any, dialect: Dialect) -> bytes | None:  # noqa: ANN401
        """Return the bytes of what the driver gives."""
        packed: bytes | None = value
        if dialect.name == "postgresql" and value is not None:
            packed = value.to_numpy().astype("<f4", copy=False).tobytes()
        return packed


def key(name: str, kind: type[Text | BigInteger] = Text) -> Column[object]:
    """Return a column of the primary key; every key starts with the namespace."""
    return Column(name, Words if kind is Text else kind(), primary_key=True)


def texts(*names: str) -> list[Column[object]]:
    """Return columns of texts that are always there."""
    return [Column(name, Words, nullable=False) for name in names]


def optionals(*names: str) -> list[Column[object]]:
    """Return columns of texts that may lack."""
    return [Column(name, Words) for name in names]


def counted(*names: str) -> list[Column[object]]:
    """Return columns of whole numbers, 0 by default."""
    return [Column(name, BigInteger(), nullable=False, server_default=text("0")) for name in names]


def moment(name: str, *, nullable: bool = False) -> Column[object]:
    """Return a column of whole microseconds since 1970 in UTC."""
    return Column(name, BigInteger(), nullable=nullable)


def index_where(condition: str, in_sqlite: str, name: str, *columns: str) -> Index:
    """Index few rows; SQLite only uses it where the condition is written as in the query."""
    return Index(name, *columns, postgresql_where=text(condition), sqlite_where=text(in_sqlite))
