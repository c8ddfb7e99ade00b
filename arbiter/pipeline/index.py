"""The vector indexes in memory: one a namespace, built when first needed and kept in step with the log."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock, RLock

from arbiter.errors import StoreUnavailableError
from arbiter.ports import Embedder, FactStore, VectorIndex


@dataclass(slots=True)
class _Kept:
    index: VectorIndex
    position: int = 0
    lock: RLock = field(default_factory=RLock)


class Indexes:
    """Implements ``VectorIndexes`` as views of the store.

    Each read first takes in what was committed since the last.

    Nobody adds to an index directly, so there is nothing to lose in a crash and several processes can
    share one store.
    """

    def __init__(self, store: FactStore, embedder: Embedder, new_index: Callable[[], VectorIndex]) -> None:
        self._store = store
        self._embedder = embedder
        self._new_index = new_index
        self._kept: dict[str, _Kept] = {}
        self._lock = Lock()

    def current(self, namespace: str) -> VectorIndex:
        """See ``VectorIndexes.current``."""
        with self._lock:
            kept = self._kept.setdefault(namespace, _Kept(self._new_index()))
        with kept.lock:
            for position, ids, vectors in self._store.vectors(
                namespace, self._embedder.model_id, after=kept.position
            ):
                if vectors.shape[1] != self._embedder.dimension:
                    raise StoreUnavailableError(
                        "a vector in the store is damaged; `arbiter doctor --repair` makes it again"
                    )
                kept.index.add(ids, vectors)
                kept.position = position
        return kept.index

    def forget(self, namespace: str, fact_id: str) -> None:
        """See ``VectorIndexes.forget``."""
        with self._lock:
            kept = self._kept.get(namespace)
        if kept is not None:
            with kept.lock:
                kept.index.remove([fact_id])
