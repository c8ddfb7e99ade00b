"""Bootstrap intervals over groups."""

from __future__ import annotations

import pytest

from arbiter.domain.binomial import interval
from evals.score.intervals import Bootstrap

HALF = [True, False] * 100


def test_independent_cases_give_what_the_binomial_gives() -> None:
    """With a group for each case the interval is that of 200 independent trials."""
    found = Bootstrap([str(n) for n in range(200)]).share(HALF)
    assert found == pytest.approx(interval(100, 200), abs=0.01)


def test_cases_that_belong_together_are_drawn_together() -> None:
    """Ten groups of twenty that are right or wrong as one are ten trials, not two hundred."""
    groups = [str(n // 20) for n in range(200)]
    right = [n // 20 < 5 for n in range(200)]
    assert Bootstrap(groups).share(right) == pytest.approx((0.2, 0.8), abs=0.01)


def test_a_seed_gives_the_same_interval() -> None:
    """And another seed another one, close by."""
    groups = [str(n) for n in range(200)]
    first, again, other = (Bootstrap(groups, seed).mean(range(200)) for seed in (1, 1, 2))
    assert first == again != other
    assert other == pytest.approx(first, abs=1.5)


def test_only_the_cases_looked_at_count() -> None:
    """The share is of them, and what lies outside adds nothing to it."""
    groups = [str(n) for n in range(400)]
    looked_at = [True] * 200 + [False] * 200
    found = Bootstrap(groups).share([*HALF, *[True] * 200], looked_at)
    assert found == pytest.approx(interval(100, 200), abs=0.02)
    assert Bootstrap(groups).share([True] * 400, [False] * 400) is None


def test_where_all_are_alike_the_interval_is_the_exact_one_of_the_groups() -> None:
    """Twelve right cases in three groups are three trials without an error."""
    draws = Bootstrap([str(n % 3) for n in range(12)])
    assert draws.share([True] * 12) == interval(3, 3)
    assert draws.share([False] * 12) == interval(0, 3)


def test_of_one_group_nothing_can_be_drawn() -> None:
    """Its cases may be right or wrong for one common reason."""
    assert Bootstrap(["one"] * 4).share([True, True, False, True]) is None
    assert Bootstrap(["one"] * 4).share([True] * 4) == interval(1, 1)
