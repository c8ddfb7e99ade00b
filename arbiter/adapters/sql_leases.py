"""Leases in the SQL database of the store."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from sqlalchemy import BigInteger, Column, Table, bindparam, select, update

from arbiter.adapters.sql_columns import key, metadata, moment, optionals
from arbiter.adapters.sql_dialect import upsert
from arbiter.adapters.sql_rows import micros
from arbiter.domain.leases import Lease

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

    from arbiter.adapters.sql_access import Connecting

leases = Table(
    "leases",
    metadata,
    key("name"),
    # Null: nobody's.
    *optionals("owner"),
    moment("held_until"),
    Column("failures", BigInteger(), nullable=False),
    moment("rest_until"),
)

_PROBE = "probe"
_FIND = select(leases).where(leases.c.name == bindparam("which"))
_OWN = (leases.c.name == bindparam("which")) & (leases.c.owner == bindparam("whose"))
_RENEW = update(leases).where(_OWN).values(held_until=bindparam("until"))
_END = (
    update(leases)
    .where(_OWN)
    .values(owner=None, failures=bindparam("after_failures"), rest_until=bindparam("until"))
)


class SqlLeases:
    """Implements ``LeaseStore``."""

    def __init__(self, changing: Connecting) -> None:
        self._changing = changing

    def take(
        self, name: str, owner: str, at: datetime, until: datetime, *, rested: bool = True
    ) -> Lease | None:
        """See ``LeaseStore.take``."""
        now = micros(at)
        with self._changing() as connection:
            row = connection.execute(_FIND, {"which": name}).one_or_none()
            if row is not None and row.owner not in (None, owner) and row.held_until > now:
                return None
            if row is not None and rested and row.rest_until > now:
                return None
            failures, rest = (row.failures, row.rest_until) if row is not None else (0, now)
            taken = {
                "name": name,
                "owner": owner,
                "held_until": micros(until),
                "failures": failures,
                "rest_until": rest,
            }
            connection.execute(upsert(connection, leases), taken)
        return Lease(name, owner, until, failures)

    def renew(self, lease: Lease, until: datetime) -> bool:
        """See ``LeaseStore.renew``."""
        with self._changing() as connection:
            done = connection.execute(_RENEW, {**_own(lease), "until": micros(until)})
        return done.rowcount == 1

    def give_back(self, lease: Lease, *, failures: int, rest_until: datetime) -> None:
        """See ``LeaseStore.give_back``."""
        after = {"after_failures": failures, "until": micros(rest_until)}
        with self._changing() as connection:
            connection.execute(_END, {**_own(lease), **after})


def write_probe(connection: Connection, at: datetime) -> None:
    """Write one row, always the same, to see whether anything can be written."""
    now = micros(at)
    row = {"name": _PROBE, "owner": None, "held_until": now, "failures": 0, "rest_until": now}
    connection.execute(upsert(connection, leases), row)


def _own(lease: Lease) -> dict[str, object]:
    return {"which": lease.name, "whose": lease.owner}
