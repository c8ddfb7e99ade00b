"""A small store whose index counts as large, opened as each process opens one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future
from pathlib import Path
from typing import ParamSpec, TypeVar

from arbiter.adapters.faiss_index import FaissIndex
from arbiter.adapters.index_snapshots import SqliteIndexSnapshots, index_files
from arbiter.adapters.sql_store import SqlStore
from arbiter.pipeline.batches import batches
from arbiter.pipeline.index import Indexes
from arbiter.ports import Vectors
from arbiter.testing import BruteForceIndex, WordEmbedder
from tests.contracts.fact_store_cases import HERE, TickingClock, active, keep, settled
from tests.factories import make_sighting

P = ParamSpec("P")
T = TypeVar("T")
LARGE_FROM = 50
MANY = 200


def text(number: int) -> str:
    """Return what a fact says."""
    return f"Item {number} is in room {number % 7} of house {number % 11}"


def fact_id(number: int, namespace: str = HERE) -> str:
    """Return the id of a fact."""
    return make_sighting(text(number), namespace=namespace).fact_id


class AtOnce(Executor):
    """Does what it is given before it returns."""

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Do it."""
        done: Future[T] = Future()
        done.set_result(fn(*args, **kwargs))
        return done


AT_ONCE = AtOnce()


class Opened:
    """The store in one process.

    Args:
        path: the file of the store.
        dimension: numbers in a vector; another one is another model.
        clock: the time at which things are recorded.
        executor: writes graphs; None: the one that is the default. Here whoever reads an index waits for it.
    """

    def __init__(
        self,
        path: Path,
        *,
        dimension: int = 16,
        clock: TickingClock | None = None,
        executor: Executor | None = AT_ONCE,
    ) -> None:
        self.path = path
        self.embedder = WordEmbedder(dimension)
        self.store = SqlStore(path, clock or TickingClock())
        self.snapshots = SqliteIndexSnapshots(self.store, path, self.embedder, self._new_index, executor)
        self.indexes = Indexes(self.store, self.embedder, self._new_index, self.snapshots)

    def _new_index(self) -> FaissIndex:
        return FaissIndex(self.embedder.dimension, hnsw_from=LARGE_FROM)

    def tell(self, numbers: range, namespace: str = HERE) -> None:
        """Store facts with their vectors, and settle them, 50 at a time."""
        for batch in batches(numbers, 50):
            told = [make_sighting(text(number), at=number, namespace=namespace) for number in batch]
            ids = keep(self.store, *told, namespace=namespace)
            with self.store.writing(namespace) as tx:
                tx.put_vectors(self.embedder.model_id, ids, self.vectors(batch))
                tx.apply(settled(*active(*ids)))

    def vectors(self, numbers: Sequence[int]) -> Vectors:
        """Return the vectors of facts."""
        return self.embedder.embed([text(number) for number in numbers])

    def erase(self, number: int, namespace: str = HERE) -> None:
        """Erase a fact, and tell no index."""
        with self.store.writing(namespace) as tx:
            tx.erase(fact_id(number, namespace))

    def found(self, numbers: range = range(0, 300, 10), namespace: str = HERE) -> list[list[str]]:
        """Return which facts are found for the words of some."""
        index = self.indexes.current(namespace)
        hits = index.search(self.vectors(numbers), limit=3, min_similarity=0.9)
        return [[name for name, _ in near] for near in hits]

    def true(self, numbers: range = range(0, 300, 10), namespace: str = HERE) -> list[list[str]]:
        """Return what would be found by comparing with every vector of the store."""
        index = BruteForceIndex()
        for _, ids, rows in self.store.vectors(namespace, self.embedder.model_id, after=0):
            index.add(ids, rows)
        hits = index.search(self.vectors(numbers), limit=3, min_similarity=0.9)
        return [[name for name, _ in near] for near in hits]

    def kept(self, namespace: str = HERE) -> int | None:
        """Return how many facts are in a file that fits the store, without taking it for the index."""
        found = self.snapshots.load(namespace)
        return None if found is None else len(found[0])

    def close(self) -> None:
        """Let go of the store."""
        self.indexes.close()
        self.store.close()


def filled(path: Path, count: int = MANY) -> Opened:
    """Return a new store with facts whose index was read once."""
    opened = Opened(path)
    opened.tell(range(count))
    opened.indexes.current(HERE)
    return opened


def kept_file(path: Path) -> Path:
    """Return the one file that is kept beside a store."""
    (file,) = index_files(path)
    return file
