"""Batches of a model computed side by side, one on each core."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import TypeVar

from arbiter.domain.token_batches import token_batches

Given = TypeVar("Given")
Found = TypeVar("Found")


class SideBySide:
    """Runs work that lets go of the interpreter on several threads at once.

    The threads of one computation wait for one another at every operator of a small model, those of
    several computations never. Whoever asks works along, so that little work never waits behind much of
    somebody else's.

    Args:
        threads: how many run at once; 0: as many as this process has cores.
    """

    def __init__(self, threads: int) -> None:
        self.threads = threads or _cores()

    def map(self, work: Callable[[Given], Found], items: Sequence[Given]) -> list[Found]:
        """Return what the work makes of each item, in their order. An error ends it, and is raised."""
        waiting = deque(enumerate(items))

        def take() -> list[tuple[int, Found]]:
            try:
                return [(place, work(item)) for place, item in _taken(waiting)]
            except BaseException:
                waiting.clear()
                raise

        others = [self._pool.submit(take) for _ in range(1, min(self.threads, len(items)))]
        found = take()
        for other in others:
            if not other.cancel():
                found += other.result()
        return [made for _, made in sorted(found, key=lambda one: one[0])]

    def rows(
        self,
        compute: Callable[[list[Given]], Iterable[Found]],
        items: Sequence[Given],
        lengths: Sequence[int],
        most: int,
    ) -> list[Found]:
        """Return what a model makes of each item, in their order, computed in batches of like length.

        Args:
            compute: returns a row for each item of a batch.
            items: what the model reads.
            lengths: tokens of each.
            most: tokens of a batch, padding included.
        """
        batches = list(token_batches(lengths, most, parts=self.threads))
        computed = self.map(compute, [[items[place] for place in batch] for batch in batches])
        found = {
            place: row
            for batch, rows in zip(batches, computed, strict=True)
            for place, row in zip(batch, rows, strict=True)
        }
        return [found[place] for place in range(len(items))]

    @cached_property
    def _pool(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(self.threads - 1, thread_name_prefix="model")


def _taken(waiting: deque[Given]) -> Iterator[Given]:
    """Take what waits from the left until nothing does; several threads may."""
    while True:
        try:
            yield waiting.popleft()
        except IndexError:
            return


def _cores() -> int:
    """Return how many cores this process may use, where the system tells, or else how many there are."""
    allowed = getattr(os, "sched_getaffinity", None)
    return len(allowed(0)) if allowed else os.cpu_count() or 1
