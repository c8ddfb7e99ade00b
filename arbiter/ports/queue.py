"""The review queue as the store keeps it: what waits, who works on it, what was noted and ruled."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from arbiter.domain.evidence import JudgedPair
    from arbiter.domain.outcomes import Ruling
    from arbiter.domain.review_queue import Comment, Place, QueueCounts, Queued, QueueQuery


class ReviewQueue(Protocol):
    """Reads the review queue. Every method keeps to one namespace."""

    def queue(self, namespace: str, query: QueueQuery, *, behind: Place, limit: int) -> list[Queued]:
        """Return up to ``limit`` items behind a place, most urgent first, ties by id.

        The order is that of the total priority at the moment of the place; claims are those of then, too.
        """
        ...

    def queued(self, namespace: str, review_ids: Iterable[str]) -> dict[str, Queued]:
        """Return items with their places in the queue; unknown ids lack."""
        ...

    def queue_counts(self, namespace: str, now: datetime) -> QueueCounts:
        """Return how the queue stands."""
        ...

    def comments(self, namespace: str, review_ids: Iterable[str]) -> dict[str, list[Comment]]:
        """Return what was noted on items, oldest first; items without comments lack."""
        ...

    def rulings_on(self, namespace: str, keys: Iterable[tuple[str, str]]) -> list[Ruling]:
        """Return every ruling on unordered pairs (smaller id first), oldest first."""
        ...

    def judged_then(self, namespace: str, ruling_ids: Iterable[str]) -> dict[str, JudgedPair]:
        """Return by ruling the judgement of its pair that counted when it was made.

        Of what had been found by then that is the newest verdict, else the newest failure; rulings on pairs
        that nobody had judged lack.
        """
        ...

    def ruling(self, namespace: str, ruling_id: str) -> Ruling:
        """Return a ruling, whether it holds or not.

        Raises:
            NotFoundError: the namespace has no such ruling.
        """
        ...
