"""Carrying the log of an SQLite file over into the file, beside the work."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING

from arbiter.errors import StoreError

if TYPE_CHECKING:
    from sqlalchemy.engine import Engine

# A commit costs a hundredth of what a checkpoint does, and several share one.
_PAUSE_S = 0.25


class Checkpoints:
    """Carries what was committed over into the file, on a thread that lives while there is work for it.

    Left to SQLite, the commit that fills the log pays for all before it: about one record in twenty waits
    three times as long as the others. Here nobody waits; a log that grows too long nevertheless is carried
    over by a commit, as the engine says. What is in the log is as safe as what is in the file.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._own = Lock()
        self._at_work = Lock()
        self._due = False
        self._ended = Event()
        self._thread: Thread | None = None

    def due(self) -> None:
        """Say that something was committed; it is carried over soon."""
        with self._own:
            self._due = True
            if self._thread is None and not self._ended.is_set():
                thread = Thread(target=self._work, name="checkpoint", daemon=True)
                # Where none can start a commit carries the log over, once that is long.
                with suppress(RuntimeError):
                    thread.start()
                    self._thread = thread

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Carry nothing over while the block lasts: it needs the log for itself."""
        with self._at_work:
            yield

    def close(self) -> None:
        """Return once all that was due is carried over; nothing will be any more."""
        self._ended.set()
        with self._own:
            thread = self._thread
        if thread is not None:
            thread.join()

    def _work(self) -> None:
        while self._is_due():
            # Whoever needs the database next is told what is wrong with it; the log keeps what it holds.
            with self._at_work, suppress(sqlite3.Error, StoreError):
                self._carry_over()
            self._ended.wait(_PAUSE_S)

    def _is_due(self) -> bool:
        with self._own:
            due, self._due = self._due, False
            if not due:
                self._thread = None
            return due

    def _carry_over(self) -> None:
        raw = self._engine.raw_connection()
        try:
            raw.cursor().execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
        finally:
            raw.close()
