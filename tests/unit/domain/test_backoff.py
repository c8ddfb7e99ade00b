"""Back-off: waits that grow, within bounds, and are the same for everybody."""

from __future__ import annotations

from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from arbiter.domain.backoff import Backoff

SECOND = timedelta(seconds=1)
WAIT = Backoff(first=30 * SECOND, most=3600 * SECOND)


def test_waits_double_up_to_the_most() -> None:
    """After every failure the bounds of the wait are doubled, until the ceiling is reached."""
    for failures, whole in ((1, 30), (2, 60), (3, 120), (7, 1920), (8, 3600), (9, 3600), (10_000, 3600)):
        assert whole / 2 * SECOND <= WAIT.wait(failures, "a pair") <= whole * SECOND


def test_the_jitter_spreads_the_waits() -> None:
    """A hundred pairs that failed together are not due together, and no process sees other times."""
    waits = [WAIT.wait(3, str(number)) for number in range(100)]
    assert len(set(waits)) > 90
    assert min(waits) < 70 * SECOND
    assert max(waits) > 110 * SECOND
    assert waits == [WAIT.wait(3, str(number)) for number in range(100)]


@given(
    first=st.integers(1, 10**6),
    times=st.integers(1, 10**6),
    failures=st.integers(1, 200),
    seed=st.text(),
)
def test_a_wait_is_never_longer_than_the_most(first: int, times: int, failures: int, seed: str) -> None:
    """Whatever the settings: at least half of the first, at most the most, and growing bounds."""
    backoff = Backoff(first * SECOND, first * times * SECOND)
    wait = backoff.wait(failures, seed)
    assert backoff.first / 2 <= wait <= backoff.most
    assert wait <= backoff.first * 2 ** min(failures - 1, 20)
