"""What waits, over all namespaces: for those who run the service, never for its callers."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypeAlias

Queue: TypeAlias = Literal["review", "judge", "unfinished"]
"""Questions to people; pairs that no judge could tell yet; facts whose judging was never finished."""


@dataclass(frozen=True, slots=True)
class HeldPair:
    """A pair that no judge could tell and that may be asked again; ``a`` is the smaller id.

    ``attempts`` counts how often judges were asked in vain, first and last at these moments.
    """

    namespace: str
    a: str
    b: str
    attempts: int
    first: datetime
    last: datetime

    @property
    def key(self) -> tuple[str, str]:
        """The pair without its orientation."""
        return (self.a, self.b)


@dataclass(frozen=True, slots=True)
class Waiting:
    """How many things of one kind wait in a namespace, and since when the oldest does.

    ``kind`` is that of the review items; empty for the other queues.
    """

    namespace: str
    queue: Queue
    kind: str
    count: int
    since: datetime
