"""The end of a namespace's log: where the next entry goes, and when it is recorded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from arbiter.adapters.sql_dialect import NAMESPACE, upsert
from arbiter.adapters.sql_rows import micros
from arbiter.adapters.sql_schema import positions

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

    from arbiter.ports import Clock

_LAST = select(positions.c.last).where(positions.c.namespace == NAMESPACE)


class SqlLog:
    """Hands out positions within one transaction; ``flush`` writes the last one down."""

    def __init__(self, connection: Connection, namespace: str, clock: Clock) -> None:
        self.connection = connection
        self.namespace = namespace
        self._clock = clock
        self._last: int | None = None
        self._written = 0
        self._now: int | None = None

    def now(self) -> int:
        """Return the moment at which this transaction records, one for all its entries."""
        if self._now is None:
            self._now = micros(self._clock())
        return self._now

    def position(self) -> int:
        """Return the next position."""
        if self._last is None:
            found = self.connection.execute(_LAST, {"namespace": self.namespace}).scalar()
            self._last = self._written = found or 0
        self._last += 1
        return self._last

    def entry(self) -> dict[str, Any]:
        """Return the columns that every new entry of the log has."""
        return {"namespace": self.namespace, "position": self.position(), "recorded_at": self.now()}

    def flush(self) -> None:
        """Write the last position down, if it moved."""
        if self._last is not None and self._last != self._written:
            row = {"namespace": self.namespace, "last": self._last}
            self.connection.execute(upsert(self.connection, positions), row)
            self._written = self._last
