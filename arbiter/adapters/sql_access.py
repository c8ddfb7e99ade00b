"""API keys and sessions in the SQL database of the store."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import date, datetime
from typing import TYPE_CHECKING, Any, TypeAlias

from sqlalchemy import bindparam, delete, or_, select, update

from arbiter.adapters.sql_dialect import insert_new
from arbiter.adapters.sql_rows import micros, moment_of
from arbiter.adapters.sql_service_schema import api_keys, sessions
from arbiter.domain.access import SCOPES, ApiKey, Session
from arbiter.errors import NotFoundError

if TYPE_CHECKING:
    from sqlalchemy import Row
    from sqlalchemy.engine import Connection

Connecting: TypeAlias = "Callable[[], AbstractContextManager[Connection]]"
"""Opens a connection to read on, or a transaction that excludes every other writer."""

_FIND = select(api_keys).where(api_keys.c.id == bindparam("which"))
_ALL = select(api_keys).order_by(api_keys.c.created_at, api_keys.c.id)
_REVOKE = (
    update(api_keys)
    .where(api_keys.c.id == bindparam("which"), api_keys.c.revoked_at.is_(None))
    .values(revoked_at=bindparam("at"))
)
_USED = (
    update(api_keys)
    .where(
        api_keys.c.id == bindparam("which"),
        or_(api_keys.c.last_used.is_(None), api_keys.c.last_used < bindparam("day")),
    )
    .values(last_used=bindparam("day"))
)
_SESSION = select(sessions).where(sessions.c.digest == bindparam("which"))
_END = delete(sessions).where(sessions.c.digest == bindparam("which"))
_EXPIRED = delete(sessions).where(sessions.c.expires_at <= bindparam("at"))


class SqlKeys:
    """Implements ``KeyStore``."""

    def __init__(self, reading: Connecting, changing: Connecting) -> None:
        self._reading = reading
        self._changing = changing

    def add(self, key: ApiKey, digest: str) -> None:
        """See ``KeyStore.add``."""
        with self._changing() as connection:
            connection.execute(api_keys.insert(), _key_row(key, digest))

    def find(self, key_id: str) -> tuple[ApiKey, str] | None:
        """See ``KeyStore.find``."""
        with self._reading() as connection:
            row = connection.execute(_FIND, {"which": key_id}).one_or_none()
        return None if row is None else (_key_of(row), row.digest)

    def all(self) -> list[ApiKey]:
        """See ``KeyStore.all``."""
        with self._reading() as connection:
            return [_key_of(row) for row in connection.execute(_ALL)]

    def revoke(self, key_id: str, at: datetime) -> ApiKey:
        """See ``KeyStore.revoke``."""
        with self._changing() as connection:
            connection.execute(_REVOKE, {"which": key_id, "at": micros(at)})
            row = connection.execute(_FIND, {"which": key_id}).one_or_none()
        if row is None:
            raise NotFoundError(f"there is no API key {key_id}")
        return _key_of(row)

    def used(self, key_id: str, day: date) -> None:
        """See ``KeyStore.used``."""
        with self._changing() as connection:
            connection.execute(_USED, {"which": key_id, "day": day})

    def begin_session(self, session: Session, at: datetime) -> None:
        """See ``KeyStore.begin_session``."""
        row = {
            "digest": session.digest,
            "key_id": session.key_id,
            "expires_at": micros(session.expires_at),
        }
        with self._changing() as connection:
            connection.execute(_EXPIRED, {"at": micros(at)})
            connection.execute(insert_new(connection, sessions), row)

    def session(self, digest: str) -> Session | None:
        """See ``KeyStore.session``."""
        with self._reading() as connection:
            row = connection.execute(_SESSION, {"which": digest}).one_or_none()
        return None if row is None else Session(row.digest, row.key_id, moment_of(row.expires_at))

    def end_session(self, digest: str) -> None:
        """See ``KeyStore.end_session``."""
        with self._changing() as connection:
            connection.execute(_END, {"which": digest})


def _key_row(key: ApiKey, digest: str) -> dict[str, Any]:
    return {
        "id": key.id,
        "digest": digest,
        "name": key.name,
        "namespace": key.namespace,
        "scopes": " ".join(sorted(key.scopes)),
        "created_at": micros(key.created_at),
        "expires_at": None if key.expires_at is None else micros(key.expires_at),
        "revoked_at": None if key.revoked_at is None else micros(key.revoked_at),
        "last_used": key.last_used,
    }


def _key_of(row: Row[Any]) -> ApiKey:
    granted = row.scopes.split()
    return ApiKey(
        id=row.id,
        name=row.name,
        namespace=row.namespace,
        scopes=frozenset(scope for scope in SCOPES if scope in granted),
        created_at=moment_of(row.created_at),
        expires_at=None if row.expires_at is None else moment_of(row.expires_at),
        revoked_at=None if row.revoked_at is None else moment_of(row.revoked_at),
        last_used=row.last_used,
    )
