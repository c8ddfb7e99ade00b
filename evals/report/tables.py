"""Results as tables of words: what the pages, the README and the terminal show alike."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evals.report.files import Result, names
from evals.score.labels import LABELS

NOTHING = "–"
"""Stands where there is nothing to score."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table: the heads of its columns, and rows of as many cells."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def markdown(self) -> str:
        """Return it in Markdown."""
        lines = [self.header, tuple("---" for _ in self.header), *self.rows]
        return "\n".join(
            "| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines
        )


def pair_table(results: Sequence[Result]) -> Table:
    """Return a row for each judge on labelled pairs."""
    called = names(results)
    header = (
        "judge",
        "judged",
        "label accuracy",
        "macro-F1",
        "right actions",
        "wrong removals",
        "missed conflicts",
        "coverage",
        "calls",
    )
    return Table(header, tuple(_pair_row(result, called) for result in results))


def _pair_row(result: Result, called: Mapping[Path, str]) -> tuple[str, ...]:
    score = result.payload["score"]
    done, bounds = score["decisions"], score["intervals"]
    return (
        called[result.path],
        f"{score['judged']:,} of {score['pairs']:,}",
        with_interval(score["accuracy"], bounds["accuracy"]),
        share(score["macro_f1"]),
        with_interval(done["acted_rightly"] / done["pairs"], bounds["acted_rightly"]),
        count_of(done["wrongly_removed"], done["pairs"]),
        _missed(done),
        percent(done["coverage"]),
        calls(score["cost"]),
    )


def _missed(done: Mapping[str, Any]) -> str:
    """Write how many of the judged conflicts were missed."""
    judged = done["conflicts"] - done["unjudged_conflicts"]
    return f"{done['missed']:,} of {judged:,}, {done['unnoticed']:,} unnoticed" if judged else NOTHING


def confidence_table(results: Sequence[Result]) -> Table:
    """Return a row for each judge: how far its confidence tells right from wrong."""
    called = names(results)
    header = ("judge", "calibration error", "risk-coverage area", "surest 50 %", "surest 60 %", "surest 80 %")
    return Table(header, tuple(_confidence_row(result, called) for result in results))


def _confidence_row(result: Result, called: Mapping[Path, str]) -> tuple[str, ...]:
    score = result.payload["score"]
    return (
        called[result.path],
        share(score["calibration"]["error"]),
        share(score["risk_coverage_area"]),
        *(share(value) for value in score["surest"].values()),
    )


def work_table(results: Sequence[Result]) -> Table:
    """Return a row for each judge: what is left to people, who settled how much, and what it cost."""
    called = names(results)
    header = (
        "judge",
        "left to people",
        "rightly",
        "right side of updates",
        "settled by",
        "tokens",
        "seconds",
    )
    return Table(header, tuple(_work_row(result, called) for result in results))


def _work_row(result: Result, called: Mapping[Path, str]) -> tuple[str, ...]:
    score = result.payload["score"]
    done, cost = score["decisions"], score["cost"]
    return (
        called[result.path],
        f"{done['asked']:,}",
        f"{done['rightly_asked']:,} of {done['to_ask']:,}",
        f"{done['right_side']:,} of {done['updates']:,}",
        _settled(cost["settled"], score["unjudged"]),
        f"{cost['prompt_tokens'] + cost['completion_tokens']:,}",
        f"{cost['seconds']:.1f}",
    )


def label_table(result: Result) -> Table:
    """Return a row for each relation that the suite has: precision, recall and F1 of a judge."""
    labels: Mapping[str, Mapping[str, Any]] = result.payload["score"]["labels"]
    rows = tuple(
        (
            label,
            f"{told['support']:,}",
            f"{told['unjudged']:,}",
            share(told["precision"]),
            share(told["recall"]),
            share(told["f1"]),
        )
        for label, told in labels.items()
        if told["support"] or told["unjudged"]
    )
    return Table(("relation", "judged", "not judged", "precision", "recall", "F1"), rows)


def confusion_table(result: Result) -> Table:
    """Return what a judge called the pairs of each relation that the suite has."""
    score = result.payload["score"]
    rows = tuple(
        (
            truth,
            *(f"{score['confusion'][truth][label]:,}" for label in LABELS),
            f"{told['unjudged']:,}",
        )
        for truth, told in score["labels"].items()
        if told["support"] or told["unjudged"]
    )
    return Table(("is ↓ called →", *LABELS, "not judged"), rows)


def stream_table(results: Sequence[Result]) -> Table:
    """Return a row for each judge: where the records of streams ended in the main order of arrival."""
    called = names(results)
    header = (
        "judge",
        "state right",
        "right, and marked",
        "wrong removals",
        "missed conflicts",
        "unmerged",
        "held",
        "questions found",
        "other questions",
        "steady",
        "calls",
    )
    return Table(header, tuple(_stream_row(result, called) for result in results))


def _stream_row(result: Result, called: Mapping[Path, str]) -> tuple[str, ...]:
    score, main = result.payload["score"], result.payload["orders"][0]
    asked = main["questions"]
    several = len(result.payload["orders"]) > 1
    return (
        called[result.path],
        with_interval(score["right"] / score["records"], score["right_interval"]),
        share(main["right_and_marked"] / score["records"]),
        count_of(score["wrongly_removed"], score["records"]),
        f"{main['missed']:,}",
        f"{main['unmerged']:,}",
        f"{main['held']:,}",
        f"{asked['found']:,} of {asked['wanted']:,}",
        f"{asked['other']:,}",
        share(score["steady"]) if several else NOTHING,
        calls(main["cost"]),
    )


def order_table(result: Result) -> Table:
    """Return a row for each order of arrival of a judge's streams."""
    rows = tuple(
        (
            order["order"],
            share(order["right"] / order["records"]),
            count_of(order["wrongly_removed"], order["records"]),
            f"{order['missed']:,}",
            f"{order['held']:,}",
            _settled(order["settled"], order["unjudged"]),
        )
        for order in result.payload["orders"]
    )
    return Table(("order of arrival", "state right", "wrong removals", "missed", "held", "settled by"), rows)


def retrieval_table(results: Sequence[Result]) -> Table:
    """Return a row for each number of distractors: are the pairs that matter among the candidates?"""
    rows = []
    for result in sorted(results, key=lambda r: int(r.payload["score"]["distractors"])):
        score = result.payload["score"]
        rows.append(
            (
                f"{score['distractors']:,}",
                f"{score['wanted']:,}",
                share(score["completeness"]),
                *(share(value) for value in score["by_relation"].values()),
                share(score["retrieved"]),
                f"{score['candidates_per_fact']:.1f}",
                f"{score['judged_per_fact']:.1f}",
            )
        )
    header = ("distractors", "pairs", "judged", "duplicates", "updates", "contradictions", "retrieved")
    return Table((*header, "candidates a fact", "judged a fact"), tuple(rows))


def share(value: float | None) -> str:
    """Write a share."""
    return NOTHING if value is None else f"{value:.3f}"


def percent(value: float) -> str:
    """Write a share in percent."""
    return f"{100 * value:.0f} %"


def with_interval(value: float | None, bounds: Iterable[float] | None) -> str:
    """Write a share with its 95 % interval."""
    if value is None or bounds is None:
        return share(value)
    low, high = bounds
    return f"{value:.3f} [{low:.3f}, {high:.3f}]"


def count_of(part: int, whole: int) -> str:
    """Write a count with its share of the whole."""
    return f"{part:,} ({100 * part / whole:.1f} %)"


def _settled(judges: Mapping[str, int], unjudged: Mapping[str, int]) -> str:
    """Write how many pairs each judge settled, and why others are open."""
    told = [f"{name} {count:,}" for name, count in judges.items()]
    told += [f"nobody ({code.replace('_', ' ')}) {count:,}" for code, count in unjudged.items()]
    return ", ".join(told) or NOTHING


def calls(cost: Mapping[str, Any]) -> str:
    """Write how often a language model was called, with the money where there was any."""
    paid = f", ${cost['usd']:.2f}" if cost["usd"] else ""
    return f"{cost['llm_calls']:,}{paid}"
