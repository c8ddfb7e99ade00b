"""Bootstrap intervals over groups: cases that belong together are drawn together.

The percentile bootstrap (Efron and Tibshirani, "An Introduction to the Bootstrap", 1993), with groups as the
unit of drawing (Davison and Hinkley, "Bootstrap Methods and their Application", 1997, section 3.8).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arbiter.domain.binomial import interval as exact_interval

Array: TypeAlias = NDArray[np.float64]
Interval: TypeAlias = tuple[float, float]

SEED = 20_260
DRAWS = 2_000
CONFIDENCE = 0.95


@dataclass(frozen=True)
class Bootstrap:
    """The same draws for every figure of a run.

    Args:
        groups: the group of each case.
        seed: seed of the draws.
        draws: how many samples are drawn.
    """

    groups: Sequence[str]
    seed: int = SEED
    draws: int = DRAWS

    @cached_property
    def weights(self) -> Array:
        """How often each case was drawn, shape (draws, cases)."""
        names = {name: place for place, name in enumerate(dict.fromkeys(self.groups))}
        random = np.random.default_rng(self.seed)
        drawn = random.multinomial(len(names), np.full(len(names), 1 / len(names)), size=self.draws)
        return drawn[:, [names[group] for group in self.groups]].astype(np.float64)

    def share(self, part: Sequence[bool], whole: Sequence[bool] | None = None) -> Interval | None:
        """Return the interval of the share of ``part`` in ``whole``, by default all cases.

        Where all or none of the cases count, every draw is alike and would feign certainty: then the exact
        interval is given, with the groups as trials. Of one group nothing can be drawn.

        Args:
            part: does the case count? Only those of ``whole`` are looked at.
            whole: is the case looked at?

        Returns:
            The 95 % interval; None if no case is looked at, or there is one group of unlike cases.
        """
        looked_at = np.ones(len(self.groups), dtype=bool) if whole is None else np.asarray(whole, dtype=bool)
        counted = np.asarray(part, dtype=bool) & looked_at
        if not looked_at.any():
            return None
        if counted.sum() in {0, looked_at.sum()}:
            trials = len({group for group, seen in zip(self.groups, looked_at, strict=True) if seen})
            return exact_interval(trials if counted.any() else 0, trials, CONFIDENCE)
        if len(set(self.groups)) == 1:
            return None
        drawn = self.weights @ looked_at
        seen = drawn > 0
        return percentiles((self.weights @ counted)[seen] / drawn[seen])

    def mean(self, values: ArrayLike) -> Interval:
        """Return the interval of the mean of one number a case."""
        return percentiles(self.weights @ np.asarray(values, dtype=np.float64) / self.weights.sum(axis=1))


def percentiles(drawn: Array) -> Interval:
    """Return the middle 95 % of what was drawn."""
    outside = (1 - CONFIDENCE) / 2
    low, high = np.quantile(drawn, [outside, 1 - outside])
    return float(low), float(high)
