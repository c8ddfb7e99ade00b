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
    print_calibrated,
    print_measures,
    read_labelled,
)
from arbiter.cli.judge_training import teach, train
from arbiter.errors import ConfigurationError


@click.group("judge")
def command() -> None:
    """Train, measure and calibrate the local judge.

    `train` and `teach` need the extra `build`: `pip install 'arbiter[build]'`.
    """


command.add_command(train)
command.add_command(teach)


@command.command("evaluate")
@click.argument("pairs", nargs=-1, required=True, type=FILE)
@MODEL
@JSON
def evaluate(*, pairs: tuple[Path, ...], model: Path | None, as_json: bool) -> None:
    """Measure a judge on labelled PAIRS.

    PAIRS are what `arbiter judge train` reads.
    """
    from arbiter.judges.local import PACKAGED, LocalJudge
    from arbiter.training.measure import answers, measure

    examples = read_labelled(pairs)
    found = answers(LocalJudge(model or PACKAGED, threads=1), examples)
    if not found:
        raise ConfigurationError(f"the judge could tell of none of {len(examples)} pairs")
    print_measures(measure(found, unjudged=len(examples) - len(found)), as_json=as_json)


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
    """Set a judge's temperature and thresholds by PAIRS that had no part in its training.

    PAIRS are what `arbiter judge train` reads. Where they are too few to show the budget, whatever the judge
    says of them, it stays as it is.
    """
    from arbiter.training.calibrate import recalibrate

    found = recalibrate(model, read_labelled(pairs), budget=budget, confidence=confidence)
    print_calibrated(found, as_json=as_json)
