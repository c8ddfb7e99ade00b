"""Two runs over the same cases, case by case: how far apart, and could that be chance?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import comb

import numpy as np

from arbiter.errors import ConfigurationError
from evals.score.intervals import SEED, Bootstrap, Interval
from evals.score.items import Item

SIGNIFICANT = 0.05


@dataclass(frozen=True, slots=True)
class Difference:
    """One measure of two runs on the cases that both can be scored on; ``left_out`` are the others.

    ``first`` and ``second`` are shares in [0, 1], ``interval`` is the 95 % one of second minus first, drawn
    over groups. ``only_first`` and ``only_second`` are the cases of which the measure holds in one run only,
    and ``p`` is what the exact test of McNemar (1947) makes of them: the probability of a split at least as
    uneven if neither run were better.
    """

    measure: str
    cases: int
    left_out: int
    first: float
    second: float
    interval: Interval
    only_first: int
    only_second: int
    p: float

    @property
    def significant(self) -> bool:
        """Do interval and test both say that it is not chance?"""
        low, high = self.interval
        return self.p < SIGNIFICANT and (low > 0 or high < 0)

    def points(self, unit: str = "") -> str:
        """Write how many more of a hundred cases it holds of in the second run, with the interval."""
        low, high = (100 * bound for bound in self.interval)
        return f"{100 * (self.second - self.first):+.1f}{unit} [{low:+.1f}, {high:+.1f}]"

    def sentence(self, first: str, second: str) -> str:
        """Say it in words, with the names of the two runs."""
        verdict = "a real difference" if self.significant else "could be chance"
        beside = f", {self.left_out} left out that one of them did not judge" if self.left_out else ""
        return (
            f"{self.measure} of {second} against {first}: {self.points(' points')} on "
            f"{self.cases} cases{beside}; {self.only_second} only {second}, {self.only_first} only {first}, "
            f"p = {self.p:.3g}: {verdict}."
        )


def compare(first: Sequence[Item], second: Sequence[Item], *, seed: int = SEED) -> tuple[Difference, ...]:
    """Compare two runs: relations named rightly (where both judged), right actions and wrong removals.

    Raises:
        ConfigurationError: the runs are not of the same cases.
    """
    theirs = {item.truth.id: item for item in second}
    pairs = [(item, theirs[item.truth.id]) for item in first if item.truth.id in theirs]
    if not len(pairs) == len(first) == len(second):
        raise ConfigurationError("the two runs are not of the same cases")
    judged = [(mine, other) for mine, other in pairs if mine.judged and other.judged]

    def difference(
        measure: str, part: Sequence[tuple[Item, Item]], holds: Callable[[Item], bool]
    ) -> Difference:
        return paired(
            measure,
            [holds(mine) for mine, _ in part],
            [holds(other) for _, other in part],
            [mine.truth.group for mine, _ in part],
            left_out=len(pairs) - len(part),
            seed=seed,
        )

    found = [
        difference("right actions", pairs, lambda item: item.acted_rightly),
        difference("wrong removals", pairs, lambda item: item.wrongly_removed),
    ]
    if judged:
        found.insert(0, difference("label accuracy", judged, lambda item: item.right))
    return tuple(found)


def paired(
    measure: str,
    first: Sequence[bool],
    second: Sequence[bool],
    groups: Sequence[str],
    *,
    left_out: int = 0,
    seed: int = SEED,
) -> Difference:
    """Compare what holds case by case, on at least one case.

    Args:
        measure: what it is called.
        first: does it hold in the first run?
        second: does it hold in the second run?
        groups: the group of each case.
        left_out: cases that could not be compared.
        seed: seed of the interval.
    """
    mine, other = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    only_first, only_second = int((mine > other).sum()), int((other > mine).sum())
    return Difference(
        measure=measure,
        cases=len(first),
        left_out=left_out,
        first=float(mine.mean()),
        second=float(other.mean()),
        # Of one group nothing can be drawn: anything is possible.
        interval=Bootstrap(groups, seed).mean(other - mine) if len(set(groups)) > 1 else (-1.0, 1.0),
        only_first=only_first,
        only_second=only_second,
        p=mcnemar(only_first, only_second),
    )


def mcnemar(only_first: int, only_second: int) -> float:
    """Return the two-sided exact p-value of a split of the cases on which two runs differ."""
    differing = only_first + only_second
    tail = sum(comb(differing, count) for count in range(min(only_first, only_second) + 1))
    return min(1.0, 2 * tail / (1 << differing))
