"""A bucket of tokens for each caller."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arbiter.errors import RateLimitedError
from arbiter.web import rates
from arbiter.web.rates import Rates

if TYPE_CHECKING:
    import pytest


class Seconds:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        """Return the seconds."""
        return self.now


def refused(limits: Rates, who: str = "a") -> int | None:
    """Return after how many seconds a caller may go on; None where it was let through."""
    try:
        limits.take(who)
    except RateLimitedError as error:
        return error.after_s
    return None


def test_a_burst_is_let_through_and_no_more() -> None:
    """A full bucket holds the burst; the empty one says when there is a token again, in whole seconds."""
    limits = Rates(0.25, 3, Seconds())
    assert [refused(limits) for _ in range(5)] == [None, None, None, 4, 4]


def test_tokens_come_back_with_time() -> None:
    """At half a request a second a token takes two seconds; a long pause no more than fills the bucket."""
    clock = Seconds()
    limits = Rates(0.5, 2, clock)
    assert [refused(limits) for _ in range(3)] == [None, None, 2]
    clock.now = 1.0
    assert refused(limits) == 1
    clock.now = 2.0
    assert [refused(limits), refused(limits)] == [None, 2]
    clock.now = 1000.0
    assert [refused(limits) for _ in range(3)] == [None, None, 2]


def test_callers_do_not_take_from_one_another() -> None:
    """Each has a bucket of its own."""
    limits = Rates(1, 1, Seconds())
    assert [refused(limits, who) for who in ("a", "b", "a", "b")] == [None, None, 1, 1]


def test_without_a_limit_nobody_is_counted() -> None:
    """None lets everything through and remembers nothing."""
    limits = Rates(None, 1, Seconds())
    assert {refused(limits) for _ in range(1000)} == {None}


def test_idle_callers_are_forgotten_and_busy_ones_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there are many, those whose buckets are full by now go, which changes nothing for them."""
    monkeypatch.setattr(rates, "_MANY", 3)
    clock = Seconds()
    limits = Rates(1, 2, clock)
    for who in ("idle", "busy", "third"):
        limits.take(who)
    clock.now = 1.5
    limits.take("busy")
    limits.take("busy")
    clock.now = 2.0
    limits.take("new")
    assert sorted(limits._buckets) == ["busy", "new"]  # noqa: SLF001  what is remembered cannot be seen else
    assert refused(limits, "busy") == 1
