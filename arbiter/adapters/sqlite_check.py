"""The health of an SQLite file, read without changing it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

_MOST_FAULTS = 20


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


def _read_only(path: Path, *, alone: bool = False) -> sqlite3.Connection:
    how = "mode=ro&immutable=1" if alone else "mode=ro"
    return sqlite3.connect(f"{path.absolute().as_uri()}?{how}", uri=True)
