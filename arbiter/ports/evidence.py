"""What finds and weighs evidence: embedder, index, names, judges, guards, claim keys, and the clock."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from arbiter.domain.evidence import GuardFinding, Judgement, RecordPair, Spend
    from arbiter.domain.facts import Record

    Vectors: TypeAlias = NDArray[np.float32]
    """Embeddings, one a row: float32, shape (n, dimension), rows of length 1."""
else:
    # The core passes vectors on and never looks inside, so it does without numpy at run time.
    Vectors = object


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

    def search(self, queries: Vectors, *, limit: int, min_similarity: float) -> list[list[tuple[str, float]]]:
        """Return for each query up to ``limit`` (id, cosine similarity), closest first, ties by id."""
        ...

    def similarities(self, queries: Vectors, ids: Sequence[Sequence[str]]) -> list[dict[str, float]]:
        """Return for each query the cosine similarity to those of its ids that the index holds."""
        ...

    def __len__(self) -> int:
        """Return how many ids it holds."""
        ...


class VectorIndexes(Protocol):
    """The vector indexes of a store, one a namespace."""

    def current(self, namespace: str) -> VectorIndex:
        """Return the namespace's index with everything that is committed by now."""
        ...

    def forget(self, namespace: str, fact_id: str) -> None:
        """Take one fact out at once, because its text has been erased."""
        ...

    def close(self) -> None:
        """Return once nothing of them is being written any more."""
        ...


class IndexSnapshots(Protocol):
    """Vector indexes as they were, kept where they outlive the process; only ever a cache of the log."""

    def load(self, namespace: str) -> tuple[VectorIndex, int] | None:
        """Return the index of a namespace and the position of the log that it reaches, if one is kept.

        Everything in it is in the store now, and everything that the log has up to the position is in it.
        """
        ...

    def keep(self, namespace: str, index: VectorIndex, position: int) -> None:
        """Keep an index that reaches a position, if it is worth that; it may be written later than this."""
        ...

    def holds(self, namespace: str) -> bool:
        """Is anything kept of a namespace?"""
        ...

    def drop(self, namespace: str) -> None:
        """Delete what is kept of a namespace, of whatever model."""
        ...

    def close(self) -> None:
        """Return once nothing is being written any more."""
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

    def invented(self, proposal: str, a: Record, b: Record) -> tuple[str, ...]:
        """Return the numbers and names in a proposed merged wording that neither record has."""
        ...

    def forget(self) -> None:
        """Drop whatever text is remembered; called when a batch has been judged."""
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
