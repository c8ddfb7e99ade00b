"""What a report says, in order, before it is a page: a section for each suite."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from arbiter.errors import ConfigurationError
from evals.report import plots, tables
from evals.report.comparison import difference_table, differences
from evals.report.files import Kind, Result, names
from evals.report.tables import Table

PAIRS_NOTE = (
    "Accuracy and macro-F1 are of the judged pairs, all else is of all pairs: what no judge could tell is "
    "held. Wrong removals take a fact out of reading that should have stayed, or should have waited for a "
    "person. Missed conflicts are updates and contradictions taken for something else, of the judged ones; "
    "of the unnoticed nobody was asked. Coverage is the share decided without a person. Brackets are 95 % "
    "intervals, drawn over groups of pairs that belong together."
)
CONFIDENCE_NOTE = (
    "Of judges that grade their confidence. Calibration error: the mean distance of confidence and accuracy "
    "over ten equal parts. Risk-coverage area: the mean risk over all coverages. Surest: the accuracy on "
    "that share of all pairs."
)
STREAMS_NOTE = (
    "State right: the share of records that end active, superseded or tombstoned as their authors expect, in "
    "the order in which they tell them; marked: contested exactly if they should be. Steady: the share that "
    "ends alike in every order of arrival. Brackets are 95 % intervals, drawn over streams."
)
RETRIEVAL_NOTE = (
    "Of the duplicates, updates and contradictions among the records: the share that comes before the "
    "judges, and the share that is a candidate at least, in a store that holds so many other facts."
)
COMPARISON_NOTE = (
    "Case by case, in percentage points; labels where both judged. It could be chance unless the 95 % "
    "interval, drawn over groups, and the exact test of McNemar both speak against it. Results on another "
    "version of the suite are left out."
)
PROVENANCE_NOTE = "A + after a commit: the code was changed since."

_WORDS = re.compile(r"\W+")


@dataclass(frozen=True, slots=True)
class Plot:
    """One plot: the name of its file without an ending, what it shows in words, and its SVG."""

    name: str
    alt: str
    svg: str


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a section: sentences, then tables, then plots."""

    title: str
    sentences: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()
    plots: tuple[Plot, ...] = ()


@dataclass(frozen=True, slots=True)
class Section:
    """What is to say about one suite."""

    title: str
    parts: tuple[Part, ...]


def sections(suites: Sequence[Sequence[Result]], against: str) -> list[Section]:
    """Return a section for each suite, then one about where the results come from.

    Args:
        suites: what was measured, by suite.
        against: the judge that all others of a suite are compared with; where it lacks, the first is.

    Raises:
        ConfigurationError: a result is not as it was written.
    """
    told = [Section(results[0].suite, _PARTS[results[0].kind](results, against)) for results in suites]
    everything = [result for results in suites for result in results]
    return [*told, Section("Where the results come from", (_provenance(everything),))]


def _pairs(results: Sequence[Result], against: str) -> tuple[Part, ...]:
    called = names(results)
    named = {called[result.path]: result for result in results}
    suite = results[0].suite
    graded = {name: result for name, result in named.items() if plots.is_graded(result)}
    cost = Plot(f"{suite}-cost", f"Cost against accuracy on {suite}", plots.cost_accuracy(named))
    return (
        Part("Judges", (PAIRS_NOTE,), (tables.pair_table(results),)),
        Part("People and cost", (), (tables.work_table(results),), (cost,)),
        *_confidence(suite, named, graded),
        *_comparison(results, against),
        *(_of_judge(name, result) for name, result in graded.items()),
    )


def _confidence(suite: str, named: Mapping[str, Result], graded: Mapping[str, Result]) -> list[Part]:
    """Return what there is to say of judges that grade their confidence; nothing where none does."""
    if not graded:
        return []
    risk = f"Risk by coverage on {suite}: the share that is wrong among the surest pairs"
    sure = f"Reliability on {suite}: the share that is right by confidence"
    drawn = (
        Plot(f"{suite}-risk-coverage", risk, plots.risk_coverage(named)),
        Plot(f"{suite}-reliability", sure, plots.reliability(graded)),
    )
    table = tables.confidence_table(list(graded.values()))
    return [Part("Confidence", (CONFIDENCE_NOTE,), (table,), drawn)]


def _of_judge(name: str, result: Result) -> Part:
    alt = f"What {name} called the pairs of {result.suite}"
    return Part(
        f"{name}, by relation",
        (),
        (tables.label_table(result), tables.confusion_table(result)),
        (Plot(f"{result.suite}-confusion-{_WORDS.sub('-', name)}", alt, plots.confusion(result)),),
    )


def _streams(results: Sequence[Result], against: str) -> tuple[Part, ...]:
    called = names(results)
    return (
        Part("Judges", (STREAMS_NOTE,), (tables.stream_table(results),)),
        *_comparison(results, against),
        *(Part(f"{called[r.path]}, by order of arrival", (), (tables.order_table(r),)) for r in results),
    )


def _retrieval(results: Sequence[Result], _: str) -> tuple[Part, ...]:
    return (Part("Candidates", (RETRIEVAL_NOTE,), (tables.retrieval_table(results),)),)


def _comparison(results: Sequence[Result], against: str) -> list[Part]:
    """Return what tells all others from one; nothing where there is only one."""
    found = differences(results, against)
    if not found:
        return []
    return [Part(f"Against {found[0].first}", (COMPARISON_NOTE,), (difference_table(found),))]


def _provenance(results: Iterable[Result]) -> Part:
    header = (
        "suite",
        "judge",
        "commit",
        "judge in full",
        "suite digest",
        "policy",
        "seed",
        "versions",
        "machine",
    )
    return Part(PROVENANCE_NOTE, (), (Table(header, tuple(_origin(result) for result in results)),))


def _origin(result: Result) -> tuple[str, ...]:
    told: Mapping[str, Any] = result.provenance
    try:
        commit = (told["commit"] or "no checkout")[:12] + ("+" if told["dirty"] else "")
        versions = ", ".join(f"{name} {version}" for name, version in told["versions"].items())
        return (
            result.suite,
            result.judge,
            commit,
            told["judge"],
            told["suite"][:12],
            told["policy"],
            str(told["seed"]),
            versions,
            told["machine"],
        )
    except (AttributeError, KeyError, TypeError) as error:
        raise ConfigurationError(f"{result.path} does not say where it comes from: {error!r}") from error


_PARTS: Mapping[Kind, Callable[[Sequence[Result], str], tuple[Part, ...]]] = {
    "pairs": _pairs,
    "field_cases": _pairs,
    "streams": _streams,
    "retrieval": _retrieval,
}
