"""A throw-away store for a dry run: everything is done as it would be, and nothing of it stays."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from arbiter.errors import StoreUnavailableError


@contextmanager
def trial_database(original: Path | None) -> Iterator[str]:
    """Yield the path of a consistent copy of a store, or of an empty one; it is gone afterwards.

    The original is only read, and may be in use meanwhile.

    Raises:
        StoreUnavailableError: the original cannot be read.
    """
    with TemporaryDirectory(prefix="arbiter-dry-run-") as folder:
        copy = Path(folder) / "arbiter.db"
        if original is not None and original.exists():
            from arbiter.adapters.index_snapshots import copy_index_files

            copy_index_files(original, copy)
            _copy(original, copy)
        yield str(copy)


def _copy(original: Path, copy: Path) -> None:
    """Copy a store. One at rest is read as it lies, so that not even a lock file appears beside it."""
    log = original.with_name(f"{original.name}-wal")
    before = _stamp(original)
    if not log.exists():
        _back_up(original, copy, "mode=ro&immutable=1")
        if not log.exists() and _stamp(original) == before:
            return
    _back_up(original, copy, "mode=ro")


def _stamp(path: Path) -> tuple[int, int]:
    found = path.stat()
    return found.st_size, found.st_mtime_ns


def _back_up(original: Path, copy: Path, how: str) -> None:
    try:
        with (
            closing(sqlite3.connect(f"{original.resolve().as_uri()}?{how}", uri=True)) as source,
            closing(sqlite3.connect(copy)) as target,
        ):
            source.backup(target)
    except sqlite3.Error as error:
        raise StoreUnavailableError(f"{original} cannot be read: {error}") from error
