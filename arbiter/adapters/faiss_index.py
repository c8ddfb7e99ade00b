"""Nearest vectors in memory by FAISS: exact for a small namespace, a graph (HNSW) for a large one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from threading import RLock
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from arbiter.ports import Vectors

_DECIMALS = 6
_SPARE = 16
_NEIGHBOURS = 32
_BUILD_WIDTH = 80


class FaissIndex:
    """A vector index of one namespace and one model, rebuilt from the store at need; safe in threads.

    Up to ``hnsw_from`` vectors the search is exact and ties at the limit go by id. Above, it is
    approximate: FAISS's graph finds the neighbourhood, and what it finds is compared exactly. Removed
    vectors leave the graph when it is next rebuilt, which happens once they outnumber those that
    remain. Similarities are exact in both, rounded to six decimals: below that is the noise of
    float32, which would otherwise settle ties.

    Args:
        dimension: numbers in a vector.
        hnsw_from: how many vectors the exact search serves.
        build_threads: threads that build the graph; with more than one the graph depends on their timing.
    """

    def __init__(self, dimension: int, *, hnsw_from: int = 50_000, build_threads: int = 1) -> None:
        self._dimension = dimension
        self._hnsw_from = hnsw_from
        self._build_threads = build_threads
        self._keys: dict[str, int] = {}
        self._ids: dict[int, str] = {}
        self._next_key = 0
        self._buried: set[int] = set()
        self._lock = RLock()
        self._approximate = False
        self._index = self._flat()

    def __len__(self) -> int:
        """Return how many ids it holds."""
        return len(self._keys)

    def add(self, ids: Sequence[str], vectors: Vectors) -> None:
        """Add vectors, float32, shape (ids, dimension), rows of length 1; known ids are left as they are."""
        with self._lock:
            rows: dict[str, int] = {}
            for row, fact_id in enumerate(ids):
                if fact_id not in self._keys:
                    rows.setdefault(fact_id, row)
            if not rows:
                return
            if not self._approximate and len(self._keys) + len(rows) > self._hnsw_from:
                self._rebuild()
            keys = np.arange(self._next_key, self._next_key + len(rows), dtype=np.int64)
            self._insert(keys, np.ascontiguousarray(vectors[list(rows.values())], dtype=np.float32))
            self._next_key += len(rows)
            self._keys.update(zip(rows, keys.tolist(), strict=True))
            self._ids.update(zip(keys.tolist(), rows, strict=True))

    def remove(self, ids: Iterable[str]) -> None:
        """Forget ids; unknown ones are ignored."""
        with self._lock:
            gone = [self._keys.pop(fact_id) for fact_id in set(ids) if fact_id in self._keys]
            for key in gone:
                del self._ids[key]
            if not gone:
                return
            if not self._approximate:
                self._index.remove_ids(np.asarray(gone, dtype=np.int64))
                return
            self._buried.update(gone)
            if len(self._buried) > len(self._keys):
                self._rebuild()

    def search(self, queries: Vectors, *, limit: int, min_similarity: float) -> list[list[tuple[str, float]]]:
        """Return for each query up to ``limit`` (id, cosine similarity), closest first, ties by id.

        Args:
            queries: float32, shape (queries, dimension), rows of length 1.
            limit: most hits for a query.
            min_similarity: least similarity of a hit, in [-1, 1].
        """
        with self._lock:
            found: list[list[tuple[str, float]]] = [[] for _ in queries]
            if not self._keys or limit < 1:
                return found
            for row, hits in self._closest(queries, limit):
                found[row] = [hit for hit in hits[:limit] if hit[1] >= min_similarity]
            return found

    def similarities(self, queries: Vectors, ids: Sequence[Sequence[str]]) -> list[dict[str, float]]:
        """Return for each query the cosine similarity to those of its ids that the index holds."""
        with self._lock:
            known = [[fact_id for fact_id in wanted if fact_id in self._keys] for wanted in ids]
            return [
                dict(zip(wanted, self._cosines(query, [self._keys[i] for i in wanted]), strict=True))
                for query, wanted in zip(queries, known, strict=True)
            ]

    def _closest(self, queries: Vectors, limit: int) -> Iterator[tuple[int, list[tuple[str, float]]]]:
        """Yield the row of each query and its hits, closest first; more than the limit may come.

        In exact search, a query whose last hit ties with the one at the limit is asked again for more:
        which of the equals to return is for their ids to say.
        """
        rows = np.arange(len(queries))
        fetch = limit + _SPARE
        while len(rows):
            fetch = min(fetch, len(self._keys))
            wanted = np.ascontiguousarray(queries[rows], dtype=np.float32)
            _, keys = self._index.search(wanted, fetch, params=self._parameters(fetch))
            again = []
            for row, hits in zip(rows.tolist(), keys, strict=True):
                ranked = self._ranked(queries[row], hits[hits >= 0])
                tied = len(ranked) > limit and ranked[limit - 1][1] == ranked[-1][1]
                if tied and not self._approximate and fetch < len(self._keys):
                    again.append(row)
                else:
                    yield row, ranked
            rows = np.asarray(again, dtype=np.intp)
            fetch *= 4

    def _ranked(self, query: Vectors, keys: NDArray[np.int64]) -> list[tuple[str, float]]:
        names = [self._ids[key] for key in keys.tolist()]
        return sorted(zip(names, self._cosines(query, keys), strict=True), key=lambda hit: (-hit[1], hit[0]))

    def _cosines(self, query: Vectors, keys: Sequence[int] | NDArray[np.int64]) -> list[float]:
        if not len(keys):
            return []
        vectors = self._index.reconstruct_batch(np.asarray(keys, dtype=np.int64))
        cosines: list[float] = np.round((vectors @ query).astype(np.float64), _DECIMALS).tolist()
        return cosines

    def _parameters(self, fetch: int) -> Any:  # noqa: ANN401  faiss is not typed
        """Return how to search the graph: wide enough for the hits, past the removed."""
        import faiss

        if not self._approximate:
            return None
        buried = faiss.IDSelectorBatch(np.fromiter(self._buried, dtype=np.int64, count=len(self._buried)))
        width = max(64, 2 * fetch)
        search = faiss.SearchParametersHNSW  # type: ignore[attr-defined]  # missing from its stubs
        return search(efSearch=width, sel=faiss.IDSelectorNot(buried))

    def _rebuild(self) -> None:
        """Move everything that is held into a new graph."""
        keys = np.fromiter(self._ids, dtype=np.int64, count=len(self._ids))
        held = self._index.reconstruct_batch(keys)
        self._approximate = True
        self._buried.clear()
        self._index = self._graph()
        self._insert(keys, held)

    def _insert(self, keys: NDArray[np.int64], vectors: Vectors) -> None:
        import faiss

        threads = faiss.omp_get_max_threads()
        faiss.omp_set_num_threads(self._build_threads if self._approximate else threads)
        try:
            self._index.add_with_ids(vectors, keys)
        finally:
            faiss.omp_set_num_threads(threads)

    def _flat(self) -> Any:  # noqa: ANN401  faiss is not typed
        import faiss

        return faiss.IndexIDMap2(faiss.IndexFlatIP(self._dimension))

    def _graph(self) -> Any:  # noqa: ANN401  faiss is not typed
        import faiss

        graph = faiss.IndexHNSWFlat(self._dimension, _NEIGHBOURS, faiss.METRIC_INNER_PRODUCT)
        graph.hnsw.efConstruction = _BUILD_WIDTH
        return faiss.IndexIDMap2(graph)
