"""Where an item stands among those that somebody looks at, and what comes before and after it."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from arbiter.domain.review_queue import Place, QueueQuery

if TYPE_CHECKING:
    from arbiter.domain.review_queue import Queued
    from arbiter.ports import FactStore

MOST = 500
"""So many items are looked through, at most."""


@dataclass(frozen=True, slots=True)
class Neighbours:
    """``position`` counts from 1; None: the item is not among them, or too far behind.

    ``total`` is how many there are; with ``more``, that many and more.
    """

    position: int | None
    total: int
    more: bool
    previous: str | None
    next: str | None


def neighbours(
    queued: Queued, query: QueueQuery, namespace: str, store: FactStore, now: datetime
) -> Neighbours:
    """Return where an item stands among those that a query asks for, and what is beside it."""
    found = store.queue(namespace, query, behind=Place.start(now), limit=MOST + 1)
    places = [_place(other, now) for other in found[:MOST]]
    own = _place(queued, now)
    here, behind = bisect_left(places, own), bisect_right(places, own)
    return Neighbours(
        position=behind if behind > here else None,
        total=len(places),
        more=len(found) > MOST,
        previous=found[here - 1].item.id if here else None,
        next=found[behind].item.id if behind < len(found) else None,
    )


def following(
    queued: Queued, query: QueueQuery, namespace: str, store: FactStore, now: datetime
) -> str | None:
    """Return the item to go on with after one: the one behind it, else the first; None: there is no other."""
    own = Place(now, queued.priority(now).total, queued.item.id)
    for start in (own, Place.start(now)):
        for other in store.queue(namespace, query, behind=start, limit=2):
            if other.item.id != queued.item.id:
                return other.item.id
    return None


def _place(queued: Queued, now: datetime) -> tuple[int, str]:
    return -queued.priority(now).total, queued.item.id
