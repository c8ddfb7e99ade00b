"""Parts of a context with a stopwatch around each, so that a total can be explained."""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from arbiter.pipeline.context import Context


class Stopwatch:
    """Seconds by what they were spent on; what runs inside of another part counts there, not twice.

    What another thread does beside a part is no part of that one: both count in full.
    """

    def __init__(self) -> None:
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self._own = threading.local()

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        """Count the time of the block, less that of the parts inside of it."""
        begun, before, self._own.inside = time.perf_counter(), getattr(self._own, "inside", 0.0), 0.0
        try:
            yield
        finally:
            whole = time.perf_counter() - begun
            self.seconds[name] += whole - self._own.inside
            self._own.inside = before + whole


def seconds(work: Callable[[], object]) -> float:
    """Return how long some work takes."""
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def clocked(context: Context, watch: Stopwatch) -> Context:
    """Return the context with a stopwatch around models, search, judge and each stage."""

    def timed(inner: object, part: str) -> Any:  # noqa: ANN401 - stands in for whatever is inside
        return _Timed(inner, part, watch)

    return replace(
        context,
        embedder=timed(context.embedder, "embedding"),
        entities=timed(context.entities, "entities"),
        indexes=timed(context.indexes, "search"),
        judge=timed(context.judge, "judge"),
        stage=watch.part,
    )


class _Timed:
    """Stands in for a port; its methods count as one part, and so do those of the index that one returns."""

    def __init__(self, inner: object, part: str, watch: Stopwatch) -> None:
        self._inner, self._part, self._watch = inner, part, watch

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401
        found = getattr(self._inner, name)
        if not callable(found):
            return found

        def timed(*arguments: Any, **named: Any) -> Any:  # noqa: ANN401
            with self._watch.part(self._part):
                returned = found(*arguments, **named)
            return _Timed(returned, self._part, self._watch) if name == "current" else returned

        return timed
