"""Slots: how many work at once, and what becomes of one that is overstayed."""

from __future__ import annotations

import threading
import time

from arbiter.judges.slots import Slots

FOREVER = 1e9


def test_no_more_work_at_once_than_there_are_slots() -> None:
    """The third finds none free; when one leaves, it does."""
    slots, by = Slots(2), time.monotonic() + FOREVER
    with slots.taken(seconds=FOREVER, by=by) as first:
        with slots.taken(seconds=FOREVER, by=by) as second:
            assert None not in (first, second)
            with slots.taken(seconds=FOREVER, by=time.monotonic()) as third:
                assert third is None
        with slots.taken(seconds=FOREVER, by=by) as third:
            assert third is not None


def test_an_overstayed_slot_is_free() -> None:
    """Whoever still works in it does not keep others out, and gives back nothing that is theirs."""
    slots, by = Slots(1), time.monotonic() + FOREVER
    with slots.taken(seconds=0, by=by) as hanging:
        assert hanging is not None
        with slots.taken(seconds=FOREVER, by=by) as other:
            assert other is not None
            with slots.taken(seconds=0, by=time.monotonic()) as late:
                assert late is None


def test_a_slot_never_outlasts_the_whole() -> None:
    """It is lost at the moment by which everything has to be done."""
    slots, by = Slots(1), time.monotonic() + 100
    with slots.taken(seconds=FOREVER, by=by) as end:
        assert end == by


def test_who_waits_gets_the_slot_that_is_left() -> None:
    """Without waiting for the moment at which it would have been lost."""
    slots, got = Slots(1), threading.Event()

    def wait() -> None:
        with slots.taken(seconds=FOREVER, by=time.monotonic() + FOREVER):
            got.set()

    with slots.taken(seconds=FOREVER, by=time.monotonic() + FOREVER):
        waiting = threading.Thread(target=wait, daemon=True)
        waiting.start()
        assert not got.is_set()
    assert got.wait(60)
    waiting.join()
