"""Where the records of streams ended, as shares with intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evals.score.compare import Difference, paired
from evals.score.intervals import SEED, Bootstrap, Interval
from evals.stream_score import RecordEnd


@dataclass(frozen=True, slots=True)
class Ends:
    """Records that ended in the right state, and those wrongly taken out of reading, of all ``records``.

    The intervals are of 95 %, drawn over streams, of the shares in [0, 1].
    """

    records: int
    right: int
    right_interval: Interval | None
    wrongly_removed: int
    wrongly_removed_interval: Interval | None


def score_ends(ends: Sequence[RecordEnd], *, seed: int = SEED) -> Ends:
    """Score where records ended."""
    draws = Bootstrap([end.stream for end in ends], seed)
    right = [end.right for end in ends]
    removed = [end.wrongly_removed for end in ends]
    return Ends(len(ends), sum(right), draws.share(right), sum(removed), draws.share(removed))


def compare_ends(
    first: Sequence[RecordEnd], second: Sequence[RecordEnd], *, seed: int = SEED
) -> tuple[Difference, ...]:
    """Compare two runs over the same streams, record by record."""
    theirs = {(end.stream, end.rid): end for end in second}
    pairs = [(end, theirs[end.stream, end.rid]) for end in first if (end.stream, end.rid) in theirs]
    groups = [end.stream for end, _ in pairs]
    left_out = len(first) - len(pairs)
    return (
        paired(
            "right states",
            [end.right for end, _ in pairs],
            [other.right for _, other in pairs],
            groups,
            left_out=left_out,
            seed=seed,
        ),
        paired(
            "wrong removals",
            [end.wrongly_removed for end, _ in pairs],
            [other.wrongly_removed for _, other in pairs],
            groups,
            left_out=left_out,
            seed=seed,
        ),
    )
