"""Batches of a model computed side by side, one on each core."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import TypeVar

Given = TypeVar("Given")
Found = TypeVar("Found")


class SideBySide:
    """Runs work that lets go of the interpreter on several threads at once.

    The threads of one computation wait for one another at every operator of a small model, those of
    several computations never: two cores read half as many pairs again this way.

    Args:
        threads: how many run at once; 0: as many as this process has cores.
    """

    def __init__(self, threads: int) -> None:
        self.threads = threads or _cores()

    def map(self, work: Callable[[Given], Found], items: Sequence[Given]) -> list[Found]:
        """Return what the work makes of each item, in their order; its first error is raised."""
        if self.threads == 1 or len(items) == 1:
            return [work(item) for item in items]
        return list(self._pool.map(work, items))

    @cached_property
    def _pool(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(self.threads, thread_name_prefix="model")


def _cores() -> int:
    """Return how many cores this process may use, where the system tells, or else how many there are."""
    allowed = getattr(os, "sched_getaffinity", None)
    return len(allowed(0)) if allowed else os.cpu_count() or 1
