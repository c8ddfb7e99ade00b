"""The review queue of a namespace in memory."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable
from datetime import datetime
from typing import TYPE_CHECKING

from arbiter.domain.canonical import canonical
from arbiter.domain.outcomes import Ruling
from arbiter.domain.review_queue import (
    Comment,
    Place,
    QueueCounts,
    Queued,
    QueueQuery,
    ReviewStatus,
    ReviewWork,
)
from arbiter.domain.vocabulary import Stakes
from arbiter.errors import NotFoundError

if TYPE_CHECKING:
    from arbiter.domain.evidence import JudgedPair
    from arbiter.testing_store.space import Space


class MemoryQueue(ABC):
    """Implements ``ReviewQueue``; whoever inherits says which state of a namespace is seen."""

    @abstractmethod
    def _space(self, namespace: str) -> Space:
        """Return what a namespace holds now; it is not to be changed."""

    def queue(self, namespace: str, query: QueueQuery, *, behind: Place, limit: int) -> list[Queued]:
        """See ``ReviewQueue.queue``."""
        space = self._space(namespace)

        def order(queued: Queued) -> tuple[int, str]:
            return (-queued.priority(behind.moment).total, queued.item.id)

        found = [queued for queued in _everything(space) if _matches(queued, query, space, now=behind.moment)]
        rest = [queued for queued in found if order(queued) > (-behind.priority, behind.id)]
        return sorted(rest, key=order)[:limit]

    def queued(self, namespace: str, review_ids: Iterable[str]) -> dict[str, Queued]:
        """See ``ReviewQueue.queued``."""
        wanted = set(review_ids)
        return {q.item.id: q for q in _everything(self._space(namespace)) if q.item.id in wanted}

    def queue_counts(self, namespace: str, now: datetime) -> QueueCounts:
        """See ``ReviewQueue.queue_counts``."""
        everything = _everything(self._space(namespace))
        statuses = Counter(queued.status for queued in everything)
        waiting = [queued for queued in everything if queued.status is ReviewStatus.OPEN]
        return QueueCounts(
            open=statuses[ReviewStatus.OPEN],
            set_aside=statuses[ReviewStatus.SET_ASIDE],
            closed=statuses[ReviewStatus.CLOSED],
            high_stakes=sum(queued.item.stakes is Stakes.HIGH for queued in waiting),
            claimed=sum(queued.work.claimant(now) is not None for queued in waiting),
            kinds=dict(Counter(queued.item.kind for queued in waiting)),
            oldest=min((queued.opened_at for queued in waiting), default=None),
        )

    def comments(self, namespace: str, review_ids: Iterable[str]) -> dict[str, list[Comment]]:
        """See ``ReviewQueue.comments``."""
        wanted = set(review_ids)
        noted: dict[str, list[Comment]] = {}
        known = self._space(namespace).comments.values()
        for comment in sorted(known, key=lambda comment: (comment.at, comment.id)):
            if comment.review_id in wanted:
                noted.setdefault(comment.review_id, []).append(comment)
        return noted

    def rulings_on(self, namespace: str, keys: Iterable[tuple[str, str]]) -> list[Ruling]:
        """See ``ReviewQueue.rulings_on``."""
        wanted = set(keys)
        found = [r for _, _, r in self._space(namespace).rulings.values() if r.key in wanted]
        return sorted(found, key=lambda ruling: (ruling.at, ruling.id))

    def judged_then(self, namespace: str, ruling_ids: Iterable[str]) -> dict[str, JudgedPair]:
        """See ``ReviewQueue.judged_then``."""
        space = self._space(namespace)
        found = {}
        for ruling_id in set(ruling_ids).intersection(space.rulings):
            position, _, ruling = space.rulings[ruling_id]
            judged = space.counting(before=position).get(ruling.key)
            if judged is not None:
                found[ruling_id] = judged
        return found

    def ruling(self, namespace: str, ruling_id: str) -> Ruling:
        """See ``ReviewQueue.ruling``."""
        known = self._space(namespace).rulings
        if ruling_id not in known:
            raise NotFoundError(f"{namespace} has no ruling {ruling_id}")
        return known[ruling_id][2]


def _everything(space: Space) -> list[Queued]:
    return [
        Queued(
            item=asked.item,
            status=asked.status,
            opened_at=asked.opened_at,
            closed_at=asked.closed_at,
            work=space.work.get(review_id) or ReviewWork(review_id),
        )
        for review_id, asked in space.reviews.items()
    ]


def _matches(queued: Queued, query: QueueQuery, space: Space, *, now: datetime) -> bool:
    item, work = queued.item, queued.work
    told = (
        canonical(space.sightings[sighting_id][2].record.content)
        for fact_id in item.key
        for sighting_id in space.told.get(fact_id, ())
    )
    return (
        query.status in (None, queued.status)
        and (not query.kinds or item.kind in query.kinds)
        and query.stakes in (None, item.stakes)
        and query.assignee in (None, work.assignee)
        and query.claimed_by in (None, work.claimant(now))
        and (query.text is None or any(canonical(query.text) in text for text in told))
        and (
            query.free_for is None
            or (work.assignee in (None, query.free_for) and work.claimant(now) in (None, query.free_for))
        )
    )
