"""The ports: everything the pipeline needs from outside, one small Protocol each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from arbiter.domain.evidence import GuardFinding, JudgedPair, Judgement, RecordPair, Spend
    from arbiter.domain.facts import Fact, Record, Sighting
    from arbiter.domain.outcomes import (
        Decision,
        FactState,
        HistoryEntry,
        Receipt,
        ReviewItem,
        Ruling,
    )
    from arbiter.domain.settle import Cluster, Settlement
    from arbiter.domain.vocabulary import State

    Vectors: TypeAlias = NDArray[np.float32]
    """Embeddings, one a row: float32, shape (n, dimension), rows of length 1."""


class Clock(Protocol):
    """Tells the time; the only way by which the core learns it."""

    def __call__(self) -> datetime:
        """Return now, with a zone."""
        ...


class Embedder(Protocol):
    """Turns texts into vectors of length 1 whose inner product is their cosine similarity."""

    @property
    def model_id(self) -> str:
        """Name and digest of the model; vectors of two ids are never compared."""
        ...

    @property
    def dimension(self) -> int:
        """Numbers in a vector."""
        ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Embed many texts at once.

        Raises:
            EmbeddingError: the model failed; no partial answer is given.
        """
        ...


class VectorIndex(Protocol):
    """Nearest vectors within one namespace and one model."""

    def add(self, ids: Sequence[str], vectors: Vectors) -> None:
        """Add vectors under fact ids; an id that is already there is left as it is."""
        ...

    def remove(self, ids: Iterable[str]) -> None:
        """Forget ids; unknown ones are ignored."""
        ...

    def search(
        self, queries: Vectors, *, limit: int, min_similarity: float
    ) -> list[list[tuple[str, float]]]:
        """Return for each query up to ``limit`` (id, cosine similarity), closest first, ties by id."""
        ...

    def similarities(self, queries: Vectors, ids: Sequence[Sequence[str]]) -> list[dict[str, float]]:
        """Return for each query the cosine similarity to those of its ids that the index holds."""
        ...

    def __len__(self) -> int:
        """Return how many ids it holds."""
        ...


class EntityExtractor(Protocol):
    """Finds the named things in texts."""

    def extract(self, texts: Sequence[str]) -> list[frozenset[str]]:
        """Return for each text its named things, folded by ``fold_name``, aliases resolved."""
        ...


class Judge(Protocol):
    """Gives the relation of pairs, or says that it cannot tell."""

    @property
    def judge_id(self) -> str:
        """Name and digests; part of each verdict and of the cache key."""
        ...

    def judge(self, pairs: Sequence[RecordPair]) -> tuple[list[Judgement], Spend]:
        """Judge many pairs; the answers stand in the order of the pairs, one each.

        A judge never raises for a pair: what it could not judge is ``Unjudged``.
        """
        ...


class Guard(Protocol):
    """Compares numbers, units, dates, negation, names, quantifiers and qualifiers of two texts."""

    def compare(self, a: Record, b: Record) -> tuple[GuardFinding, ...]:
        """Return the differences that forbid to call the two the same; empty if there are none."""
        ...


class ClaimKeys(Protocol):
    """The registry of attributes, and the aliases of names."""

    def complete(self, record: Record) -> Record:
        """Return the record with its claim key canonical and the registry's mutability and stakes.

        What the record says itself is kept.
        """
        ...

    def single_valued(self, claim_key: str) -> bool | None:
        """Can the attribute have one value only? None: the registry does not know it."""
        ...

    def canonical_name(self, name: str) -> str:
        """Return the folded name, aliases resolved."""
        ...


class FactReader(Protocol):
    """Reads facts, and finds them by what they are about. Every method keeps to one namespace.

    Found facts are of every state: a superseded fact still places a late arrival.
    """

    def facts(self, namespace: str, ids: Iterable[str]) -> dict[str, Fact]:
        """Return the facts with these ids; unknown ids lack."""
        ...

    def sightings(self, namespace: str, ids: Iterable[str]) -> dict[str, Sighting]:
        """Return the sightings with these ids; unknown ids lack."""
        ...

    def states(self, namespace: str, ids: Iterable[str]) -> dict[str, FactState]:
        """Return the derived states of facts; facts that arrived but were not settled yet lack."""
        ...

    def by_fingerprint(self, namespace: str, fingerprints: Iterable[str], *, limit: int) -> dict[str, list[str]]:
        """Return for each fingerprint up to ``limit`` fact ids, newest first."""
        ...

    def by_reference(
        self, namespace: str, references: Iterable[tuple[str, str]], *, limit: int
    ) -> dict[tuple[str, str], list[str]]:
        """Return for each (source id, source reference) up to ``limit`` fact ids, newest first."""
        ...

    def by_subject(self, namespace: str, subjects: Iterable[str], *, limit: int) -> dict[str, list[str]]:
        """Return for each subject name up to ``limit`` fact ids, newest first.

        Subject names are those given to ``Writing.arrive``, compared as they are.
        """
        ...

    def by_claim_key(
        self, namespace: str, keys: Iterable[tuple[str, str]], *, limit: int
    ) -> dict[tuple[str, str], list[str]]:
        """Return for each (subject name, folded claim key) up to ``limit`` fact ids, newest first."""
        ...

    def by_entity(self, namespace: str, entities: Iterable[str], *, limit: int) -> dict[str, list[str]]:
        """Return for each named thing up to ``limit`` fact ids that name it, newest first."""
        ...

    def entities(self, namespace: str, ids: Iterable[str]) -> dict[str, frozenset[str]]:
        """Return the named things of facts, as they arrived."""
        ...

    def subjects(self, namespace: str) -> list[str]:
        """Return every subject name of the namespace, sorted."""
        ...

    def vectors(self, namespace: str, model_id: str, *, after: int) -> Iterator[tuple[int, list[str], Vectors]]:
        """Yield (last position, fact ids, their vectors) in chunks, oldest first.

        Only vectors of this model that were added after a position; positions are those of the vectors
        and grow within a namespace.
        """
        ...

    def unembedded(self, namespace: str, model_id: str) -> list[str]:
        """Return the ids of facts that have no vector of this model; erased facts need none."""
        ...

    def verdicts(self, namespace: str, keys: Iterable[tuple[str, str]]) -> dict[tuple[str, str], JudgedPair]:
        """Return the newest judgement of each unordered pair (smaller id first)."""
        ...


class Writing(Protocol):
    """One open transaction on one namespace; nobody else writes to it meanwhile.

    Everything is kept when the block ends well and nothing when it raises.
    """

    def arrive(
        self, sightings: Sequence[Sighting], subjects: Mapping[str, str], entities: Mapping[str, frozenset[str]]
    ) -> None:
        """Append sightings that are new to the log; a known sighting id is left as it is.

        Facts that are new with them are unfinished until ``finish``. ``subjects`` and ``entities`` give the
        subject name and the named things of each new fact id; both are kept for retrieval.
        """
        ...

    def touch(self, touches: Mapping[str, tuple[datetime, int]]) -> None:
        """Count re-reads: sighting id to (latest time seen, how many more). Times only move forward."""
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

    def cluster(self, ids: Iterable[str]) -> Cluster:
        """Return these facts with every fact connected to them, and what was found and ruled.

        Facts are connected through a ruling, an unjudged pair, or a verdict other than unrelated and
        complementary, over any number of steps. All pairs with both sides inside are included, the
        harmless ones too.
        """
        ...

    def apply(self, settlement: Settlement) -> list[FactState]:
        """Write states, decisions and review items of a settled cluster; return the states that changed.

        Decisions and review items of the cluster's facts that are not in the settlement are no longer in
        force (their rows stay, closed).
        """
        ...

    def receipts(self, receipts: Sequence[Receipt]) -> None:
        """Append receipts."""
        ...

    def erase(self, fact_id: str) -> None:
        """Take the text of a fact out of every table: words, vectors, names, reasons, receipts."""
        ...


class FactStore(FactReader, Protocol):
    """The log of facts, judgements, rulings and receipts, and the views derived from it."""

    def writing(self, namespace: str) -> AbstractContextManager[Writing]:
        """Open a transaction.

        Raises:
            StoreUnavailableError: locked, full or unreadable; nothing was written.
        """
        ...

    def namespaces(self) -> list[str]:
        """Return every namespace that holds a fact, sorted."""
        ...

    def fact_ids(self, namespace: str, *, state: State | None = None) -> Iterator[str]:
        """Yield the ids of facts, oldest first, of one state or of all."""
        ...

    def unfinished(self, namespace: str) -> list[str]:
        """Return the ids of facts that arrived but whose judging was never finished, oldest first."""
        ...

    def retryable(self, namespace: str) -> list[tuple[str, str]]:
        """Return the pairs whose newest judgement is an unjudged that may be tried again."""
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
        """Return the decisions in force that retire a fact, involve a fact of this one and came into force later."""
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

    def close(self) -> None:
        """Let go of the file or the connections."""
        ...
