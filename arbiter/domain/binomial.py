"""Exact intervals of a rate that was counted, by Clopper and Pearson (1934)."""

from __future__ import annotations

import math

_BISECTIONS = 60
_TERMS = 10_000
_EXACT = 1e-15
_TINY = 1e-300


def interval(hits: int, trials: int, confidence: float = 0.95) -> tuple[float, float]:
    """Return the exact two-sided interval of a rate.

    Args:
        hits: how often it happened.
        trials: how often it was tried, at least once.
        confidence: probability with which the interval holds the rate, such as 0.95.
    """
    each = 1 - (1 - confidence) / 2
    return 1 - upper_bound(trials - hits, trials, each), upper_bound(hits, trials, each)


def upper_bound(errors: int, trials: int, confidence: float) -> float:
    """Return the exact one-sided upper bound of an error rate.

    Args:
        errors: how many trials went wrong.
        trials: how many there were, at least one.
        confidence: probability with which the bound holds, such as 0.95.
    """
    if errors >= trials:
        return 1.0
    low, high = errors / trials, 1.0
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        low, high = (middle, high) if at_most(errors, trials, middle) > 1 - confidence else (low, middle)
    return high


def at_most(errors: int, trials: int, rate: float) -> float:
    """Return the probability of at most so many errors, by the binomial distribution."""
    if errors >= trials or rate <= 0.0:
        return 1.0
    if rate >= 1.0:
        return 0.0
    return _incomplete_beta(trials - errors, errors + 1, 1 - rate)


def _incomplete_beta(a: int, b: int, x: float) -> float:
    """Return the regularised incomplete beta function, for which a binomial tail is another name."""
    if x > (a + 1) / (a + b + 2):
        # The fraction converges quickly on the other side only.
        return 1 - _incomplete_beta(b, a, 1 - x)
    front = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    return math.exp(front) / a / _fraction(a, b, x)


def _fraction(a: int, b: int, x: float) -> float:
    """Evaluate the continued fraction of the incomplete beta function, by the method of Lentz."""
    value = above = 1.0
    below = 0.0
    for term in range(1, _TERMS):
        m = term // 2
        if term % 2:
            share = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        else:
            share = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        below = 1 / ((1 + share * below) or _TINY)
        above = (1 + share / above) or _TINY
        value *= above * below
        if abs(above * below - 1) < _EXACT:
            break
    return value
