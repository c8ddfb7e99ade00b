"""``arbiter judge train`` and ``teach``: from labelled pairs to a judge, or to a teacher of one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from arbiter.cli.judge_options import (
    BUDGET,
    CONFIDENCE,
    DIRECTORY,
    FILE,
    JSON,
    need_extra,
    print_calibrated,
)
from arbiter.cli.render import print_json

if TYPE_CHECKING:
    from arbiter.training.held_out import HeldOut
    from arbiter.training.recipe import Recipe

Command = TypeVar("Command", bound=Callable[..., Any])

_OPTIONS = (
    click.argument("pairs", nargs=-1, required=True, type=FILE),
    click.option("--out", required=True, type=DIRECTORY, help="Where it and its checkpoints go."),
    click.option(
        "--inference", multiple=True, type=FILE, help="Gzip file of a first, general stage; repeatable."
    ),
    click.option(
        "--relations", multiple=True, type=FILE, help="File of pairs in vault_bench's form; repeatable."
    ),
    click.option(
        "--held-out", "more", multiple=True, type=FILE, help="File that must not be trained on; repeatable."
    ),
    click.option(
        "--calibration",
        multiple=True,
        type=FILE,
        help="Labelled pairs to calibrate on, and not to train on; repeatable. Without it a share of PAIRS.",
    ),
    click.option(
        "--general-epochs",
        default=1,
        show_default=True,
        type=click.IntRange(0),
        help="Epochs over the inference files in a first stage.",
    ),
    click.option("--epochs", default=4, show_default=True, type=click.IntRange(0), help="Epochs over PAIRS."),
    click.option(
        "--mixed-epochs",
        default=0,
        show_default=True,
        type=click.IntRange(0),
        help="Epochs of a third stage, which starts warm again with inference mixed into its first half.",
    ),
    click.option(
        "--rate", default=5e-5, show_default=True, type=click.FloatRange(0, 1), help="Learning rate."
    ),
    click.option(
        "--share", default=0.15, show_default=True, type=click.FloatRange(0, 1), help="Part held out."
    ),
    click.option("--threads", default=1, show_default=True, type=click.IntRange(1)),
)


def _training(command: Command) -> Command:
    """Add the options that both commands have."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


@click.command("train")
@_training
@click.option(
    "--base", type=DIRECTORY, help="A judge or a BERT to start from; by default the packaged judge."
)
@click.option(
    "--teacher", type=DIRECTORY, help="What `arbiter judge teach` made, to learn from in the third stage."
)
@click.option(
    "--taught-inference",
    default=0,
    show_default=True,
    type=click.IntRange(0),
    help="Inference pairs that the teacher reads, too.",
)
@click.option(
    "--seed", "seeds", multiple=True, default=(1,), show_default=True, help="Repeat to average runs."
)
@BUDGET
@CONFIDENCE
@JSON
def train(
    *,
    base: Path | None,
    teacher: Path | None,
    taught_inference: int,
    seeds: tuple[int, ...],
    budget: float,
    confidence: float,
    as_json: bool,
    **common: Any,  # noqa: ANN401 - the options of both commands
) -> None:
    """Train a judge on PAIRS and calibrate it on a part that is held out.

    PAIRS are JSON Lines of labelled pairs or of streams of records, or review exports with rulings, which
    may be CSV. A run that was stopped goes on where it was when it is started again with the same options; a
    folder that holds another one is refused. Needs the extra `build`: `pip install 'arbiter[build]'`.

    A temperature is fitted where 100 pairs or more are held out, else that of the base is kept. The judge
    acts only from a probability at which the held-out pairs show the budget: 1 % takes 299 of them without
    a mistake. Until then everything that would remove a fact goes to people.
    """
    need_extra()
    from arbiter.judges.local import PACKAGED
    from arbiter.training.make import make

    recipe, held_out = _recipe(common, base or PACKAGED)
    recipe = replace(
        recipe,
        teacher=teacher,
        taught_inference=taught_inference,
        seeds=seeds,
        budget=budget,
        confidence=confidence,
    )
    print_calibrated(make(recipe, common["out"], held_out, _progress), as_json=as_json)


@click.command("teach")
@_training
@click.option("--base", required=True, type=DIRECTORY, help="The MPNet to start from.")
@click.option(
    "--frozen-layers",
    default=0,
    show_default=True,
    type=click.IntRange(0),
    help="Lowest layers left as they are.",
)
@JSON
def teach(
    *,
    base: Path,
    frozen_layers: int,
    as_json: bool,
    **common: Any,  # noqa: ANN401 - the options of both commands
) -> None:
    """Train a teacher on PAIRS: a network too large to ship, from which a judge learns.

    Needs the extra `build`: `pip install 'arbiter[build]'`.
    """
    need_extra()
    from arbiter.training.make import teach as make_teacher

    recipe, held_out = _recipe(common, base)
    recipe = replace(
        recipe,
        first=replace(recipe.first, frozen_layers=frozen_layers),
        second=replace(recipe.second, frozen_layers=frozen_layers),
        third=replace(recipe.third, frozen_layers=frozen_layers),
    )
    accuracy = make_teacher(recipe, common["out"], held_out, _progress)
    if as_json:
        print_json({"accuracy": accuracy})
    else:
        click.echo(f"accuracy {accuracy:.3f} on the pairs that were held out")


def _recipe(common: dict[str, Any], base: Path) -> tuple[Recipe, HeldOut]:
    import torch

    from arbiter.training.held_out import HeldOut, read_held_out
    from arbiter.training.recipe import Recipe

    torch.set_num_threads(common["threads"])
    named = {name: common[name] for name in ("pairs", "relations", "inference", "calibration", "share")}
    recipe = Recipe(base=base, **named)
    rate, epochs, mixed = common["rate"], common["epochs"], common["mixed_epochs"]
    held_out = HeldOut.packaged()
    for path in common["more"]:
        held_out |= read_held_out(path, statements=True)
    return (
        replace(
            recipe,
            mixed_epochs=mixed // 2,
            first=replace(recipe.first, epochs=common["general_epochs"]),
            second=replace(recipe.second, epochs=epochs, learning_rate=rate),
            third=replace(recipe.third, epochs=mixed, learning_rate=rate),
        ),
        held_out,
    )


def _progress(line: str) -> None:
    click.echo(line, err=True)
