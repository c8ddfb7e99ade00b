"""Exact intervals of a rate."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.domain.binomial import interval, upper_bound

COUNTS = st.integers(1, 60).flatmap(lambda trials: st.tuples(st.integers(0, trials), st.just(trials)))


@pytest.mark.parametrize(
    ("hits", "trials", "low", "high"),
    [
        (0, 10, 0.0, 0.3084971),
        (10, 10, 0.6915029, 1.0),
        (1, 2, 0.0125791, 0.9874209),
        (5, 10, 0.1870860, 0.8129140),
        (81, 263, 0.2527367, 0.3676219),
    ],
)
def test_intervals_are_those_of_clopper_and_pearson(hits: int, trials: int, low: float, high: float) -> None:
    """The bounds are known to seven digits."""
    assert interval(hits, trials) == pytest.approx((low, high), abs=1e-6)


@given(COUNTS)
def test_a_bound_is_where_so_few_become_unlikely(counts: tuple[int, int]) -> None:
    """At the upper bound so few errors have a probability of one in twenty, summed term by term."""
    errors, trials = counts
    rate = upper_bound(errors, trials, 0.95)
    if errors == trials:
        assert rate == 1.0
        return
    terms = (math.comb(trials, n) * rate**n * (1 - rate) ** (trials - n) for n in range(errors + 1))
    assert sum(terms) == pytest.approx(0.05, abs=1e-9)


def test_many_trials_are_no_trouble() -> None:
    """A hundred thousand are counted as exactly as ten."""
    low, high = interval(99_000, 100_000)
    assert (low, high) == pytest.approx((0.9893639, 0.9906074), abs=1e-6)
