"""Work on several threads at once, its answers in order."""

from __future__ import annotations

from threading import Barrier, Event, Thread, get_ident

import pytest

from arbiter.judges.side_by_side import SideBySide


def test_two_run_at_once_and_answer_in_order() -> None:
    """Each waits for the other one, which would be for ever if one came after the other."""
    meeting = Barrier(2, timeout=30)

    def work(item: int) -> int:
        meeting.wait()
        return item * 10

    assert SideBySide(2).map(work, [3, 1, 2, 5]) == [30, 10, 20, 50]


@pytest.mark.parametrize(("threads", "items"), [(1, [1, 2, 3]), (4, [7])])
def test_where_nothing_can_run_beside_it_stays_on_its_thread(threads: int, items: list[int]) -> None:
    """One thread, or one item: nobody is asked to do it in one's place."""
    assert SideBySide(threads).map(lambda _: get_ident(), items) == [get_ident()] * len(items)


def test_nothing_makes_nothing() -> None:
    """No item, no work."""
    assert SideBySide(2).map(str, []) == []


def test_no_number_means_every_core() -> None:
    """There is at least one."""
    assert SideBySide(0).threads >= 1


def test_rows_come_back_in_the_order_of_the_items() -> None:
    """Batches go by length, the answers do not."""
    words = ["three", "a", "four", "bb"]
    batches: list[list[str]] = []

    def compute(batch: list[str]) -> list[str]:
        batches.append(batch)
        return [word.upper() for word in batch]

    found = SideBySide(1).rows(compute, words, [len(word) for word in words], 5)
    assert found == ["THREE", "A", "FOUR", "BB"]
    assert batches == [["a", "bb"], ["four"], ["three"]]


def test_an_error_of_the_work_is_the_callers() -> None:
    """It is raised, and what was not begun is left alone, also where it looks like the end of the work."""
    done = []

    def work(item: int) -> None:
        if item == 0:
            raise IndexError("of the work")
        done.append(item)

    with pytest.raises(IndexError, match="of the work"):
        SideBySide(1).map(work, [1, 0, 2])
    assert done == [1]
    with pytest.raises(IndexError, match="of the work"):
        SideBySide(3).map(work, [0, 0, 0, 0])


def test_little_work_does_not_wait_behind_much() -> None:
    """While every thread is held by somebody else's work, a caller does all of its own alone."""
    begun, end = Barrier(3, timeout=30), Event()
    beside = SideBySide(2)

    def hold(_: int) -> None:
        begun.wait()
        end.wait(30)

    holder = Thread(target=beside.map, args=(hold, [1, 2]))
    holder.start()
    begun.wait()
    assert beside.map(lambda item: (item, get_ident()), [1, 2, 3]) == [(n, get_ident()) for n in (1, 2, 3)]
    end.set()
    holder.join(30)
    assert not holder.is_alive()
