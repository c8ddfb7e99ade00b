"""Tasks on threads that nobody has to wait for."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Sequence
from contextvars import copy_context
from typing import TypeVar

Answer = TypeVar("Answer")


def run_all(tasks: Sequence[Callable[[], Answer]], *, threads: int, timeout_s: float) -> list[Answer | None]:
    """Run tasks, at most ``threads`` at a time; what is not done in time is None.

    A task must not raise. One that hangs is left to itself: its thread is a daemon, which holds up
    neither the caller nor the end of the process (an executor's threads would). Tasks that have not
    begun when the time is over never begin. What the caller keeps in context variables holds for them too.
    """
    end = time.monotonic() + timeout_s
    waiting: queue.SimpleQueue[int] = queue.SimpleQueue()
    done: queue.SimpleQueue[tuple[int, Answer]] = queue.SimpleQueue()
    for place in range(len(tasks)):
        waiting.put(place)

    def work() -> None:
        while time.monotonic() < end:
            try:
                place = waiting.get_nowait()
            except queue.Empty:
                return
            done.put((place, tasks[place]()))

    for _ in range(min(threads, len(tasks))):
        threading.Thread(target=copy_context().run, args=(work,), name="arbiter-judge", daemon=True).start()
    answers: list[Answer | None] = [None] * len(tasks)
    for _ in tasks:
        try:
            place, answer = done.get(timeout=max(0.0, end - time.monotonic()))
        except queue.Empty:
            break
        answers[place] = answer
    return answers
