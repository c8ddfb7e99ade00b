"""How many calls may be under way at once, where a call can hang for longer than anybody waits for it."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager


class Slots:
    """Lets so many work at the same time; who overstays has lost the slot to the next one.

    A time-out of a connection begins anew with every byte, so a provider that sends one now and then keeps a
    call alive for as long as it likes. Were its slot kept, too, a few such calls would end all judging.
    """

    def __init__(self, number: int) -> None:
        self._number = number
        self._changed = threading.Condition()
        self._ends: dict[object, float] = {}

    @contextmanager
    def taken(self, *, seconds: float, by: float) -> Iterator[float | None]:
        """Take a slot for so many seconds, but not beyond ``by``, a moment of the monotonic clock.

        Yields the moment at which the slot is lost, or None where none came free in time.
        """
        mine = object()
        end = self._take(mine, seconds, by)
        try:
            yield end
        finally:
            with self._changed:
                self._ends.pop(mine, None)
                self._changed.notify()

    def _take(self, mine: object, seconds: float, by: float) -> float | None:
        with self._changed:
            while (now := time.monotonic()) < by:
                self._ends = {holder: end for holder, end in self._ends.items() if end > now}
                if len(self._ends) < self._number:
                    self._ends[mine] = min(by, now + seconds)
                    return self._ends[mine]
                self._changed.wait(min(by, *self._ends.values()) - now)
        return None
