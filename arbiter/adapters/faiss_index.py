"""Nearest vectors in memory by FAISS: exact for a small namespace, a graph (HNSW) for a large one."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from io import BufferedReader
from threading import Condition
from typing import TYPE_CHECKING, Any

import numpy as np

from arbiter.adapters.faiss_graph import new_graph, read_graph, vectors_of, write_graph, write_ids

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from arbiter.ports import Vectors

_DECIMALS = 6
_SPARE = 16
# How widely the graph is searched, which grows with it: among a million vectors a width of 64 finds 96 of
# the 100 nearest, one of 500 more than 99, in a millisecond.
_LEAST_WIDTH = 64
_VECTORS_A_STEP = 2_000


class FaissIndex:
    """A vector index of one namespace and one model, rebuilt from the store at need; safe in threads.

    Up to ``hnsw_from`` vectors the search is exact and ties at the limit go by id. Above, it is
    approximate: FAISS's graph finds the neighbourhood, and what it finds is compared exactly. A removed
    vector is overwritten at once; its node leaves the graph when that is next rebuilt, which happens once
    the removed outnumber those that remain. Similarities are exact in both, rounded to six decimals: below
    that is the noise of float32, which would otherwise settle ties.

    A graph can be searched while it is saved. What is added meanwhile stands beside it and is found by
    comparing with each; whoever removes something waits.

    Args:
        dimension: numbers in a vector.
        hnsw_from: how many vectors the exact search serves.
        build_threads: threads that build the graph; with more than one the graph depends on their timing.
    """

    def __init__(self, dimension: int, *, hnsw_from: int = 50_000, build_threads: int = 1) -> None:
        self._dimension = dimension
        self._hnsw_from = hnsw_from
        self._build_threads = build_threads
        # Where FAISS has the vector of an id, and the id at each place; "" where one was removed.
        self._places: dict[str, int] = {}
        self._ids: list[str] = []
        self._buried: set[int] = set()
        # Vectors that wait until the graph is saved; their places go on from those of the graph.
        self._late = self._none()
        self._saving = False
        self._lock = Condition()
        self._approximate = False
        self._index = self._flat()

    def __len__(self) -> int:
        """Return how many ids it holds."""
        return len(self._places)

    @property
    def approximate(self) -> bool:
        """Is it searched by a graph, which takes long to build?"""
        return self._approximate

    def ids(self) -> list[str]:
        """Return the ids that it holds."""
        with self._lock:
            return list(self._places)

    def add(self, ids: Sequence[str], vectors: Vectors) -> None:
        """Add vectors, float32, shape (ids, dimension), rows of length 1; known ids are left as they are."""
        with self._lock:
            rows: dict[str, int] = {}
            for row, fact_id in enumerate(ids):
                if fact_id not in self._places:
                    rows.setdefault(fact_id, row)
            if not rows:
                return
            if not self._approximate and len(self._places) + len(rows) > self._hnsw_from:
                self._rebuild()
            fresh = np.ascontiguousarray(vectors[list(rows.values())], dtype=np.float32)
            if self._saving:
                self._late = np.concatenate((self._late, fresh))
            else:
                self._insert(fresh)
            self._places.update(zip(rows, range(len(self._ids), len(self._ids) + len(rows)), strict=True))
            self._ids.extend(rows)

    def remove(self, ids: Iterable[str]) -> None:
        """Forget ids; unknown ones are ignored."""
        with self._lock:
            self._lock.wait_for(lambda: not self._saving)
            gone = [self._places.pop(fact_id) for fact_id in set(ids) if fact_id in self._places]
            if not gone:
                return
            if not self._approximate:
                self._index.remove_ids(np.asarray(gone, dtype=np.int64))
                self._number(list(self._places))
                return
            self._buried.update(gone)
            for place in gone:
                self._ids[place] = ""
            if len(self._buried) > len(self._places):
                self._rebuild()
            else:
                self._overwrite(gone)

    def save(self, write: Callable[[bytes | memoryview], object]) -> None:
        """Write ids and graph, block by block; nothing of a removed vector is in them."""
        with self._lock:
            self._lock.wait_for(lambda: not self._saving)
            self._saving = True
            ids = list(self._ids)
        try:
            write_ids(ids, write)
            write_graph(self._index, write)
        finally:
            with self._lock:
                self._saving = False
                late, self._late = self._late, self._none()
                if len(late):
                    self._insert(late)
                self._lock.notify_all()

    def load(self, file: BufferedReader) -> None:
        """Take what ``save`` wrote in the place of what is held.

        Raises:
            RuntimeError: it is no graph.
            ValueError: it is none, one of other vectors, or of so few that they are searched exactly.
        """
        with self._lock:
            ids: list[str] = json.loads(file.readline())
            if len(ids) - ids.count("") <= self._hnsw_from:
                raise ValueError("so few vectors need no graph")
            self._index = read_graph(file, len(ids), self._dimension)
            self._approximate = True
            self._number(ids)

    def search(self, queries: Vectors, *, limit: int, min_similarity: float) -> list[list[tuple[str, float]]]:
        """Return for each query up to ``limit`` (id, cosine similarity), closest first, ties by id.

        Args:
            queries: float32, shape (queries, dimension), rows of length 1.
            limit: most hits for a query.
            min_similarity: least similarity of a hit, in [-1, 1].
        """
        with self._lock:
            found: list[list[tuple[str, float]]] = [[] for _ in queries]
            if not self._places or limit < 1:
                return found
            for row, hits in self._closest(queries, limit):
                found[row] = [hit for hit in hits[:limit] if hit[1] >= min_similarity]
            return found

    def similarities(self, queries: Vectors, ids: Sequence[Sequence[str]]) -> list[dict[str, float]]:
        """Return for each query the cosine similarity to those of its ids that the index holds."""
        with self._lock:
            known = [[fact_id for fact_id in wanted if fact_id in self._places] for wanted in ids]
            return [
                dict(zip(wanted, self._cosines(query, [self._places[i] for i in wanted]), strict=True))
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
            fetch = min(fetch, len(self._places))
            wanted = np.ascontiguousarray(queries[rows], dtype=np.float32)
            _, places = self._index.search(wanted, fetch, params=self._parameters(fetch))
            late = np.arange(self._index.ntotal, len(self._ids))
            again = []
            for row, hits in zip(rows.tolist(), places, strict=True):
                ranked = self._ranked(queries[row], np.concatenate((hits[hits >= 0], late)))
                tied = len(ranked) > limit and ranked[limit - 1][1] == ranked[-1][1]
                if tied and not self._approximate and fetch < len(self._places):
                    again.append(row)
                else:
                    yield row, ranked
            rows = np.asarray(again, dtype=np.intp)
            fetch *= 4

    def _ranked(self, query: Vectors, places: NDArray[np.int64]) -> list[tuple[str, float]]:
        names = [self._ids[place] for place in places.tolist()]
        return sorted(
            zip(names, self._cosines(query, places), strict=True), key=lambda hit: (-hit[1], hit[0])
        )

    def _cosines(self, query: Vectors, places: Sequence[int] | NDArray[np.int64]) -> list[float]:
        if not len(places):
            return []
        vectors = self._vectors(np.asarray(places, dtype=np.int64))
        cosines: list[float] = np.round((vectors @ query).astype(np.float64), _DECIMALS).tolist()
        return cosines

    def _vectors(self, places: NDArray[np.int64]) -> Vectors:
        held = self._index.ntotal
        late = places >= held
        if not late.any():
            found: Vectors = self._index.reconstruct_batch(places)
            return found
        found = np.empty((len(places), self._dimension), dtype=np.float32)
        found[~late] = self._index.reconstruct_batch(places[~late])
        found[late] = self._late[places[late] - held]
        return found

    def _none(self) -> Vectors:
        return np.empty((0, self._dimension), dtype=np.float32)

    def _parameters(self, fetch: int) -> Any:  # noqa: ANN401  faiss is not typed
        """Return how to search the graph: wide enough for the hits, past the removed."""
        import faiss

        if not self._approximate:
            return None
        buried = None
        if self._buried:
            gone = np.fromiter(self._buried, dtype=np.int64, count=len(self._buried))
            buried = faiss.IDSelectorNot(faiss.IDSelectorBatch(gone))
        width = max(_LEAST_WIDTH, 2 * fetch, len(self._ids) // _VECTORS_A_STEP)
        search = faiss.SearchParametersHNSW  # type: ignore[attr-defined]  # missing from its stubs
        return search(efSearch=width, sel=buried)

    def _overwrite(self, gone: Sequence[int]) -> None:
        """Put the nearest vector that remains in the place of each removed one, and wherever it stands in.

        So the graph leads on past the place, and nothing is left of what was there.
        """
        rows = vectors_of(self._index)
        removed = {rows[place].tobytes() for place in gone}
        stale = np.asarray([place for place in self._buried if rows[place].tobytes() in removed])
        _, nearest = self._index.search(rows[stale], 1, params=self._parameters(1))
        # -1: the graph led nowhere.
        rows[stale] = np.where(nearest < 0, 0, rows[nearest[:, 0]])

    def _rebuild(self) -> None:
        """Move everything that is held into a new graph."""
        held = self._index.reconstruct_batch(np.fromiter(self._places.values(), dtype=np.int64))
        self._approximate = True
        self._index = new_graph(self._dimension)
        self._insert(held)
        self._number(list(self._places))

    def _number(self, ids: list[str]) -> None:
        """Note which id is at which place."""
        self._ids = ids
        self._places = {fact_id: place for place, fact_id in enumerate(ids) if fact_id}
        self._buried = {place for place, fact_id in enumerate(ids) if not fact_id}

    def _insert(self, vectors: Vectors) -> None:
        import faiss

        threads = faiss.omp_get_max_threads()
        faiss.omp_set_num_threads(self._build_threads if self._approximate else threads)
        try:
            self._index.add(vectors)
        finally:
            faiss.omp_set_num_threads(threads)

    def _flat(self) -> Any:  # noqa: ANN401  faiss is not typed
        import faiss

        return faiss.IndexFlatIP(self._dimension)
