"""The runs of one suite held against one of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evals.report.files import Result, names
from evals.report.payloads import answered_pairs, stream_ends
from evals.report.tables import Table
from evals.score.compare import Difference, compare
from evals.score.streams import compare_ends


@dataclass(frozen=True, slots=True)
class Named:
    """One measure of two runs, with what the runs are called."""

    first: str
    second: str
    difference: Difference

    def sentence(self) -> str:
        """Say it in words."""
        return self.difference.sentence(self.first, self.second)


def reference(results: Sequence[Result], against: str) -> Result:
    """Return the result that the others of its suite are held against: that judge's, else the first."""
    return next((result for result in results if result.judge == against), results[0])


def differences(results: Sequence[Result], against: str) -> list[Named]:
    """Return what tells the other results of a suite from one of them.

    Results on another version of the suite are left out, as are suites that no judge is asked about.

    Raises:
        ConfigurationError: a result is not as it was written.
    """
    if results[0].kind == "retrieval":
        return []
    first, called = reference(results, against), names(results)
    return [
        Named(called[first.path], called[other.path], difference)
        for other in results
        if other is not first and other.provenance["suite"] == first.provenance["suite"]
        for difference in _compared(first, other)
    ]


def difference_table(found: Sequence[Named]) -> Table:
    """Return a row for each difference."""
    header = ("judge", "measure", "points [95 %]", "cases", "left out", "only it", "only the other", "p", "")
    return Table(header, tuple(_row(named) for named in found))


def _row(named: Named) -> tuple[str, ...]:
    found = named.difference
    return (
        named.second,
        found.measure,
        found.points(),
        f"{found.cases:,}",
        f"{found.left_out:,}",
        f"{found.only_second:,}",
        f"{found.only_first:,}",
        f"{found.p:.2g}",
        "" if found.significant else "could be chance",
    )


def _compared(first: Result, other: Result) -> tuple[Difference, ...]:
    if first.kind == "streams":
        return compare_ends(stream_ends(first), stream_ends(other))
    return compare(answered_pairs(first).items, answered_pairs(other).items)
