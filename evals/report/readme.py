"""What the README shows of the committed results; cog puts the tables there.

The plots are files beside the results: ``python -m evals report --readme`` draws them anew. Each says which
results it shows, so that a test can tell when one is behind.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path

from evals.report import plots, tables
from evals.report.files import RESULTS, Result, read_result, result_path
from evals.report.judge_names import called, rank
from evals.report.payloads import answered_pairs
from evals.score.coverage import score_coverage

LOCAL_SUITE = "gold_dev"


def results_of(suite: str, folder: Path = RESULTS) -> list[Result]:
    """Return the results on one suite, in the order of pages."""
    found = [read_result(path) for path in (folder / suite).glob("*.json")]
    return sorted(found, key=lambda result: rank(result.judge))


def pairs_table(suite: str, folder: Path = RESULTS) -> str:
    """Return the judges on a suite of pairs, or on the field cases."""
    return tables.pair_table(results_of(suite, folder)).markdown()


def streams_table(suite: str, folder: Path = RESULTS) -> str:
    """Return where the records of streams ended around each judge."""
    return tables.stream_table(results_of(suite, folder)).markdown()


def retrieval_table(suite: str = "retrieval", folder: Path = RESULTS) -> str:
    """Return how complete the candidates are, by the number of other facts in the store."""
    return tables.retrieval_table(results_of(suite, folder)).markdown()


def label_table(suite: str, judge: str, folder: Path = RESULTS) -> str:
    """Return precision, recall and F1 of a judge on each relation of a suite."""
    return tables.label_table(read_result(result_path(folder, suite, judge))).markdown()


def confusion_table(suite: str, judge: str, folder: Path = RESULTS) -> str:
    """Return what a judge called the pairs of each relation of a suite."""
    return tables.confusion_table(read_result(result_path(folder, suite, judge))).markdown()


def confidence_table(suite: str, folder: Path = RESULTS) -> str:
    """Return how well confidence tells right from wrong, for the judges on a suite that grade theirs."""
    graded = [result for result in results_of(suite, folder) if plots.is_graded(result)]
    return tables.confidence_table(graded).markdown()


def plot_path(folder: Path = RESULTS) -> Path:
    """Return where the README's plot lies."""
    return folder / f"risk-coverage-{LOCAL_SUITE}.svg"


def draw(folder: Path = RESULTS) -> list[Path]:
    """Draw the README's plots anew, and return where they lie."""
    named = named_results(folder)
    path = plot_path(folder)
    path.write_text(plots.risk_coverage(named, digest=plot_digest(named)), encoding="utf-8")
    return [path]


def named_results(folder: Path = RESULTS) -> dict[str, Result]:
    """Return what the plot shows, by the names that stand in it."""
    return {called(result.judge): result for result in results_of(LOCAL_SUITE, folder)}


def plot_digest(named: Mapping[str, Result]) -> str:
    """Return what a plot says of the results that it shows: a digest of its names and curves."""
    curves = {name: score_coverage(answered_pairs(result).items).curve for name, result in named.items()}
    return hashlib.sha256(json.dumps(curves).encode()).hexdigest()
