"""The health of an SQLite file: what is wrong with it, and what of that can be made good from the rest."""

from __future__ import annotations

import sqlite3
from contextlib import closing, suppress
from pathlib import Path

from arbiter.adapters.sqlite_engine import our_error

_MOST_FAULTS = 20
_WAIT_S = 30.0
_SPOILT = "FROM vectors WHERE model_id = ? AND length(vector) <> 4 * ?"


def integrity_faults(path: Path, *, alone: bool = False) -> list[str]:
    """Return what SQLite's own checks of pages, indexes and foreign keys find, up to 20 lines.

    ``alone`` says that nobody else has the file open: then no other file is made beside it.
    """
    try:
        with closing(_read_only(path, alone=alone)) as connection:
            pages = connection.execute(f"PRAGMA integrity_check({_MOST_FAULTS})").fetchall()
            orphans = connection.execute("PRAGMA foreign_key_check").fetchmany(_MOST_FAULTS)
    except sqlite3.Error as error:
        return [str(error)]
    faults = [str(row[0]) for row in pages if row[0] != "ok"]
    return faults + [
        f"a row of {table} points to a {parent} that is not there" for table, _, parent, _ in orphans
    ]


def vector_models(path: Path) -> dict[str, int]:
    """Return the ids of the models whose vectors the file holds, and how many of each."""
    try:
        with closing(_read_only(path)) as connection:
            rows = connection.execute(
                "SELECT model_id, count(*) FROM vectors GROUP BY model_id ORDER BY model_id"
            )
            return dict(rows.fetchall())
    except sqlite3.Error:
        return {}


def spoilt_vectors(path: Path, model_id: str, dimension: int) -> int:
    """Return how many vectors of a model have not as many numbers as its vectors have."""
    try:
        with closing(_read_only(path)) as connection:
            return int(connection.execute(f"SELECT count(*) {_SPOILT}", (model_id, dimension)).fetchone()[0])
    except sqlite3.Error:
        return 0


def drop_spoilt_vectors(path: Path, model_id: str, dimension: int) -> int:
    """Drop them, so that they are made again, and return how many there were.

    Raises:
        StoreUnavailableError: the file cannot be written.
    """
    try:
        with closing(sqlite3.connect(path, timeout=_WAIT_S)) as connection, connection:
            return connection.execute(f"DELETE {_SPOILT}", (model_id, dimension)).rowcount
    except sqlite3.Error as error:
        raise our_error(error, f"the store {path}") from error


def rebuild_indexes(path: Path) -> list[str]:
    """Build every index of the file again from its tables, and return the faults that are left."""
    with closing(sqlite3.connect(path, timeout=_WAIT_S)) as connection, suppress(sqlite3.Error):
        connection.execute("REINDEX")
    return integrity_faults(path)


def _read_only(path: Path, *, alone: bool = False) -> sqlite3.Connection:
    how = "mode=ro&immutable=1" if alone else "mode=ro"
    return sqlite3.connect(f"{path.absolute().as_uri()}?{how}", uri=True)
