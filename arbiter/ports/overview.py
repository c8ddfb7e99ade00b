"""Counting what a namespace holds, without reading it."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from arbiter.domain.overview import DayOfRecords, Rulings, Totals, Waited


class Overview(Protocol):
    """Counts over one namespace. Days are those of UTC; what was written there at a moment belongs to it."""

    def totals(self, namespace: str) -> Totals:
        """Return how the namespace stands now."""
        ...

    def records(self, namespace: str, since: datetime) -> list[DayOfRecords]:
        """Return what became of the records taken in since a moment, by day, oldest first.

        What was only read again is left out: no receipt of it is kept.
        """
        ...

    def rulings(self, namespace: str, since: datetime) -> list[Rulings]:
        """Return who ruled what since a moment, by day, oldest first, then by name and kind.

        Takings back are no rulings here.
        """
        ...

    def waits(self, namespace: str) -> list[Waited]:
        """Return when the questions were asked and closed, oldest first; what still waits comes last."""
        ...
