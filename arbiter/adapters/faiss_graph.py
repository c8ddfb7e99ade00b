"""FAISS's graph (HNSW): making one, its vectors as they lie in memory, writing and reading it."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from io import BufferedReader
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from arbiter.ports import Vectors

_NEIGHBOURS = 32
# Half of it builds in half the time, but loses the way to some of a million vectors: then no width of the
# search finds more than 986 of the 1,000 nearest, as against 998.
_BUILD_WIDTH = 160
_SPARE_ROOM = 16
_BLOCK = 1_024


def new_graph(dimension: int) -> Any:  # noqa: ANN401  faiss is not typed
    """Return an empty graph that compares by inner product."""
    import faiss

    graph = faiss.IndexHNSWFlat(dimension, _NEIGHBOURS, faiss.METRIC_INNER_PRODUCT)
    graph.hnsw.efConstruction = _BUILD_WIDTH
    return graph


def vectors_of(graph: Any) -> Vectors:  # noqa: ANN401
    """Return the vectors of a graph where they lie: to write there is to change the graph."""
    import faiss

    storage: Any = faiss.downcast_index(graph.storage)
    rows: Vectors = faiss.rev_swig_ptr(storage.get_xb(), graph.ntotal * graph.d).reshape(-1, graph.d)
    return rows


def write_ids(ids: Sequence[str], write: Callable[[bytes | memoryview], object]) -> None:
    """Write the ids of a graph as a line of JSON, block by block, so that no other thread waits for all."""
    between = b"["
    for first in range(0, len(ids), _BLOCK):
        write(between + json.dumps(ids[first : first + _BLOCK])[1:-1].encode())
        between = b", "
    write(b"]\n" if ids else b"[]\n")


def write_graph(graph: Any, write: Callable[[bytes | memoryview], object]) -> None:  # noqa: ANN401
    """Write a graph and then its vectors, block by block."""
    import faiss

    writer = faiss.PyCallbackIOWriter(write)  # type: ignore[attr-defined]  # missing from its stubs
    faiss.write_index(graph, writer, faiss.IO_FLAG_SKIP_STORAGE)
    rows = vectors_of(graph)
    for first in range(0, len(rows), _BLOCK):
        write(rows[first : first + _BLOCK].data)


def read_graph(file: BufferedReader, count: int, dimension: int) -> Any:  # noqa: ANN401
    """Return the graph of so many vectors that was written to a file.

    Raises:
        RuntimeError: it is no graph.
        ValueError: it is one of other vectors, or ends among them.
    """
    import faiss

    reader = faiss.PyCallbackIOReader(file.read)  # type: ignore[attr-defined]  # missing from its stubs
    graph: Any = faiss.read_index(reader, faiss.IO_FLAG_SKIP_STORAGE)
    if (graph.d, graph.ntotal) != (dimension, count):
        raise ValueError(f"{graph.ntotal} vectors of {graph.d} numbers for {count} ids")
    graph.storage = _room(count, dimension)
    graph.own_fields = True
    rows = vectors_of(graph)
    for first in range(0, count, _BLOCK):
        block = rows[first : first + _BLOCK].data.cast("B")
        if file.readinto(block) != len(block):
            raise ValueError("it ends among the vectors")
    return graph


def _room(count: int, dimension: int) -> Any:  # noqa: ANN401
    """Return a place for vectors, with room for more.

    Without it the first one to be added would move all others to a place twice as large.
    """
    import faiss

    vectors: Any = faiss.IndexFlatIP(dimension)
    vectors.codes.resize(vectors.code_size * (count + count // _SPARE_ROOM))
    vectors.codes.resize(vectors.code_size * count)
    vectors.ntotal = count
    # From here on the graph owns it.
    vectors.this.disown()
    return vectors
