"""How much each caller may send: a bucket of tokens for each, in the memory of the process.

Several processes count apart, so that N workers let through N times as much.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic

from arbiter.errors import RateLimitedError

_MANY = 10_000


@dataclass(slots=True)
class _Bucket:
    """``tokens`` as they were at the time ``at``; they fill up again."""

    tokens: float
    at: float


class Rates:
    """Takes a token for every request; used by one thread, that of the event loop.

    Args:
        per_s: tokens that come back each second; None: nobody is counted.
        burst: tokens of a full bucket.
        clock: seconds that only go forward.
    """

    def __init__(self, per_s: float | None, burst: int, clock: Callable[[], float] = monotonic) -> None:
        self._per_s = per_s
        self._burst = burst
        self._clock = clock
        self._buckets: dict[str, _Bucket] = {}

    def take(self, who: str) -> None:
        """Count one request.

        Raises:
            RateLimitedError: the bucket is empty; says when there is a token again.
        """
        if self._per_s is None:
            return
        now = self._clock()
        bucket = self._buckets.get(who)
        if bucket is None:
            self._forget_idle(now)
            bucket = self._buckets[who] = _Bucket(self._burst, now)
        tokens = min(self._burst, bucket.tokens + (now - bucket.at) * self._per_s)
        if tokens < 1:
            after = math.ceil((1 - tokens) / self._per_s)
            raise RateLimitedError(f"more than {self._per_s:g} requests a second", after_s=after)
        bucket.tokens, bucket.at = tokens - 1, now

    def _forget_idle(self, now: float) -> None:
        """Where there are many buckets forget those that are full by now; a new one is full as well."""
        if self._per_s is None or len(self._buckets) < _MANY:
            return
        full_after = self._burst / self._per_s
        self._buckets = {who: known for who, known in self._buckets.items() if now - known.at < full_after}
