"""What every vector index promises, held against comparing everything with everything."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

import numpy as np
import pytest
from numpy.typing import NDArray

from arbiter.adapters.faiss_index import FaissIndex
from arbiter.adapters.pgvector_index import PgVectorIndex
from arbiter.adapters.sql_store import SqlStore
from arbiter.ports import VectorIndex
from arbiter.testing import BruteForceIndex
from tests.contracts.fact_store_cases import TickingClock, fresh

DIMENSION = 16
Vectors: TypeAlias = NDArray[np.float32]
Make: TypeAlias = Callable[[], VectorIndex]


@pytest.fixture(
    params=[
        pytest.param(BruteForceIndex, id="brute-force"),
        pytest.param(lambda: FaissIndex(DIMENSION), id="faiss-flat"),
        pytest.param(lambda: FaissIndex(DIMENSION, hnsw_from=50), id="faiss-hnsw"),
        pytest.param(10_000, id="pgvector-exact"),
        pytest.param(50, id="pgvector-hnsw"),
    ]
)
def index(request: pytest.FixtureRequest) -> Iterator[VectorIndex]:
    """Return an empty index of each kind in turn; a number is from where on pgvector uses a graph."""
    if not isinstance(request.param, int):
        make: Make = request.param
        yield make()
        return
    store = SqlStore(request.getfixturevalue("postgres_database"), TickingClock())
    # A graph stays in the database that all of these tests use.
    yield PgVectorIndex(store, fresh(), "m", DIMENSION, hnsw_from=request.param)
    store.close()


def unit(count: int, seed: int) -> Vectors:
    """Return random rows of length 1."""
    rows = np.random.default_rng(seed).standard_normal((count, DIMENSION)).astype(np.float32)
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True))


def named(count: int) -> list[str]:
    """Return ids whose order is not that of insertion."""
    return [f"fact_{(number * 37) % count:03d}" for number in range(count)]


def oracle(
    held: dict[str, Vectors], query: Vectors, limit: int, min_similarity: float
) -> list[tuple[str, float]]:
    """Compare with everything in float64, order by similarity, then by id."""
    hits = [
        (fact_id, round(float(query.astype(np.float64) @ row.astype(np.float64)), 6))
        for fact_id, row in held.items()
    ]
    kept = [hit for hit in hits if hit[1] >= min_similarity]
    return sorted(kept, key=lambda hit: (-hit[1], hit[0]))[:limit]


def same(found: list[tuple[str, float]], expected: list[tuple[str, float]]) -> bool:
    """Compare hits: the same ids in the same order, similarities to the fifth decimal."""
    return [fact_id for fact_id, _ in found] == [fact_id for fact_id, _ in expected] and [
        value for _, value in found
    ] == pytest.approx([value for _, value in expected], abs=2e-6)


@pytest.mark.parametrize("limit", [1, 7, 500])
@pytest.mark.parametrize("min_similarity", [-1.0, 0.2, 0.99])
def test_search_finds_what_brute_force_finds(index: VectorIndex, limit: int, min_similarity: float) -> None:
    """Ids, order and values agree with the oracle for every query."""
    ids, vectors, queries = named(200), unit(200, seed=1), unit(20, seed=2)
    index.add(ids, vectors)
    held = dict(zip(ids, vectors, strict=True))
    found = index.search(queries, limit=limit, min_similarity=min_similarity)
    assert len(found) == 20
    for query, hits in zip(queries, found, strict=True):
        assert same(hits, oracle(held, query, limit, min_similarity))


def test_equals_are_ordered_by_id(index: VectorIndex) -> None:
    """Of many equal vectors the smallest ids are returned, whatever the order they came in."""
    ids = named(40)
    index.add(ids, np.repeat(unit(1, seed=3), 40, axis=0))
    (hits,) = index.search(unit(1, seed=3), limit=5, min_similarity=0.5)
    assert [fact_id for fact_id, _ in hits] == sorted(ids)[:5]
    assert [value for _, value in hits] == [1.0] * 5


def test_adding_goes_on(index: VectorIndex) -> None:
    """Vectors added one by one are found like those added at once."""
    ids, vectors = named(120), unit(120, seed=4)
    for row, fact_id in enumerate(ids):
        index.add([fact_id], vectors[row : row + 1])
    assert len(index) == 120
    for row, hits in enumerate(index.search(vectors, limit=1, min_similarity=0.9)):
        assert hits == [(ids[row], 1.0)]


def test_a_known_id_is_left_as_it_is(index: VectorIndex) -> None:
    """Adding again changes nothing, within one call too."""
    first, second = unit(2, seed=5)
    index.add(["a", "a"], np.stack([first, second]))
    index.add(["a", "b"], np.stack([second, second]))
    assert len(index) == 2
    assert index.similarities(first[None], [["a"]]) == [{"a": 1.0}]


def test_the_removed_are_gone(index: VectorIndex) -> None:
    """Removed ids are neither found nor compared, the rest is found as before; unknown ids do no harm."""
    ids, vectors, queries = named(200), unit(200, seed=6), unit(10, seed=7)
    index.add(ids, vectors)
    gone = set(ids[::3])
    index.remove([*gone, "never there"])
    held = {fact_id: row for fact_id, row in zip(ids, vectors, strict=True) if fact_id not in gone}
    assert len(index) == len(held)
    for query, hits in zip(queries, index.search(queries, limit=9, min_similarity=-1.0), strict=True):
        assert same(hits, oracle(held, query, 9, -1.0))
    assert index.similarities(queries[:1], [sorted(gone)]) == [{}]


def test_the_removed_may_come_back(index: VectorIndex) -> None:
    """An id can be added again with another vector."""
    old, new = unit(2, seed=8)
    index.add(["a"], old[None])
    index.remove(["a"])
    index.add(["a"], new[None])
    assert index.search(new[None], limit=3, min_similarity=0.9) == [[("a", 1.0)]]


def test_similarities_are_those_asked_for(index: VectorIndex) -> None:
    """For each query its own ids, the unknown left out, values as in the oracle."""
    ids, vectors, queries = named(100), unit(100, seed=9), unit(3, seed=10)
    index.add(ids, vectors)
    held = dict(zip(ids, vectors, strict=True))
    wanted = [ids[:20], [], ["unknown", ids[99]]]
    found = index.similarities(queries, wanted)
    assert [set(values) for values in found] == [set(ids[:20]), set(), {ids[99]}]
    for query, values in zip(queries, found, strict=True):
        for fact_id, value in values.items():
            assert value == pytest.approx(float(query @ held[fact_id]), abs=2e-6)


def test_an_empty_index_finds_nothing(index: VectorIndex) -> None:
    """No vectors, no queries or no room for hits: the shape of the answer holds."""
    assert len(index) == 0
    assert index.search(unit(2, seed=11), limit=5, min_similarity=-1.0) == [[], []]
    assert index.similarities(unit(2, seed=11), [["a"], []]) == [{}, {}]
    index.add([], unit(0, seed=12))
    index.add(["a"], unit(1, seed=12))
    assert index.search(unit(0, seed=11), limit=5, min_similarity=-1.0) == []
    assert index.search(unit(1, seed=12), limit=0, min_similarity=-1.0) == [[]]
