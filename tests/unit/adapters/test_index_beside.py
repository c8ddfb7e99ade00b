"""A graph is written beside the work: only who erases waits, and nothing is lost or left behind."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from io import BufferedReader, BytesIO
from pathlib import Path
from threading import Event
from typing import ParamSpec, TypeVar

import pytest

from arbiter.adapters.faiss_index import FaissIndex
from arbiter.adapters.index_snapshots import index_files
from tests.contracts.fact_store_cases import HERE
from tests.unit.adapters import kept_graphs
from tests.unit.adapters.kept_graphs import MANY, Opened, fact_id, kept_file
from tests.unit.adapters.test_faiss_index import DIMENSION, clustered, names

P = ParamSpec("P")
T = TypeVar("T")
PATIENCE_S = 20
HELD = 600
ALL = clustered(700, seed=11)
IDS = names(700)


class Paused:
    """Takes what is written, and stops in the middle until it may go on."""

    def __init__(self) -> None:
        self.begun, self.go = Event(), Event()
        self.written = BytesIO()

    def __call__(self, block: bytes | memoryview) -> int:
        """Take a block."""
        self.begun.set()
        assert self.go.wait(PATIENCE_S)
        return self.written.write(block)


@contextmanager
def saving(index: FaissIndex, paused: Paused) -> Iterator[ThreadPoolExecutor]:
    """Save an index on another thread while the block lasts; lend threads to the block."""
    with ThreadPoolExecutor(2) as threads:
        saved = threads.submit(index.save, paused)
        assert paused.begun.wait(PATIENCE_S)
        try:
            yield threads
        finally:
            paused.go.set()
            saved.result(PATIENCE_S)


def graph(count: int) -> FaissIndex:
    """Return a graph of the first so many vectors."""
    index = FaissIndex(DIMENSION, hnsw_from=100)
    for first in range(0, count, 100):
        index.add(IDS[first : first + 100], ALL[first : first + 100])
    return index


def test_what_is_added_meanwhile_is_found_at_once_and_later() -> None:
    """With exact similarities; and the graph becomes the one that it would have been."""
    index, paused, rows = graph(HELD), Paused(), ALL[::7]
    with saving(index, paused):
        index.add(IDS[HELD:], ALL[HELD:])
        index.add(IDS[HELD:], ALL[HELD:])
        assert len(index) == len(IDS)
        meanwhile = index.search(rows, limit=1, min_similarity=0.9)
        assert meanwhile == [[(name, 1.0)] for name in IDS[::7]]
        ((alike,),) = [index.similarities(ALL[HELD : HELD + 1], [[IDS[HELD], IDS[0], "none"]])]
        assert alike == {IDS[HELD]: 1.0, IDS[0]: round(float(ALL[HELD] @ ALL[0]), 6)}
    assert index.search(rows, limit=9, min_similarity=-1.0) == graph(len(IDS)).search(
        rows, limit=9, min_similarity=-1.0
    )
    paused.written.seek(0)
    loaded = FaissIndex(DIMENSION, hnsw_from=100)
    loaded.load(BufferedReader(paused.written))
    assert sorted(loaded.ids()) == IDS[:HELD]
    assert loaded.search(rows, limit=9, min_similarity=-1.0) == graph(HELD).search(
        rows, limit=9, min_similarity=-1.0
    )


def test_who_removes_waits_for_the_end() -> None:
    """The graph is not changed under the hands of its writer; then the vector is gone."""
    index, paused = graph(HELD), Paused()
    with saving(index, paused) as threads:
        index.add(IDS[HELD:], ALL[HELD:])
        removed = threads.submit(index.remove, [IDS[5], IDS[HELD + 5]])
        assert not removed.done()
        assert IDS[5] in index.ids()
    removed.result(PATIENCE_S)
    found = index.search(ALL[[5, HELD + 5, HELD + 6]], limit=1, min_similarity=0.999)
    assert found == [[], [], [(IDS[HELD + 6], 1.0)]]


def test_a_write_that_fails_changes_nothing() -> None:
    """What was added meanwhile is in the graph all the same."""
    index = graph(HELD)

    def full(_: bytes | memoryview) -> int:
        index.add(IDS[HELD:], ALL[HELD:])
        raise OSError(28, "no space left")

    with pytest.raises(OSError, match="no space"):
        index.save(full)
    assert index.search(ALL[::7], limit=9, min_similarity=-1.0) == graph(len(IDS)).search(
        ALL[::7], limit=9, min_similarity=-1.0
    )


class Slow(FaissIndex):
    """A graph whose file is begun, and finished once it may be."""

    begun, go = Event(), Event()

    def save(self, write: Callable[[bytes | memoryview], object]) -> None:
        """Save."""

        def held(block: bytes | memoryview) -> object:
            self.begun.set()
            assert self.go.wait(PATIENCE_S)
            return write(block)

        super().save(held)


class Counted(ThreadPoolExecutor):
    """A thread that counts what it is given."""

    given = 0

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Take something to do."""
        self.given += 1
        return super().submit(fn, *args, **kwargs)


@pytest.fixture
def executor() -> Counted:
    """Return what writes graphs."""
    return Counted(1)


@pytest.fixture(params=["its own thread", "counted"])
def slow(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, executor: Counted
) -> Opened:
    """Return a store that has just read its index, whose file is being written."""
    monkeypatch.setattr(kept_graphs, "FaissIndex", Slow)
    Slow.begun, Slow.go = Event(), Event()
    opened = Opened(tmp_path / "facts.db", executor=executor if request.param == "counted" else None)
    opened.tell(range(MANY))
    opened.indexes.current(HERE)
    assert Slow.begun.wait(PATIENCE_S)
    return opened


def complete(path: Path) -> list[Path]:
    """Return the files that are whole."""
    return [file for file in index_files(path) if file.suffix == ".graph"]


def test_records_go_on_while_a_graph_is_written(slow: Opened) -> None:
    """What comes meanwhile is found; the file has what there was, the next opening the rest from the log."""
    assert complete(slow.path) == []
    slow.tell(range(MANY, 300))
    assert slow.found() == slow.true()
    Slow.go.set()
    slow.close()
    assert len(complete(slow.path)) == 1
    again = Opened(slow.path)
    assert again.found() == again.true()
    assert len(again.indexes.current(HERE)) == 300
    again.close()


def test_what_is_erased_while_a_graph_is_written_is_in_no_file(slow: Opened) -> None:
    """The erasure waits for the writer, and nothing stays of what it wrote."""
    vector = slow.vectors(range(70, 71)).tobytes()
    slow.erase(70)
    with ThreadPoolExecutor(1) as threads:
        forgotten = threads.submit(slow.indexes.forget, HERE, fact_id(70))
        Slow.go.set()
        forgotten.result(PATIENCE_S)
    slow.indexes.close()
    assert not any(vector in file.read_bytes() for file in index_files(slow.path))
    assert slow.found() == slow.true()
    slow.close()
    assert vector not in kept_file(slow.path).read_bytes()
    assert slow.kept() == MANY - 1


@pytest.mark.parametrize("slow", ["counted"], indirect=True)
def test_one_file_is_written_at_a_time(slow: Opened, executor: Counted) -> None:
    """However much comes while it is, nobody queues up to write it again."""
    for first in range(MANY, 300, 20):
        slow.tell(range(first, first + 20))
        slow.indexes.current(HERE)
    assert executor.given == 1
    Slow.go.set()
    slow.indexes.close()
    slow.indexes.current(HERE)
    assert executor.given == 2
    slow.close()
    assert slow.kept() == 300
