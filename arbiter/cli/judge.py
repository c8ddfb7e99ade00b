"""``arbiter judge``: train, measure and calibrate the local judge; training needs the ``build`` extra."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arbiter.cli.render import print_json, print_table
from arbiter.errors import MissingExtraError

if TYPE_CHECKING:
    from arbiter.training.calibration import Operating
    from arbiter.training.measure import Measures

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
_DIRECTORY = click.Path(file_okay=False, path_type=Path)
_JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
_MODEL = click.option(
    "--model", type=_DIRECTORY, help="Where the judge lies; by default the one of the package."
)
_BUDGET = click.option(
    "--budget",
    default=0.01,
    show_default=True,
    type=click.FloatRange(0, 1, min_open=True),
    help="Largest share of judged pairs in which a fact may wrongly be taken out of reading.",
)
_CONFIDENCE = click.option(
    "--confidence",
    default=0.95,
    show_default=True,
    type=click.FloatRange(0.5, 1, max_open=True),
    help="Probability with which the budget shall hold.",
)


@click.group("judge")
def command() -> None:
    """Train, measure and calibrate the local judge."""


@command.command("train")
@click.argument("pairs", nargs=-1, required=True, type=_FILE)
@click.option("--out", required=True, type=_DIRECTORY, help="Where the judge and its checkpoints go.")
@click.option(
    "--base", type=_DIRECTORY, help="A judge or a BERT to start from; by default the packaged judge."
)
@click.option(
    "--inference", multiple=True, type=_FILE, help="Gzip file of a first, general stage; repeatable."
)
@click.option(
    "--relations", multiple=True, type=_FILE, help="File of pairs in vault_bench's form; repeatable."
)
@click.option(
    "--held-out", "more", multiple=True, type=_FILE, help="File that must not be trained on; repeatable."
)
@click.option("--epochs", default=4, show_default=True, type=click.IntRange(1))
@click.option(
    "--mixed-epochs",
    default=0,
    show_default=True,
    type=click.IntRange(0),
    help="Epochs of a third stage, which starts warm again with inference mixed into its first half.",
)
@click.option("--rate", default=5e-5, show_default=True, type=click.FloatRange(0, 1), help="Learning rate.")
@click.option(
    "--seed", "seeds", multiple=True, default=(1,), show_default=True, help="Repeat to average runs."
)
@click.option("--share", default=0.15, show_default=True, type=click.FloatRange(0, 1), help="Part held out.")
@click.option("--threads", default=1, show_default=True, type=click.IntRange(1))
@_BUDGET
@_CONFIDENCE
@_JSON
def train(  # noqa: PLR0913 - one for each option
    *,
    pairs: tuple[Path, ...],
    out: Path,
    base: Path | None,
    inference: tuple[Path, ...],
    relations: tuple[Path, ...],
    more: tuple[Path, ...],
    epochs: int,
    mixed_epochs: int,
    rate: float,
    seeds: tuple[int, ...],
    share: float,
    threads: int,
    budget: float,
    confidence: float,
    as_json: bool,
) -> None:
    """Train a judge on PAIRS and calibrate it on a part that is held out.

    PAIRS are JSON Lines of labelled pairs, or review exports with rulings. A run that was stopped goes on
    where it was when it is started again with the same options.
    """
    _need_extra()
    import torch

    from arbiter.judges.local import PACKAGED
    from arbiter.training.held_out import HeldOut, read_held_out
    from arbiter.training.recipe import Recipe, make

    torch.set_num_threads(threads)
    recipe = Recipe(
        pairs=pairs,
        relations=relations,
        inference=inference,
        base=base or PACKAGED,
        share=share,
        seeds=seeds,
        budget=budget,
        confidence=confidence,
    )
    recipe = replace(
        recipe,
        mixed_epochs=mixed_epochs // 2,
        second=replace(recipe.second, epochs=epochs, learning_rate=rate),
        third=replace(recipe.third, epochs=mixed_epochs, learning_rate=rate),
    )
    held_out = HeldOut.packaged()
    for path in more:
        held_out |= read_held_out(path, statements=True)
    measures, operating = make(recipe, out, held_out, lambda line: click.echo(line, err=True))
    _print(measures, operating, as_json=as_json)


@command.command("evaluate")
@click.argument("pairs", nargs=-1, required=True, type=_FILE)
@_MODEL
@_JSON
def evaluate(*, pairs: tuple[Path, ...], model: Path | None, as_json: bool) -> None:
    """Measure a judge on labelled PAIRS."""
    _need_extra()
    from arbiter.judges.local import PACKAGED, LocalJudge
    from arbiter.training.measure import answers, measure
    from arbiter.training.read_pairs import read_examples

    examples = [example for path in pairs for example in read_examples(path)]
    if not examples:
        raise click.UsageError("there is no labelled pair in these files")
    found = answers(LocalJudge(model or PACKAGED, threads=1), examples)
    _print(measure(found, unjudged=len(examples) - len(found)), None, as_json=as_json)


@command.command("calibrate")
@click.argument("pairs", nargs=-1, required=True, type=_FILE)
@click.option(
    "--model", required=True, type=_DIRECTORY, help="Where the judge lies; its judge.json is changed."
)
@_BUDGET
@_CONFIDENCE
@_JSON
def calibrate(
    *, pairs: tuple[Path, ...], model: Path, budget: float, confidence: float, as_json: bool
) -> None:
    """Set a judge's temperature and thresholds by PAIRS that had no part in its training."""
    _need_extra()
    from arbiter.training.read_pairs import read_examples
    from arbiter.training.recipe import calibrate as set_by

    examples = [example for path in pairs for example in read_examples(path)]
    measures, operating = set_by(model, examples, budget=budget, confidence=confidence)
    _print(measures, operating, as_json=as_json)


def _need_extra() -> None:
    try:
        import onnx  # noqa: F401
        import torch  # noqa: F401
        import transformers  # noqa: F401
    except ImportError as error:
        raise MissingExtraError(f"{error.name} is missing; install arbiter[build]") from error


def _print(measures: Measures, operating: Operating | None, *, as_json: bool) -> None:
    found = measures.as_json()
    if as_json:
        print_json(found | ({} if operating is None else {"threshold": operating.threshold}))
        return
    low, high = measures.accuracy_interval
    click.echo(
        f"{measures.pairs} pairs: accuracy {measures.accuracy:.3f} (95 % interval {low:.3f} to {high:.3f})"
    )
    surest = ", ".join(f"{share:.0%}: {accuracy:.3f}" for share, accuracy in measures.surest.items())
    click.echo(f"on the surest {surest}\ncalibration error {measures.calibration_error:.3f}")
    print_table(
        ("Truth", "Recall", "Precision", *found["confusion"]),
        (
            (truth, f"{measures.recall[truth]:.3f}", f"{measures.precision[truth]:.3f}", *row.values())
            for truth, row in found["confusion"].items()
        ),
    )
    if operating is not None:
        click.echo(
            f"acting from {operating.threshold:.3f} on: {operating.acted} pairs, {operating.wrong} wrong, "
            f"with confidence at most {operating.upper:.2%} of all"
        )
