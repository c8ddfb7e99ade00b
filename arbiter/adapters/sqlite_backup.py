"""A copy of an SQLite store as it is at one moment, made while others go on writing."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from arbiter.adapters.sqlite_check import integrity_faults
from arbiter.adapters.sqlite_engine import our_error
from arbiter.errors import ConfigurationError, StoreError

_PAGES = 10_000
_WAIT_S = 30.0


@dataclass(frozen=True, slots=True)
class Backup:
    """A copy that was found sound: how many bytes it has and how many facts are in it."""

    size: int
    facts: int


def back_up(store: Path, target: Path, *, wait_s: float = _WAIT_S) -> Backup:
    """Copy a store to a file that is not there yet, and check the copy before it gets its name.

    What was committed when it begins is in the copy, whatever else is written meanwhile. The copy has the
    mode and, as far as the caller may give it away, the owner of the store. A store that is locked is
    waited for up to ``wait_s``. Where anything fails nothing is left; a process that is killed leaves no more
    than a hidden folder ``.arbiter-backup-…``.

    Raises:
        ConfigurationError: there is a file of this name already, or its folder cannot be written.
        StoreUnavailableError: the store cannot be read, or the copy not be written.
        StoreError: the store is none, or the copy is not sound, as the store is not then.
    """
    if os.path.lexists(target):
        raise _is_there(target)
    try:
        folder = TemporaryDirectory(prefix=".arbiter-backup-", dir=target.absolute().parent)
    except OSError as error:
        raise ConfigurationError(
            f"backup: nothing can be written to {target.absolute().parent}: {error.strerror}", field="backup"
        ) from error
    with folder as private:
        copy = Path(private, "copy.db")
        made = _copied(store, copy, wait_s)
        _check(store, copy)
        _hand_over(store, copy)
        _give_name(copy, target)
    return made


def _copied(store: Path, copy: Path, wait_s: float) -> Backup:
    name = f"the store {store}"
    try:
        with closing(_opened(store, wait_s)) as source:
            # From here on this connection sees one state, and no writer can make the copy begin again.
            source.execute("BEGIN")
            facts = source.execute("SELECT count(*) FROM facts").fetchone()[0]
            source.execute("SELECT version_num FROM alembic_version").fetchone()
            name = f"the copy of {store}"
            with closing(sqlite3.connect(copy)) as target:
                # In steps with a word of Python between them, so that it can be interrupted.
                source.backup(target, pages=_PAGES, progress=lambda *_: None)
    except sqlite3.OperationalError as error:
        if "no such table" in str(error):
            raise StoreError(f"{store} is a database, but no store of arbiter") from error
        raise our_error(error, name) from error
    except sqlite3.Error as error:
        raise our_error(error, name) from error
    return Backup(copy.stat().st_size, facts)


def _check(store: Path, copy: Path) -> None:
    if faults := integrity_faults(copy, alone=True):
        raise StoreError(
            f"the copy is not kept, since {store} is not sound: {'; '.join(faults)}; "
            "run `arbiter doctor --repair`, or else put an earlier backup in its place"
        )


def _hand_over(store: Path, copy: Path) -> None:
    """Give the copy the owner and the mode of the store; to nobody more than its owner where that fails."""
    like = store.stat()
    mode = like.st_mode & 0o777
    try:
        os.chown(copy, like.st_uid, like.st_gid)
    except PermissionError:
        mode &= 0o700
    copy.chmod(mode)


def _give_name(copy: Path, target: Path) -> None:
    try:
        # Unlike a renaming it never replaces what somebody else put there meanwhile.
        target.hardlink_to(copy)
    except FileExistsError as error:
        raise _is_there(target) from error
    except OSError:
        # Not every file system knows a second name of one file.
        copy.rename(target)
    folder = os.open(target.absolute().parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _opened(store: Path, wait_s: float) -> sqlite3.Connection:
    uri = f"{store.absolute().as_uri()}?mode=rw"
    return sqlite3.connect(uri, uri=True, timeout=wait_s, isolation_level=None)


def _is_there(target: Path) -> ConfigurationError:
    return ConfigurationError(f"backup: {target} is there already; a backup replaces nothing", field="backup")
