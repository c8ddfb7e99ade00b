"""Tasks on threads that nobody has to wait for."""

from __future__ import annotations

import threading
from functools import partial

from arbiter.judges.daemons import run_all


def test_answers_stand_in_the_order_of_the_tasks() -> None:
    """Whichever is done first: here the first task waits for the second."""
    second_is_done = threading.Event()

    def first() -> str:
        assert second_is_done.wait(timeout=5)
        return "first"

    def second() -> str:
        second_is_done.set()
        return "second"

    assert run_all([first, second], threads=2, timeout_s=5) == ["first", "second"]


def test_no_tasks_have_no_answers() -> None:
    """And start no thread."""
    assert run_all([], threads=2, timeout_s=5) == []


def test_what_is_late_has_no_answer_and_what_has_not_begun_never_begins() -> None:
    """With one thread, a task that hangs keeps the next one from starting, also once it is freed."""
    release, begun = threading.Event(), threading.Event()

    def hang() -> str:
        release.wait(timeout=5)
        return "late"

    def next_one() -> str:
        begun.set()
        return "never"

    before = set(threading.enumerate())
    assert run_all([hang, next_one], threads=1, timeout_s=0.1) == [None, None]
    (left,) = set(threading.enumerate()) - before
    assert left.daemon
    release.set()
    left.join(timeout=5)
    assert not begun.is_set()


def test_no_more_threads_than_asked_for() -> None:
    """Five tasks on two threads run on two."""
    both = threading.Barrier(2, timeout=5)
    names: set[str] = set()

    def work(number: int) -> int:
        names.add(str(threading.get_ident()))
        if number < 2:
            both.wait()
        return number

    assert run_all([partial(work, n) for n in range(5)], threads=2, timeout_s=5) == [0, 1, 2, 3, 4]
    assert len(names) == 2
