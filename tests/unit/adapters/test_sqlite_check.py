"""The health of an SQLite file."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from arbiter.adapters.sqlite_check import integrity_faults, vector_models


@pytest.fixture(name="path")
def _path(tmp_path: Path) -> Path:
    path = tmp_path / "facts.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(
            "CREATE TABLE parents (id INTEGER PRIMARY KEY);"
            "CREATE TABLE vectors (model_id TEXT, parent INTEGER REFERENCES parents);"
            "INSERT INTO parents VALUES (1);"
            "INSERT INTO vectors VALUES ('m2', 1), ('m1', 1), ('m2', 1);"
        )
    return path


def test_a_sound_file_has_no_faults(path: Path) -> None:
    """Nothing is found where nothing is wrong, and the file stays as it is."""
    before = path.read_bytes()
    assert integrity_faults(path) == []
    assert path.read_bytes() == before


def test_a_row_without_its_parent_is_found(path: Path) -> None:
    """A foreign key that points nowhere is told by its tables."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DELETE FROM parents")
    assert integrity_faults(path) == ["a row of vectors points to a parents that is not there"] * 3


def test_a_damaged_page_is_found(path: Path) -> None:
    """What the database cannot read is a fault, not a crash."""
    content = bytearray(path.read_bytes())
    content[4096:8192] = b"\xff" * 4096
    path.write_bytes(content)
    assert integrity_faults(path) != []


def test_models_are_counted(path: Path) -> None:
    """Each model with the number of its vectors, by name."""
    assert vector_models(path) == {"m1": 1, "m2": 2}


@pytest.mark.parametrize("content", [b"no database at all, but long enough to look" * 20, None])
def test_what_is_no_store_has_no_models(tmp_path: Path, content: bytes | None) -> None:
    """A file of something else, or none at all, is a fault and holds no vectors; none is made."""
    path = tmp_path / "other"
    if content is not None:
        path.write_bytes(content)
    assert vector_models(path) == {}
    assert len(integrity_faults(path)) == 1
    assert path.exists() == (content is not None)
