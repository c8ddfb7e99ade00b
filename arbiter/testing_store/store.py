"""The store in memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from threading import Lock, local
from typing import TYPE_CHECKING

from arbiter.domain.evidence import Unjudged
from arbiter.domain.outcomes import Decision, HistoryEntry, ReviewItem, Ruling
from arbiter.domain.review_queue import ReviewStatus
from arbiter.domain.vocabulary import State
from arbiter.errors import NotFoundError, StoreError
from arbiter.interchange import history
from arbiter.testing_store.answers import MemoryAnswers
from arbiter.testing_store.backlog import MemoryBacklog
from arbiter.testing_store.keys import MemoryKeys
from arbiter.testing_store.leases import MemoryLeases
from arbiter.testing_store.lookup import MemoryReader
from arbiter.testing_store.overview import MemoryOverview
from arbiter.testing_store.queue import MemoryQueue
from arbiter.testing_store.space import Space
from arbiter.testing_store.writing import MemoryWriting

if TYPE_CHECKING:
    from arbiter.ports import Clock


class MemoryStore(MemoryReader, MemoryQueue):
    """Implements ``FactStore`` without a file; for tests, since every reading walks through everything."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._spaces: dict[str, Space] = {}
        self._writers = Lock()
        self._own = local()
        self.keys = MemoryKeys()
        self.answers = MemoryAnswers(self._erasures)
        self.backlog = MemoryBacklog(lambda: dict(self._spaces))
        self.leases = MemoryLeases()
        self.overview = MemoryOverview(self._space)

    @contextmanager
    def writing(self, namespace: str) -> Iterator[MemoryWriting]:
        """See ``FactStore.writing``."""
        if getattr(self._own, "open", None):
            raise StoreError("this thread is writing already; end that transaction first")
        with self._writers:
            space = self._space(namespace).copy()
            self._own.open = {namespace: space}
            try:
                yield MemoryWriting(space, self._clock)
            finally:
                self._own.open = None
            self._spaces[namespace] = space

    def namespaces(self) -> list[str]:
        """See ``FactStore.namespaces``."""
        return sorted(namespace for namespace, space in self._spaces.items() if space.told)

    def fact_ids(
        self, namespace: str, *, state: State | None = None, after: str | None = None
    ) -> Iterator[str]:
        """See ``FactStore.fact_ids``."""
        space = self._space(namespace)
        facts = space.facts()
        places = {fact.id: place for place, fact in enumerate(facts)}
        if after is not None and after not in places:
            raise NotFoundError(f"{namespace} has no fact {after}")
        for fact in facts if after is None else facts[places[after] + 1 :]:
            if state is None or (fact.id in space.states and space.states[fact.id].state is state):
                yield fact.id

    def unfinished(self, namespace: str) -> list[str]:
        """See ``FactStore.unfinished``."""
        space = self._space(namespace)
        return [fact.id for fact in space.facts() if fact.id not in space.finished]

    def retryable(self, namespace: str) -> list[tuple[str, str]]:
        """See ``FactStore.retryable``."""
        return self._unjudged(namespace, retryable=True)

    def unjudged(self, namespace: str) -> list[tuple[str, str]]:
        """See ``FactStore.unjudged``."""
        return self._unjudged(namespace, retryable=False)

    def _unjudged(self, namespace: str, *, retryable: bool) -> list[tuple[str, str]]:
        found = self._space(namespace).counting()
        return sorted(
            key
            for key, pair in found.items()
            if isinstance(pair.judgement, Unjudged) and pair.judgement.retryable is retryable
        )

    def decision(self, namespace: str, decision_id: str) -> Decision:
        """See ``FactStore.decision``."""
        return self._space(namespace).decisions[self._sequence(namespace, decision_id)].decision

    def decisions(self, namespace: str, fact_ids: Iterable[str]) -> list[Decision]:
        """See ``FactStore.decisions``; in the order in which they came into force."""
        return [decision for _, decision in self._in_force(namespace, fact_ids)]

    def later_decisions(self, namespace: str, decision_id: str) -> list[Decision]:
        """See ``FactStore.later_decisions``; in the order in which they came into force."""
        since = self._sequence(namespace, decision_id)
        base = self._space(namespace).decisions[since].decision
        about = {base.a, base.b, base.winner or base.a}
        return [d for sequence, d in self._in_force(namespace, about) if sequence > since and d.retires]

    def reviews(self, namespace: str, *, open_only: bool = True) -> list[ReviewItem]:
        """See ``FactStore.reviews``."""
        found = self._space(namespace).reviews.values()
        items = [asked.item for asked in found if asked.status is ReviewStatus.OPEN or not open_only]
        return sorted(items, key=lambda item: (-item.priority, item.id))

    def review(self, namespace: str, review_id: str) -> tuple[ReviewItem, bool]:
        """See ``FactStore.review``."""
        found = self._space(namespace).reviews.get(review_id)
        if found is None:
            raise NotFoundError(f"{namespace} has no review item {review_id}")
        return found.item, found.status is ReviewStatus.OPEN

    def rulings(self, namespace: str) -> list[Ruling]:
        """See ``FactStore.rulings``."""
        found = (ruling for _, _, ruling in self._space(namespace).rulings.values())
        return sorted(found, key=lambda ruling: (ruling.at, ruling.id))

    def receipt(self, namespace: str, receipt_id: str) -> Mapping[str, object]:
        """See ``FactStore.receipt``."""
        found = self._space(namespace).receipts.get(receipt_id)
        if found is None:
            raise NotFoundError(f"{namespace} has no receipt {receipt_id}")
        return found

    def history(self, namespace: str, fact_id: str) -> list[HistoryEntry]:
        """See ``FactStore.history``."""
        space = self._space(namespace)
        if fact_id not in space.told:
            raise NotFoundError(f"{namespace} has no fact {fact_id}")
        return [entry for _, entry in sorted(_entries(space, fact_id), key=lambda placed: placed[0])]

    def rebuild_views(self, namespace: str) -> None:
        """See ``FactStore.rebuild_views``; everything but the states is derived whenever it is asked for."""
        with self._writers:
            self._spaces[namespace] = replace(self._space(namespace), states={})

    def check_writable(self) -> None:
        """Do nothing: memory can be written."""

    def close(self) -> None:
        """Do nothing: there is nothing to let go of."""

    def _erasures(self, namespace: str) -> dict[str, datetime]:
        return {fact_id: at for fact_id, (_, at, _) in self._space(namespace).erased.items()}

    def _space(self, namespace: str) -> Space:
        spaces = getattr(self._own, "open", None) or self._spaces
        return spaces.get(namespace) or self._spaces.get(namespace) or Space()

    def _sequence(self, namespace: str, decision_id: str) -> int:
        decisions = self._space(namespace).decisions
        found = [sequence for sequence, period in decisions.items() if period.decision.id == decision_id]
        if not found:
            raise NotFoundError(f"{namespace} has no decision {decision_id}")
        return max(found)

    def _in_force(self, namespace: str, fact_ids: Iterable[str]) -> list[tuple[int, Decision]]:
        wanted = set(fact_ids)
        return [
            (sequence, period.decision)
            for sequence, period in sorted(self._space(namespace).decisions.items())
            if period.ended is None and wanted.intersection(period.decision.key)
        ]


def _entries(space: Space, fact_id: str) -> Iterator[tuple[int, HistoryEntry]]:
    """Yield what happened to a fact, each with its place in the log."""
    for sighting_id in space.told[fact_id]:
        position, at, sighting = space.sightings[sighting_id]
        yield position, history.sighting_entry(at, sighting)
    yield from (
        (position, history.judgement_entry(at, pair))
        for position, at, pair in space.judgements
        if fact_id in pair.key
    )
    for position, period in space.decisions.items():
        if fact_id in period.decision.key:
            yield position, history.decision_entry(period.since, period.decision, in_force=True)
            if period.ended:
                ended, at = period.ended
                yield ended, history.decision_entry(at, period.decision, in_force=False)
    yield from (
        (position, history.state_entry(at, old, state))
        for position, at, old, state in space.changes
        if state.fact_id == fact_id
    )
    yield from (
        (position, history.ruling_entry(at, ruling))
        for position, at, ruling in space.rulings.values()
        if fact_id in ruling.facts
    )
    if fact_id in space.erased:
        position, at, _ = space.erased[fact_id]
        yield position, history.erasure_entry(at)
