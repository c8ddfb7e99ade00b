"""Namespaces of a batch that are worked on at the same time, while a language model takes its time."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import TypeVar

Part = TypeVar("Part")
Result = TypeVar("Result")


class SideBySide:
    """Works on up to so many parts at a time; the context variables of the caller hold for each.

    Whoever waits for a language model computes nothing: without this, the callers of a batch would wait for
    the answers of all namespaces before theirs, one after the other.
    """

    def __init__(self, threads: int) -> None:
        self._threads = threads

    def __call__(self, work: Callable[[Part], Result], parts: Iterable[Part]) -> list[Result]:
        """Return what the work makes of each part, in their order.

        An error of one ends none of the others; it is raised once all of them are done.
        """
        with ThreadPoolExecutor(self._threads, thread_name_prefix="arbiter-namespace") as pool:
            begun = [pool.submit(copy_context().run, work, part) for part in parts]
        return [one.result() for one in begun]
