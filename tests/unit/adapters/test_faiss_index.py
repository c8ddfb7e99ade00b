"""What the contract leaves to FAISS: recall of the graph, removal from it, ties, and threads."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from typing import TYPE_CHECKING

import numpy as np
import pytest

from arbiter.adapters.faiss_index import FaissIndex

if TYPE_CHECKING:
    from numpy.typing import NDArray

DIMENSION = 32


def clustered(count: int, seed: int) -> NDArray[np.float32]:
    """Return rows of length 1 around common centres, as facts about common topics are."""
    source = np.random.default_rng(seed)
    centres = np.random.default_rng(0).standard_normal((50, DIMENSION))
    rows = centres[source.integers(0, 50, count)] + 0.5 * source.standard_normal((count, DIMENSION))
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)


def names(count: int) -> list[str]:
    """Return ids in order."""
    return [f"f{number:05d}" for number in range(count)]


def recall(index: FaissIndex, held: NDArray[np.float32], ids: list[str], limit: int = 10) -> float:
    """Return the share of the true nearest that the index finds."""
    queries = clustered(100, seed=99)
    found = index.search(queries, limit=limit, min_similarity=-1.0)
    true = np.argsort(-(queries @ held.T), axis=1)[:, :limit]
    hits = [
        len({fact_id for fact_id, _ in near} & {ids[place] for place in row})
        for near, row in zip(found, true, strict=True)
    ]
    return sum(hits) / (limit * len(queries))


def test_the_graph_finds_nearly_all() -> None:
    """Above the limit of exact search at least 99 of 100 true neighbours are found."""
    held, ids = clustered(3000, seed=1), names(3000)
    index = FaissIndex(DIMENSION, hnsw_from=1000)
    index.add(ids[:500], held[:500])
    index.add(ids[500:], held[500:])
    assert recall(index, held, ids) >= 0.99


def test_the_graph_forgets() -> None:
    """Few removals are passed over, many lead to a new graph; both times the rest is found."""
    held, ids = clustered(3000, seed=1), names(3000)
    index = FaissIndex(DIMENSION, hnsw_from=1000)
    index.add(ids, held)
    for gone in (700, 1400, 2000, 2900):
        index.remove(ids[:gone])
        assert len(index) == 3000 - gone
        assert recall(index, held[gone:], ids[gone:]) >= 0.99


def test_nothing_is_left_of_what_stood_in_for_another() -> None:
    """The place of a removed vector is taken by its nearest; once that is removed both places change."""
    held, ids = clustered(300, seed=12), names(300)
    index = FaissIndex(DIMENSION, hnsw_from=100)
    index.add(ids, held)
    for _ in range(120):
        first = next(name for name in ids if name in index.ids())
        (nearest,) = index.search(held[ids.index(first)][None], limit=2, min_similarity=-1.0)
        index.remove([first])
        index.remove([nearest[1][0]])
    saved = BytesIO()
    index.save(saved.write)
    left = {name for name, row in zip(ids, held, strict=True) if row.tobytes() in saved.getvalue()}
    assert left == set(index.ids())
    assert len(left) == 60


def test_the_graph_is_the_same_each_time() -> None:
    """The same vectors in the same order give the same answers, ids and values."""
    held, ids, queries = clustered(2000, seed=2), names(2000), clustered(50, seed=3)
    answers = []
    for _ in range(2):
        index = FaissIndex(DIMENSION, hnsw_from=100)
        index.add(ids, held)
        answers.append(index.search(queries, limit=20, min_similarity=0.3))
    assert answers[0] == answers[1]


def test_exact_search_does_not_depend_on_the_order_of_arrival() -> None:
    """Hundreds of equals, in two orders: the same ids come back, the smallest."""
    held = np.concatenate([np.repeat(clustered(1, seed=4), 400, axis=0), clustered(400, seed=5)])
    ids, queries = names(800), clustered(1, seed=4)
    answers = []
    for order in (np.arange(800), np.arange(800)[::-1]):
        index = FaissIndex(DIMENSION)
        index.add([ids[place] for place in order], held[order])
        answers.append(index.search(queries, limit=10, min_similarity=-1.0))
    assert answers[0] == answers[1] == [[(fact_id, 1.0) for fact_id in ids[:10]]]


def test_one_query_finds_what_a_batch_finds() -> None:
    """FAISS computes batches another way; the noise of that settles nothing."""
    held, ids, queries = clustered(2000, seed=6), names(2000), clustered(64, seed=7)
    index = FaissIndex(DIMENSION)
    index.add(ids, held)
    together = index.search(queries, limit=15, min_similarity=-1.0)
    assert together == [index.search(query[None], limit=15, min_similarity=-1.0)[0] for query in queries]


@pytest.mark.parametrize("hnsw_from", [100, 10_000])
def test_threads_may_search_while_others_add(hnsw_from: int) -> None:
    """Readers and writers take turns: nothing breaks and everything that was added is found."""
    held, ids = clustered(1200, seed=8), names(1200)
    index = FaissIndex(DIMENSION, hnsw_from=hnsw_from)

    def add(start: int) -> None:
        index.add(ids[start : start + 100], held[start : start + 100])
        index.search(held[:5], limit=5, min_similarity=-1.0)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(add, range(0, 1200, 100)))
    assert len(index) == 1200
    found = index.search(held[::50], limit=1, min_similarity=0.9)
    assert found == [[(fact_id, 1.0)] for fact_id in ids[::50]]
