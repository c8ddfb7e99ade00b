"""Whatever lies in the place of a kept index: what is found is right, and a sound file takes its place."""

from __future__ import annotations

import json
import shutil
import sqlite3
import zlib
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from tests.contracts.fact_store_cases import HERE
from tests.processes import start, wait_for
from tests.unit.adapters.kept_graphs import MANY, Opened, fact_id, filled, kept_file

EVERY = range(0, 300, 10)


def cut(share: float) -> Callable[[bytes], bytes]:
    """Return what leaves a share of a file."""
    return lambda whole: whole[: int(share * len(whole))]


def flipped(share: float) -> Callable[[bytes], bytes]:
    """Return what flips one bit there."""

    def flip(whole: bytes) -> bytes:
        place = min(int(share * len(whole)), len(whole) - 1)
        return whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :]

    return flip


def summed(change: Callable[[bytes], bytes]) -> Callable[[bytes], bytes]:
    """Return what changes a file and makes its checksum right again."""

    def resum(whole: bytes) -> bytes:
        changed = change(whole[:-4])
        return changed + zlib.crc32(changed).to_bytes(4)

    return resum


def relabelled(**changes: object) -> Callable[[bytes], bytes]:
    """Return what lets a file say something else of itself."""

    def relabel(whole: bytes) -> bytes:
        label, _, rest = whole.partition(b"\n")
        return json.dumps({**json.loads(label), **changes}).encode() + b"\n" + rest

    return summed(relabel)


DAMAGE = {
    "empty": cut(0),
    "checksum alone": lambda whole: whole[-4:],
    **{f"cut at {share}": cut(share) for share in (0.002, 0.1, 0.5, 0.999)},
    **{f"a bit at {share}": flipped(share) for share in (0.0, 0.01, 0.1, 0.5, 0.9, 1.0)},
    "longer": lambda whole: whole + b"more",
    "zeros": lambda whole: bytes(len(whole)),
    "one line": summed(lambda _: b"[" + b"1," * 50_000),
    "no label": summed(lambda whole: whole.partition(b"\n")[2]),
    "a list": summed(lambda _: b"[]\n"),
    "ids alone": summed(lambda whole: b"\n".join(whole.split(b"\n")[:2]) + b"\n"),
    "half a graph": summed(cut(0.7)),
    "fewer ids": summed(lambda whole: whole.replace(b'"fact_', b'"","fact_', 1)),
    "ids that are none": summed(lambda whole: whole.replace(b'["fact_', b'[5, "fact_', 1)),
    "another format": relabelled(format=0),
    "another namespace": relabelled(namespace="other"),
    "another model": relabelled(model="words-17"),
    "another dimension": relabelled(dimension=8),
    "no position": relabelled(position=None),
    "words for a position": relabelled(position="all"),
    "a position to come": relabelled(position=1_000_000),
    "another log": relabelled(last_change=[1, 1]),
}


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a closed store and what is kept beside it, to be copied."""
    folder = tmp_path_factory.mktemp("sound")
    filled(folder / "facts.db").close()
    return folder


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_a_file_that_does_not_fit_is_built_again(
    sound: Path, tmp_path: Path, damage: Callable[[bytes], bytes], caplog: pytest.LogCaptureFixture
) -> None:
    """Nothing fails, one line of the log says why it took long, and the next opening is quick again."""
    shutil.copytree(sound, tmp_path, dirs_exist_ok=True)
    path = tmp_path / "facts.db"
    file = kept_file(path)
    whole = file.read_bytes()
    file.write_bytes(damage(whole))
    opened = Opened(path)
    assert opened.found() == opened.true()
    assert len(opened.indexes.current(HERE)) == MANY
    (said,) = [record.getMessage() for record in caplog.records]
    assert said.startswith(f"the index of {HERE} is built again, since its file is of no use: ")
    assert kept_file(path).read_bytes() == whole
    assert opened.kept() == MANY
    opened.close()


def copied(path: Path) -> Path:
    """Return a backup of a store."""
    target = path.with_name("copy.db")
    with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(target)) as copy:
        source.backup(copy)
    return target


@pytest.mark.parametrize("more", [0, 3, 100, 300])
def test_a_store_from_a_backup_does_not_take_what_came_after(tmp_path: Path, more: int) -> None:
    """Put back and gone on with other facts, at the positions of the lost ones: only those are found."""
    path = tmp_path / "facts.db"
    first = filled(path, 150)
    backup = copied(path)
    first.tell(range(150, MANY))
    assert len(first.indexes.current(HERE)) == MANY
    first.close()
    for file in tmp_path.glob("facts.db-*"):
        file.unlink()
    shutil.copy(backup, path)
    opened = Opened(path)
    opened.tell(range(1_000, 1_000 + more))
    assert opened.found(range(0, 1_300, 10)) == opened.true(range(0, 1_300, 10))
    assert len(opened.indexes.current(HERE)) == 150 + more
    assert fact_id(170) not in opened.found(range(170, 171))[0]
    opened.close()


def test_the_file_of_another_store_is_not_taken(tmp_path: Path) -> None:
    """A store made anew in the same place, of the same facts at other times, builds its own."""
    path = tmp_path / "facts.db"
    filled(path).close()
    for file in tmp_path.glob("facts.db*"):
        if file.is_file():
            file.unlink()
    fresh = Opened(path)
    fresh.tell(range(100, 180))
    assert fresh.found() == fresh.true()
    assert len(fresh.indexes.current(HERE)) == 80
    fresh.close()


def test_deriving_everything_again_keeps_the_file(tmp_path: Path) -> None:
    """Views that are rebuilt touch no vector: the file fits as before."""
    opened = filled(tmp_path / "facts.db")
    opened.store.rebuild_views(HERE)
    assert opened.kept() == MANY
    opened.close()


def test_a_vector_that_was_made_again_is_found(tmp_path: Path) -> None:
    """It is at another position of the log now, which is in step with what is found."""
    path = tmp_path / "facts.db"
    first = filled(path)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DELETE FROM vectors WHERE fact_id = ?", (fact_id(70),))
    with first.store.writing(HERE) as tx:
        tx.put_vectors("words-16", [fact_id(70)], first.vectors(range(70, 71)))
    first.close()
    opened = Opened(path)
    assert opened.found() == opened.true()
    assert len(opened.indexes.current(HERE)) == MANY
    opened.close()


_WRITES_HALF = """
import sys
from pathlib import Path
from arbiter.adapters.faiss_index import FaissIndex
from tests.unit.adapters import kept_graphs

class Slow(FaissIndex):
    def save(self, write):
        def half(block):
            write(block[: len(block) // 2])
            write.__self__._file.flush()
            print("half", flush=True)
            sys.stdin.readline()
        super().save(half)

kept_graphs.FaissIndex = Slow
opened = kept_graphs.Opened(Path(sys.argv[1]))
opened.tell(range(kept_graphs.MANY, 300))
opened.indexes.current("default")
"""


@pytest.mark.parametrize("before", ["an old one", "none"])
def test_a_writer_that_is_killed_leaves_what_was_there(tmp_path: Path, before: str) -> None:
    """Half a file has another name, stands in nobody's way, and goes when the next one is written."""
    path = tmp_path / "facts.db"
    first = filled(path)
    file = kept_file(path)
    whole = file.read_bytes()
    if before == "none":
        file.unlink()
    first.close()
    writer = start(_WRITES_HALF, str(path))
    wait_for(writer, "half")
    writer.kill()
    writer.communicate()
    parts = list(file.parent.glob("*.part"))
    assert len(parts) == 1
    assert parts[0].stat().st_size > 0
    assert (file.read_bytes() if file.exists() else None) == (None if before == "none" else whole)
    opened = Opened(path)
    assert opened.found() == opened.true()
    assert (kept_file(path), opened.kept()) == (file, 300)
    opened.close()


_HAS_NO_ROOM = """
import resource, sys
from pathlib import Path
from tests.unit.adapters.kept_graphs import MANY, Opened, index_files
opened = Opened(Path(sys.argv[1]))
opened.tell(range(MANY, 300))
resource.setrlimit(resource.RLIMIT_FSIZE, (30_000, 30_000))
assert opened.found() == opened.true()
print([file.name for file in index_files(opened.path)])
"""


def test_a_full_disk_stops_nobody(tmp_path: Path) -> None:
    """What cannot be written leaves nothing, and the old file stays."""
    path = tmp_path / "facts.db"
    filled(path).close()
    whole = kept_file(path).read_bytes()
    said, complained = start(_HAS_NO_ROOM, str(path)).communicate()
    assert said == f"['{kept_file(path).name}']\n"
    assert "the index of default is not kept: [Errno 27]" in complained
    assert kept_file(path).read_bytes() == whole


def test_a_folder_that_cannot_be_written_stops_nobody(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The index is built each time, as if nothing was kept; the log says so once for each attempt."""
    path = tmp_path / "facts.db"
    (tmp_path / "facts.db.index").touch()
    opened = filled(path)
    assert opened.found() == opened.true()
    opened.erase(70)
    opened.indexes.forget(HERE, fact_id(70))
    assert opened.found() == opened.true()
    said = [record.getMessage() for record in caplog.records]
    assert [line.partition(":")[0] for line in said] == [f"the index of {HERE} is not kept"] * 2
    opened.close()
