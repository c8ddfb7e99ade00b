"""Back-off: how long to wait before something that failed is tried again."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from arbiter.domain.canonical import digest

_STEPS = 2**16


@dataclass(frozen=True, slots=True)
class Backoff:
    """A wait that doubles with every failure, from ``first`` up to ``most``, with jitter."""

    first: timedelta
    most: timedelta

    def wait(self, failures: int, seed: str) -> timedelta:
        """Return the wait after that many failures in a row, 1 or more.

        Between half and the whole of ``first`` doubled for every failure after the first one, and never more
        than ``most``. Where in between follows from the seed, so that every process comes to the same wait.
        """
        whole = self.most
        # Doubling only as often as it can matter keeps the number small however often it failed.
        if failures <= (self.most // self.first).bit_length():
            whole = min(self.most, self.first * 2 ** (failures - 1))
        share = int(digest(seed, str(failures))[:4], 16) / _STEPS
        return whole * (0.5 + share / 2)
