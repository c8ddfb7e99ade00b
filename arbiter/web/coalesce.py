"""Group commit: what several callers submit at about the same time is arbitrated and written together."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager, nullcontext
from contextvars import Context, copy_context
from dataclasses import dataclass, field
from itertools import islice
from threading import Condition, Thread
from typing import TypeAlias

from arbiter.domain.facts import Record
from arbiter.domain.outcomes import Receipt
from arbiter.errors import OverloadedError, StoreError

Arbitrate: TypeAlias = Callable[[Sequence[Record], Sequence[int]], Sequence[Receipt]]
"""Arbitrates records, each with the index that its caller knows it by; receipts come in their order."""

Around: TypeAlias = Callable[[Sequence[Context]], AbstractContextManager[None]]
"""Opened around records that are written together; gets the context of each caller."""

GROUP_RECORDS = 1000
"""Records that are written together, at most, unless a single caller brings more."""


@dataclass(frozen=True, slots=True)
class _Submission:
    records: Sequence[Record]
    indexes: Sequence[int]
    answer: Future[list[Receipt]] = field(default_factory=Future)
    context: Context = field(default_factory=copy_context)


class Submitter:
    """One thread that writes the records of all callers of a process, in the order of their arrival.

    Args:
        arbitrate: does the work; it may be called again with the same records.
        linger_s: seconds to wait for more callers once there is one.
        queue_records: records that may wait, at most; a single caller may always bring as many as it has
            when nobody else waits.
        around: watches the work.
    """

    def __init__(
        self,
        arbitrate: Arbitrate,
        *,
        linger_s: float,
        queue_records: int,
        around: Around = lambda _: nullcontext(),
    ) -> None:
        self._arbitrate = arbitrate
        self._around = around
        self._linger_s = linger_s
        self._queue_records = queue_records
        self._waiting: deque[_Submission] = deque()
        self._records = 0
        self._closed = False
        self._changed = Condition()
        self._thread = Thread(target=self._write, name="arbiter-writer", daemon=True)
        self._thread.start()

    @property
    def waiting(self) -> int:
        """Records that wait for their turn."""
        return self._records

    def submit(self, records: Sequence[Record], indexes: Sequence[int]) -> Future[list[Receipt]]:
        """Accept records and return what will hold their receipts; cancelled in time, they never were.

        Raises:
            OverloadedError: too many records are waiting, or the service is stopping. None was accepted.
        """
        submission = _Submission(records, indexes)
        with self._changed:
            if self._closed:
                raise OverloadedError("the service is stopping")
            if self._records and self._records + len(records) > self._queue_records:
                raise OverloadedError
            self._waiting.append(submission)
            self._records += len(records)
            self._changed.notify()
        return submission.answer

    def close(self) -> None:
        """Accept no more, finish what was accepted, and end the thread."""
        with self._changed:
            self._closed = True
            self._changed.notify()
        self._thread.join()

    def _write(self) -> None:
        while (group := self._next_group()) is not None:
            self._commit(group)

    def _next_group(self) -> list[_Submission] | None:
        """Wait for a group; None when there will be no more."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._closed)
            self._changed.wait_for(
                lambda: self._records >= GROUP_RECORDS or self._closed, timeout=self._linger_s
            )
            if not self._waiting:
                return None
            taken: list[_Submission] = []
            count = 0
            while self._waiting and (not count or count + len(self._waiting[0].records) <= GROUP_RECORDS):
                taken.append(self._waiting.popleft())
                count += len(taken[-1].records)
            self._records -= count
        return [submission for submission in taken if submission.answer.set_running_or_notify_cancel()]

    def _commit(self, group: Sequence[_Submission]) -> None:
        records = [record for submission in group for record in submission.records]
        indexes = [index for submission in group for index in submission.indexes]
        try:
            with self._around([submission.context for submission in group]) if records else nullcontext():
                receipts = iter(self._arbitrate(records, indexes) if records else ())
        except StoreError as error:
            _fail(group, error)
        except Exception as error:  # noqa: BLE001  whatever it is, its callers are told and the thread lives on
            if len(group) == 1:
                _fail(group, error)
            for submission in group if len(group) > 1 else ():
                # What one of them brought must not sink the others; to arbitrate records again is safe.
                self._commit([submission])
        else:
            for submission in group:
                submission.answer.set_result(list(islice(receipts, len(submission.records))))


def _fail(group: Sequence[_Submission], error: Exception) -> None:
    for submission in group:
        submission.answer.set_exception(error)
