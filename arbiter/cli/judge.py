"""``arbiter judge``: train, measure and calibrate the local judge; training needs the ``build`` extra."""

from __future__ import annotations

from pathlib import Path

import click

from arbiter.cli.judge_options import (
    BUDGET,
    CONFIDENCE,
    DIRECTORY,
    FILE,
    JSON,
    MODEL,
    need_extra,
    print_measures,
)
from arbiter.cli.judge_training import teach, train


@click.group("judge")
def command() -> None:
    """Train, measure and calibrate the local judge."""


command.add_command(train)
command.add_command(teach)


@command.command("evaluate")
@click.argument("pairs", nargs=-1, required=True, type=FILE)
@MODEL
@JSON
def evaluate(*, pairs: tuple[Path, ...], model: Path | None, as_json: bool) -> None:
    """Measure a judge on labelled PAIRS."""
    need_extra()
    from arbiter.judges.local import PACKAGED, LocalJudge
    from arbiter.training.measure import answers, measure
    from arbiter.training.read_pairs import read_examples

    examples = [example for path in pairs for example in read_examples(path)]
    if not examples:
        raise click.UsageError("there is no labelled pair in these files")
    found = answers(LocalJudge(model or PACKAGED, threads=1), examples)
    print_measures(measure(found, unjudged=len(examples) - len(found)), None, as_json=as_json)


@command.command("calibrate")
@click.argument("pairs", nargs=-1, required=True, type=FILE)
@click.option(
    "--model", required=True, type=DIRECTORY, help="Where the judge lies; its judge.json is changed."
)
@BUDGET
@CONFIDENCE
@JSON
def calibrate(
    *, pairs: tuple[Path, ...], model: Path, budget: float, confidence: float, as_json: bool
) -> None:
    """Set a judge's temperature and thresholds by PAIRS that had no part in its training."""
    need_extra()
    from arbiter.training.make import calibrate as set_by
    from arbiter.training.read_pairs import read_examples

    examples = [example for path in pairs for example in read_examples(path)]
    measures, operating = set_by(model, examples, budget=budget, confidence=confidence)
    print_measures(measures, operating, as_json=as_json)
