"""What waits in a store in memory, over all namespaces."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from typing import TYPE_CHECKING

from arbiter.domain.backlog import HeldPair, Queue, Waiting
from arbiter.domain.evidence import Unjudged
from arbiter.domain.review_queue import ReviewStatus

if TYPE_CHECKING:
    from arbiter.testing_store.space import Space


class MemoryBacklog:
    """Implements ``Backlog``; ``spaces`` returns what each namespace holds now."""

    def __init__(self, spaces: Callable[[], Mapping[str, Space]]) -> None:
        self._spaces = spaces

    def held(self, namespace: str | None = None) -> list[HeldPair]:
        """See ``Backlog.held``."""
        found = [
            pair
            for name, space in self._spaces().items()
            if namespace in (None, name)
            for pair in _held(name, space)
        ]
        return sorted(found, key=lambda pair: (pair.last, pair.namespace, pair.key))

    def held_count(self, namespace: str | None = None) -> int:
        """See ``Backlog.held_count``."""
        return len(self.held(namespace))

    def abandoned(
        self, before: datetime, namespace: str | None = None, among: Iterable[str] | None = None
    ) -> list[tuple[str, str]]:
        """See ``Backlog.abandoned``."""
        wanted = None if among is None else set(among)
        return sorted(
            (name, fact_id)
            for name, space in self._spaces().items()
            if namespace in (None, name)
            for fact_id, arrived in _unfinished(space)
            if arrived < before and (wanted is None or fact_id in wanted)
        )

    def waiting(self) -> list[Waiting]:
        """See ``Backlog.waiting``."""
        since: defaultdict[tuple[str, Queue, str], list[datetime]] = defaultdict(list)
        for name, space in self._spaces().items():
            for asked in space.reviews.values():
                if asked.status is ReviewStatus.OPEN:
                    since[name, "review", asked.item.kind].append(asked.opened_at)
            for pair in _held(name, space):
                since[name, "judge", ""].append(pair.first)
            for _, arrived in _unfinished(space):
                since[name, "unfinished", ""].append(arrived)
        return [Waiting(*key, len(moments), min(moments)) for key, moments in sorted(since.items())]


def _held(namespace: str, space: Space) -> Iterator[HeldPair]:
    for key, pair in space.counting().items():
        found = pair.judgement
        if isinstance(found, Unjudged) and found.retryable and not space.erased.keys() & set(key):
            moments = [at for _, at, judged in space.judgements if judged.key == key]
            yield HeldPair(namespace, *key, len(moments), min(moments), max(moments))


def _unfinished(space: Space) -> Iterator[tuple[str, datetime]]:
    for fact_id in space.told.keys() - space.finished - space.erased.keys():
        yield fact_id, min(space.sightings[sighting_id][1] for sighting_id in space.told[fact_id])
