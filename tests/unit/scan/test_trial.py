"""The throw-away store of a dry run: it knows what the original knows, and leaves it alone."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import pytest

from arbiter.errors import StoreUnavailableError
from arbiter.scan import trial_database


def test_without_an_original(tmp_path: Path) -> None:
    """The copy is a path in a folder of its own, which is gone afterwards; nothing else is made."""
    with trial_database(tmp_path / "none.db") as database:
        folder = Path(database).parent
        assert folder.is_dir()
        assert not Path(database).exists()
    assert not folder.exists()
    assert list(tmp_path.iterdir()) == []


def test_a_copy_of_a_store_in_use(tmp_path: Path) -> None:
    """What is committed is in the copy, also what still lies in the write-ahead log; the original stays."""
    original = tmp_path / "a store?.db"
    with closing(sqlite3.connect(original)) as writer:
        writer.execute("PRAGMA journal_mode = WAL")
        writer.execute("CREATE TABLE fact (content TEXT)")
        writer.execute("INSERT INTO fact VALUES ('tea')")
        writer.commit()
        files = {
            p.name: sha256(p.read_bytes()).hexdigest() for p in tmp_path.iterdir() if p.suffix != ".db-shm"
        }
        with trial_database(original) as database, closing(sqlite3.connect(database)) as copy:
            assert copy.execute("SELECT content FROM fact").fetchall() == [("tea",)]
            copy.execute("DELETE FROM fact")
            copy.commit()
        assert writer.execute("SELECT content FROM fact").fetchall() == [("tea",)]
        after = {
            p.name: sha256(p.read_bytes()).hexdigest() for p in tmp_path.iterdir() if p.suffix != ".db-shm"
        }
        assert after == files


def test_a_store_at_rest_is_not_touched(tmp_path: Path) -> None:
    """The file keeps every byte, and no file appears beside it."""
    original = tmp_path / "store.db"
    with closing(sqlite3.connect(original)) as writer:
        writer.execute("PRAGMA journal_mode = WAL")
        writer.execute("CREATE TABLE fact (content TEXT)")
        writer.commit()
    before = original.read_bytes()
    with trial_database(original):
        pass
    assert original.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["store.db"]


def test_what_is_no_store(tmp_path: Path) -> None:
    """A file that is no database is told."""
    original = tmp_path / "notes.db"
    original.write_text("milk, eggs, and a rather long list of other things" * 40)
    with pytest.raises(StoreUnavailableError, match="cannot be read"), trial_database(original):
        pass
