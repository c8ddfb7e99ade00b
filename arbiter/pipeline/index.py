"""The vector indexes in memory: one a namespace, built when first needed and kept in step with the log."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock, RLock

from arbiter.errors import StoreUnavailableError
from arbiter.ports import Embedder, FactStore, IndexSnapshots, VectorIndex


@dataclass(slots=True)
class _Kept:
    index: VectorIndex | None = None
    position: int = 0
    lock: RLock = field(default_factory=RLock)


class Indexes:
    """Implements ``VectorIndexes`` as views of the store.

    Each read first takes in what was committed since the last; the first one begins where the snapshot of
    the index ends, if there is one.

    Nobody adds to an index directly, so there is nothing to lose in a crash and several processes can
    share one store.
    """

    def __init__(
        self,
        store: FactStore,
        embedder: Embedder,
        new_index: Callable[[], VectorIndex],
        snapshots: IndexSnapshots | None = None,
    ) -> None:
        self._store = store
        self._embedder = embedder
        self._new_index = new_index
        self._snapshots = snapshots
        self._kept: dict[str, _Kept] = {}
        self._lock = Lock()

    def current(self, namespace: str) -> VectorIndex:
        """See ``VectorIndexes.current``."""
        kept = self._of(namespace)
        with kept.lock:
            index = kept.index
            if index is None:
                found = self._snapshots.load(namespace) if self._snapshots else None
                index, kept.position = found or (self._new_index(), 0)
                kept.index = index
            for position, ids, vectors in self._store.vectors(
                namespace, self._embedder.model_id, after=kept.position
            ):
                if vectors.shape[1] != self._embedder.dimension:
                    raise StoreUnavailableError(
                        "a vector in the store is damaged; `arbiter doctor --repair` makes it again"
                    )
                index.add(ids, vectors)
                kept.position = position
            if self._snapshots:
                self._snapshots.keep(namespace, index, kept.position)
        return index

    def forget(self, namespace: str, fact_id: str) -> None:
        """See ``VectorIndexes.forget``; a snapshot is written anew without the fact."""
        kept = self._of(namespace)
        with kept.lock:
            if kept.index is not None:
                kept.index.remove([fact_id])
                if self._snapshots:
                    # The next read writes it again, once for however many erasures there were.
                    self._snapshots.drop(namespace)
            elif self._snapshots and self._snapshots.holds(namespace):
                self.current(namespace)

    def close(self) -> None:
        """See ``VectorIndexes.close``."""
        if self._snapshots:
            self._snapshots.close()

    def _of(self, namespace: str) -> _Kept:
        with self._lock:
            return self._kept.setdefault(namespace, _Kept())
