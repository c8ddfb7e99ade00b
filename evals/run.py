"""``python -m evals run``: put suites before judges, and keep what comes of it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arbiter.errors import ConfigurationError
from evals.suite_files import SUITES

if TYPE_CHECKING:
    from evals.report.files import Kind

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
_FOLDER = click.Path(file_okay=False, path_type=Path)


@click.command("run")
@click.option(
    "--suite", "suites", multiple=True, type=click.Choice(list(SUITES)), help="A suite; repeatable."
)
@click.option("--path", "paths", multiple=True, type=_FILE, help="A file of labelled pairs; repeatable.")
@click.option("--judge", "judges", multiple=True, help="A judge or a baseline, by name; repeatable.")
@click.option(
    "--distractors",
    default=0,
    show_default=True,
    type=click.IntRange(0, 100_000),
    help="Facts that are in the store before, for the suite retrieval.",
)
@click.option("--live", is_flag=True, help="Let judges ask the language model that the settings name.")
@click.option("--out", type=_FOLDER, help="Write a result file for each suite and judge below this folder.")
def command(
    *,
    suites: tuple[str, ...],
    paths: tuple[Path, ...],
    judges: tuple[str, ...],
    distractors: int,
    live: bool,
    out: Path | None,
) -> None:
    """Measure judges on suites.

    No language model is asked without --live; recordings answer in its place.
    """
    from arbiter.settings import Settings
    from evals.judges import policy_for, reaches_out
    from evals.measure import measure
    from evals.report.files import result_path, write_result
    from evals.report.provenance import provenance

    if not suites and not paths:
        raise click.UsageError("name a suite or a path")
    if not judges and (paths or set(suites) != {"retrieval"}):
        raise click.UsageError("name a judge")
    settings = Settings()
    asking = [name for name in judges if reaches_out(name, settings)]
    if asking and not live:
        raise ConfigurationError(f"{', '.join(asking)}: would ask a language model; allow it with --live")
    chosen: list[str | Path] = [*suites, *paths]
    for suite in chosen:
        for found in measure(suite, judges, settings, distractors=distractors):
            click.echo(told(found.kind, found.payload))
            if out is not None:
                path = result_path(out, found.payload["suite"], found.payload["judge"])
                origin = provenance(suite, found.judge, policy_for(settings))
                write_result(path, found.kind, found.payload, origin)


def told(kind: Kind, payload: Mapping[str, Any]) -> str:
    """Say in a line what came of a judge on a suite."""
    what = f"{payload['suite']}, {payload['judge']}: "
    if kind == "retrieval":
        return what + _retrieval(payload["score"])
    return what + (_streams(payload) if kind == "streams" else _pairs(payload["score"]))


def _pairs(score: Mapping[str, Any]) -> str:
    decisions = score["decisions"]
    return (
        f"accuracy {_share(score['accuracy'])} of {score['judged']} judged pairs ({score['pairs']} in all), "
        f"macro-F1 {_share(score['macro_f1'])}; {decisions['removed']} removals, "
        f"{decisions['wrongly_removed']} wrong; {decisions['missed']} of {decisions['conflicts']} conflicts "
        f"missed; {decisions['asked']} left to people"
    )


def _streams(payload: Mapping[str, Any]) -> str:
    main = payload["orders"][0]
    questions = main["questions"]
    return (
        f"{main['right']} of {main['records']} records end right ({main['right'] / main['records']:.3f}), "
        f"{main['wrongly_removed']} wrongly removed, {main['missed']} conflicts missed, {main['held']} held; "
        f"people are asked {questions['found']} of {questions['wanted']} wanted questions and "
        f"{questions['other']} others; {payload['score']['steady']:.3f} end alike in every order"
    )


def _retrieval(score: Mapping[str, Any]) -> str:
    return (
        f"{score['completeness']:.3f} of {score['wanted']} pairs come before the judges "
        f"({score['retrieved']:.3f} are candidates), {score['judged_per_fact']:.2f} judged and "
        f"{score['candidates_per_fact']:.1f} retrieved a fact"
    )


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"
