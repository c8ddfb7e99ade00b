"""A large index is taken up where it ended: the same is found, what is new too, and nothing erased."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from arbiter.adapters import index_snapshots
from arbiter.adapters.index_file import remove_parts
from arbiter.adapters.index_snapshots import index_files, index_folder
from arbiter.adapters.sql_store import SqlStore
from arbiter.errors import StoreUnavailableError
from arbiter.scan import trial_database
from tests.contracts.fact_store_cases import HERE, TickingClock
from tests.unit.adapters.kept_graphs import LARGE_FROM, MANY, Opened, fact_id, filled, kept_file

if TYPE_CHECKING:
    import pytest

EVERY = range(0, 300, 10)


def test_the_next_opening_finds_the_same(tmp_path: Path) -> None:
    """The graph that is taken up has every fact, reaches the end of the log, and answers as before."""
    path = tmp_path / "facts.db"
    first = filled(path)
    answers = first.indexes.current(HERE).search(first.vectors(EVERY), limit=9, min_similarity=-1.0)
    first.close()
    again = Opened(path)
    loaded = again.snapshots.load(HERE)
    assert loaded is not None
    index, position = loaded
    assert (len(index), list(again.store.vectors(HERE, "words-16", after=position))) == (MANY, [])
    assert index.search(again.vectors(EVERY), limit=9, min_similarity=-1.0) == answers
    assert again.found() == again.true()
    again.close()


def test_the_file_lies_beside_the_store_and_is_as_private(tmp_path: Path) -> None:
    """One file a namespace in a folder named after the store, with the mode of the store."""
    path = tmp_path / "facts.db"
    path.touch(mode=0o600)
    opened = filled(path)
    opened.tell(range(MANY), "other")
    opened.indexes.current("other")
    files = index_files(path)
    assert len(files) == 2
    assert {file.parent for file in files} == {tmp_path / "facts.db.index"}
    assert {file.stat().st_mode & 0o777 for file in files} == {0o600}
    opened.close()


def test_a_link_to_the_store_has_no_folder_of_its_own(tmp_path: Path) -> None:
    """However a store is named, what is kept of it is in one place, so that an erasure reaches it."""
    (tmp_path / "link.db").symlink_to(tmp_path / "facts.db")
    assert index_folder(tmp_path / "link.db") == index_folder(tmp_path / "facts.db")


def test_small_indexes_are_not_kept(tmp_path: Path) -> None:
    """What is searched exactly is built in no time."""
    opened = filled(tmp_path / "facts.db", LARGE_FROM)
    assert not index_folder(opened.path).exists()
    opened.tell(range(LARGE_FROM, LARGE_FROM + 1))
    opened.indexes.current(HERE)
    assert opened.kept() == LARGE_FROM + 1
    opened.close()


def test_what_came_later_is_taken_in(tmp_path: Path) -> None:
    """The file is behind the store by a hundredth at most; what it lacks comes from the log."""
    path = tmp_path / "facts.db"
    first = filled(path)
    whole = kept_file(path).read_bytes()
    first.tell(range(MANY, MANY + 2))
    assert first.found() == first.true()
    assert kept_file(path).read_bytes() == whole
    second = Opened(path)
    assert second.kept() == MANY
    assert second.found(range(MANY, MANY + 2)) == second.true(range(MANY, MANY + 2))
    assert len(second.indexes.current(HERE)) == MANY + 2
    assert kept_file(path).read_bytes() == whole
    second.tell(range(MANY + 2, MANY + 3))
    second.indexes.current(HERE)
    assert second.kept() == MANY + 3
    for opened in (first, second):
        opened.close()


def test_a_process_does_not_write_what_another_one_has_written(tmp_path: Path) -> None:
    """Of two that follow one log, the second finds the file of the first and leaves it."""
    path = tmp_path / "facts.db"
    first, second = filled(path), Opened(path)
    second.indexes.current(HERE)
    first.tell(range(MANY, 300))
    first.indexes.current(HERE)
    written = kept_file(path).stat().st_ino
    assert second.found() == second.true()
    assert (kept_file(path).stat().st_ino, second.kept()) == (written, 300)
    for opened in (first, second):
        opened.close()


def holds(path: Path, vector: bytes) -> bool:
    """Is a vector in anything that is kept beside the store?"""
    return any(vector in file.read_bytes() for file in index_files(path))


def test_an_erased_fact_is_in_no_file(tmp_path: Path) -> None:
    """Right after the erasure the file is gone; the one that the next read writes is without the vector."""
    opened = filled(tmp_path / "facts.db")
    vector = opened.vectors(range(70, 71)).tobytes()
    assert holds(opened.path, vector)
    opened.erase(70)
    opened.indexes.forget(HERE, fact_id(70))
    assert index_files(opened.path) == []
    assert opened.found() == opened.true()
    assert opened.kept() == MANY - 1
    assert not holds(opened.path, vector)
    opened.close()


def test_a_file_that_comes_to_be_meanwhile_goes_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A writer puts what it has written in its place just as somebody erases a fact of it."""
    opened = filled(tmp_path / "facts.db")
    file = kept_file(opened.path)
    part = file.rename(f"{file}.1.part")

    def late(path: Path) -> None:
        part.replace(path)
        remove_parts(path)

    monkeypatch.setattr(index_snapshots, "remove_parts", late)
    opened.snapshots.drop(HERE)
    assert index_files(opened.path) == []
    opened.close()


def test_a_file_that_cannot_be_checked_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Where the store cannot say what was erased meanwhile, nothing stays that may hold it."""
    opened = Opened(tmp_path / "facts.db")
    opened.tell(range(MANY))

    def fails(*_: object) -> None:
        raise StoreUnavailableError("the disk is gone")

    with monkeypatch.context() as patched:
        patched.setattr(opened.snapshots, "_embedded", fails)
        opened.indexes.current(HERE)
    assert index_files(opened.path) == []
    assert [record.getMessage() for record in caplog.records] == [
        f"the index of {HERE} is not kept, since it cannot be checked: the disk is gone"
    ]
    opened.indexes.current(HERE)
    assert opened.kept() == MANY
    opened.close()


def test_who_has_not_read_the_index_erases_too(tmp_path: Path) -> None:
    """A process that only erases, as a command does, leaves a file without the vector for the next one."""
    path = tmp_path / "facts.db"
    filled(path).close()
    opened = Opened(path)
    opened.erase(70)
    opened.indexes.forget(HERE, fact_id(70))
    assert not holds(path, opened.vectors(range(70, 71)).tobytes())
    assert opened.kept() == MANY - 1
    opened.close()


def test_an_erasure_that_told_no_index_is_found_out(tmp_path: Path) -> None:
    """Its process died after the commit: the next opening finds nothing of the fact, nor does the disk."""
    path = tmp_path / "facts.db"
    first = filled(path)
    first.erase(70)
    first.close()
    opened = Opened(path)
    assert fact_id(70) not in opened.found(range(70, 71))[0]
    assert opened.found() == opened.true()
    assert not holds(path, opened.vectors(range(70, 71)).tobytes())
    assert opened.kept() == MANY - 1
    opened.close()


def test_what_another_process_erased_is_not_written_again(tmp_path: Path) -> None:
    """One that still has the vector in memory finds that out when it writes, and forgets it."""
    path = tmp_path / "facts.db"
    first, second = filled(path), Opened(path)
    second.indexes.current(HERE)
    first.erase(70)
    first.indexes.forget(HERE, fact_id(70))
    second.tell(range(MANY, 300))
    vector = first.vectors(range(70, 71)).tobytes()
    assert len(second.indexes.current(HERE)) == 299
    assert not holds(path, vector)
    assert second.found() == second.true()
    assert (second.kept(), holds(path, vector)) == (299, False)
    for opened in (first, second):
        opened.close()


def test_what_is_left_of_a_large_index_is_searched_exactly(tmp_path: Path) -> None:
    """After many erasures the next opening needs no graph, and keeps none."""
    path = tmp_path / "facts.db"
    first = filled(path, LARGE_FROM + 2)
    for number in range(2):
        first.erase(number)
        first.indexes.forget(HERE, fact_id(number))
    first.indexes.current(HERE)
    first.close()
    opened = Opened(path)
    assert opened.found() == opened.true()
    assert (len(opened.indexes.current(HERE)), index_files(path)) == (LARGE_FROM, [])
    opened.close()


def test_the_fact_of_another_model_is_erased_too(tmp_path: Path) -> None:
    """Whatever model an erasing process works with, the file of the namespace goes."""
    path = tmp_path / "facts.db"
    first, other = filled(path), Opened(path, dimension=32)
    vector = first.vectors(range(70, 71)).tobytes()
    other.indexes.current(HERE)
    other.erase(70)
    other.indexes.forget(HERE, fact_id(70))
    assert not holds(path, vector)
    for opened in (first, other):
        opened.close()


def test_only_a_store_in_a_file_has_a_place_beside_it(tmp_path: Path) -> None:
    """Its path is known however it is named; a store in memory has none."""
    path = tmp_path / "facts.db"
    for location in (str(path), f"sqlite:///{path}", ":memory:", "sqlite://"):
        store = SqlStore(location, TickingClock())
        assert store.path == (path if "facts" in location else None)
        store.close()


def test_a_dry_run_takes_the_graph_along(tmp_path: Path) -> None:
    """The copy of the store that it works on opens as quickly, and nothing of the copy stays."""
    path = tmp_path / "facts.db"
    first = filled(path)
    whole = kept_file(path).read_bytes()
    with trial_database(path) as location:
        copy = Opened(Path(location))
        assert copy.kept() == MANY
        copy.tell(range(MANY, 300))
        assert copy.found() == copy.true()
        copy.close()
        assert index_folder(Path(location)).parent != tmp_path
    assert kept_file(path).read_bytes() == whole
    assert not index_folder(Path(location)).exists()
    first.close()
