"""The store: the log of what was said, found and ruled, and the views derived from it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

from arbiter.ports.access import KeyStore
from arbiter.ports.answers import AnswerStore
from arbiter.ports.backlog import Backlog, LeaseStore
from arbiter.ports.overview import Overview
from arbiter.ports.queue import ReviewQueue
from arbiter.ports.reading import FactReader

if TYPE_CHECKING:
    from arbiter.domain.evidence import JudgedPair
    from arbiter.domain.facts import Sighting
    from arbiter.domain.outcomes import (
        Decision,
        FactState,
        HistoryEntry,
        Receipt,
        ReviewItem,
        Ruling,
    )
    from arbiter.domain.review_queue import Comment, ReviewWork
    from arbiter.domain.settle import Cluster, Settlement
    from arbiter.domain.vocabulary import State
    from arbiter.ports.evidence import Vectors


class Writing(Protocol):
    """One open transaction on one namespace; nobody else writes to it meanwhile.

    Everything is kept when the block ends well and nothing when it raises.
    """

    def arrive(
        self,
        sightings: Sequence[Sighting],
        subjects: Mapping[str, str],
        entities: Mapping[str, frozenset[str]],
    ) -> None:
        """Append sightings that are new to the log; a known sighting id is left as it is.

        Facts that are new with them are unfinished until ``finish``. ``subjects`` and ``entities`` give the
        subject name and the named things of each new fact id; both are kept for retrieval.
        """
        ...

    def touch(self, touches: Mapping[str, tuple[datetime | None, int]]) -> None:
        """Count re-reads: sighting id to (latest time seen, how many more). Times only move forward.

        No time means that it is no later than the one in the log.
        """
        ...

    def put_vectors(self, model_id: str, ids: Sequence[str], vectors: Vectors) -> None:
        """Add vectors of facts; a fact that has one of this model keeps it."""
        ...

    def judged(self, pairs: Sequence[JudgedPair]) -> None:
        """Append judgements; the newest one of a pair counts, but an unjudged never hides a verdict."""
        ...

    def finish(self, ids: Iterable[str]) -> None:
        """Mark facts as finished: their candidates have been found and put before the judges."""
        ...

    def ruled(self, ruling: Ruling) -> None:
        """Append a ruling."""
        ...

    def works(self, work: ReviewWork) -> None:
        """Write who works on an item, in the place of what was written before."""
        ...

    def commented(self, comment: Comment) -> None:
        """Append a comment on an item."""
        ...

    def cluster(self, ids: Iterable[str]) -> Cluster:
        """Return these facts with every fact connected to them, and what was found and ruled.

        Facts are connected through a ruling, with what a merge wrote for them, or through a verdict other
        than unrelated and complementary, over any number of steps. All pairs with both sides inside are
        included, the harmless ones too. A pair that nobody could judge connects nothing: where its later
        side (``b``) is inside, the pair and its other side are included, the latter as fringe.
        """
        ...

    def apply(self, settlement: Settlement) -> list[FactState]:
        """Write states, decisions and review items of a settled cluster; return the states that changed.

        Decisions and review items on which the settlement is silent are no longer in force (their rows stay,
        closed), as far as it can tell: both facts are settled; or one is, and the pair was found to connect
        them; or nobody could judge it, and its later side is. A question that was set aside is closed, too.
        """
        ...

    def receipts(self, receipts: Sequence[Receipt]) -> None:
        """Append receipts."""
        ...

    def erase(self, fact_id: str) -> None:
        """Take the text of a fact out of every table: words, vectors, names, reasons, comments, receipts."""
        ...


class FactStore(FactReader, ReviewQueue, Protocol):
    """The log of facts, judgements, rulings and receipts, and the views derived from it."""

    @property
    def keys(self) -> KeyStore:
        """The API keys of the service, kept beside the facts."""
        ...

    @property
    def answers(self) -> AnswerStore:
        """The answers that the service keeps for requests that come again."""
        ...

    @property
    def backlog(self) -> Backlog:
        """What waits, over all namespaces."""
        ...

    @property
    def leases(self) -> LeaseStore:
        """Who does the work that one process does for all."""
        ...

    @property
    def overview(self) -> Overview:
        """Counts over a namespace."""
        ...

    def writing(self, namespace: str) -> AbstractContextManager[Writing]:
        """Open a transaction.

        Raises:
            StoreUnavailableError: locked, full or unreadable; nothing was written.
        """
        ...

    def namespaces(self) -> list[str]:
        """Return every namespace that holds a fact, sorted."""
        ...

    def fact_ids(
        self, namespace: str, *, state: State | None = None, after: str | None = None
    ) -> Iterator[str]:
        """Yield the ids of facts, oldest first, of one state or of all; with ``after``, those behind it.

        Raises:
            NotFoundError: the namespace has no fact ``after``.
        """
        ...

    def unfinished(self, namespace: str) -> list[str]:
        """Return the ids of facts that arrived but whose judging was never finished, oldest first."""
        ...

    def retryable(self, namespace: str) -> list[tuple[str, str]]:
        """Return the pairs whose newest judgement is an unjudged that may be tried again."""
        ...

    def unjudged(self, namespace: str) -> list[tuple[str, str]]:
        """Return the pairs without a verdict whose newest unjudged is not to be tried again."""
        ...

    def decision(self, namespace: str, decision_id: str) -> Decision:
        """Return a decision, in force or not.

        Raises:
            NotFoundError: the namespace has no such decision.
        """
        ...

    def decisions(self, namespace: str, fact_ids: Iterable[str]) -> list[Decision]:
        """Return the decisions in force that involve any of these facts."""
        ...

    def later_decisions(self, namespace: str, decision_id: str) -> list[Decision]:
        """Return what may rest on a decision, in the order in which it came into force.

        Decisions in force that retire a fact, involve one of this decision's facts (a merged text is one),
        and came later.
        """
        ...

    def reviews(self, namespace: str, *, open_only: bool = True) -> list[ReviewItem]:
        """Return review items, most urgent first, ties by id."""
        ...

    def review(self, namespace: str, review_id: str) -> tuple[ReviewItem, bool]:
        """Return an item and whether it is still open.

        Raises:
            NotFoundError: the namespace has no such item.
        """
        ...

    def rulings(self, namespace: str) -> list[Ruling]:
        """Return every ruling, oldest first."""
        ...

    def receipt(self, namespace: str, receipt_id: str) -> Mapping[str, object]:
        """Return a stored receipt as JSON.

        Raises:
            NotFoundError: the namespace has no such receipt.
        """
        ...

    def history(self, namespace: str, fact_id: str) -> list[HistoryEntry]:
        """Return what happened to a fact, oldest first: sightings, judgements, decisions, states, rulings.

        Raises:
            NotFoundError: the namespace has no such fact.
        """
        ...

    def rebuild_views(self, namespace: str) -> None:
        """Drop every view of a namespace and rebuild the fact rows from the log; states come from compile."""
        ...

    def check_writable(self) -> None:
        """Write something that means nothing, to see that it can be done.

        Raises:
            StoreUnavailableError: it cannot.
        """
        ...

    def close(self) -> None:
        """Let go of the file or the connections."""
        ...
