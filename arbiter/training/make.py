"""The whole way from a base model and labelled pairs to a judge: its stages, export, calibration, card."""

from __future__ import annotations

import math
import platform
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

from arbiter.errors import ConfigurationError
from arbiter.training.calibrate import Calibrated, base_temperature, calibrate
from arbiter.training.distil import Teacher, save_teacher
from arbiter.training.examples import Example, apart, split_by_anchor
from arbiter.training.export import export
from arbiter.training.held_out import HeldOut
from arbiter.training.kept_run import take_up
from arbiter.training.model import HEADS, TeacherNetwork
from arbiter.training.pair_file import read_pair_files
from arbiter.training.read_pairs import read_relations
from arbiter.training.recipe import Recipe
from arbiter.training.stages import tokenizer, tokenizer_of, trained


def make(recipe: Recipe, directory: Path, held_out: HeldOut, log: Callable[[str], None]) -> Calibrated:
    """Train, export, calibrate and describe a judge; started again, it goes on where it stopped.

    Returns what the judge achieves on the held-out share, and where its threshold puts it there.

    Args:
        recipe: data and hyper-parameters.
        directory: where the judge goes, and beside it the checkpoints.
        held_out: pairs that must not be trained on. Files of pairs that hold one are refused; from files of
            relations, which repeat themselves, such pairs are left out.
        log: hears of progress, a line at a time.

    Raises:
        ConfigurationError: a file cannot be read or holds what must not be trained on, the pairs are too few,
            or the directory holds a training with other options.
    """
    rest, held = _split(recipe, held_out, log)
    _take_up(directory, recipe, log)
    network = trained(recipe, rest, directory, log)
    if isinstance(network, TeacherNetwork):
        raise ConfigurationError("a teacher is too large to be a judge; it is made by arbiter judge teach")
    provenance = {"recipe": recipe.as_json(), "trained_on": len(rest), "versions": _versions()}
    export(network, directory, provenance=provenance, tokenizer=tokenizer_of(recipe.base))
    return calibrate(
        directory,
        held,
        budget=recipe.budget,
        confidence=recipe.confidence,
        temperature=base_temperature(recipe.base),
    )


def teach(recipe: Recipe, directory: Path, held_out: HeldOut, log: Callable[[str], None]) -> float:
    """Train a teacher and return its accuracy on the pairs that are held out.

    Args:
        recipe: data and hyper-parameters; ``base`` is the folder of an MPNet.
        directory: where the teacher goes, and beside it the checkpoints.
        held_out: pairs that must not be trained on, as for ``make``.
        log: hears of progress, a line at a time.

    Raises:
        ConfigurationError: a file cannot be read or holds what must not be trained on, the base is none, the
            pairs are too few, or the directory holds a training with other options.
    """
    rest, held = _split(recipe, held_out, log)
    _take_up(directory, recipe, log)
    network = trained(recipe, rest, directory, log)
    if not isinstance(network, TeacherNetwork):
        raise ConfigurationError(f"{recipe.base} holds no MPNet for a teacher to start from")
    save_teacher(network, tokenizer(tokenizer_of(recipe.base)), directory)
    found = Teacher(directory).probabilities([example.pair for example in held])
    relations = HEADS["relation"]
    right = [relations[row.index(max(row))] == e.relation for row, e in zip(found, held, strict=True)]
    return sum(right) / len(held)


def _take_up(directory: Path, recipe: Recipe, log: Callable[[str], None]) -> None:
    if take_up(directory, recipe):
        log(f"goes on with the training in {directory}, which was started with the same options and pairs")


def _split(
    recipe: Recipe, held_out: HeldOut, log: Callable[[str], None]
) -> tuple[list[Example], list[Example]]:
    """Return the pairs to train on and those to calibrate with."""
    examples = _read(recipe, held_out, log)
    if recipe.calibration:
        held = [e for file in read_pair_files(recipe.calibration, log) for e in file.examples]
        rest = apart(examples, held)
    else:
        rest, held = split_by_anchor(examples, recipe.share, recipe.split_seed)
    if not rest or not held:
        raise ConfigurationError(
            f"{len(rest)} pairs to train on and {len(held)} to calibrate with are too few: {_least(recipe)}"
        )
    log(f"{len(rest)} pairs to train on, {len(held)} held out to calibrate")
    return rest, held


def _least(recipe: Recipe) -> str:
    """Say how many pairs it takes at the least."""
    if recipe.calibration:
        return "it takes one at least that shares no statement with those of --calibration"
    if not recipe.share:
        return "with --share 0 name pairs to calibrate with in --calibration"
    return (
        f"with --share {recipe.share:g} it takes {max(2, math.ceil(1 / recipe.share))} at least, not all of "
        "which share statements"
    )


def _read(recipe: Recipe, held_out: HeldOut, log: Callable[[str], None]) -> list[Example]:
    examples: list[Example] = []
    for file in read_pair_files(recipe.pairs, log):
        held_out.refuse(file.examples, file.name)
        examples.extend(file.examples)
    for path in recipe.relations:
        related = read_relations(path)
        kept = [example for example in related if example not in held_out]
        log(f"{path.name}: {len(related) - len(kept)} of {len(related)} pairs are held out and left out")
        examples.extend(kept)
    return examples


def _versions() -> dict[str, str]:
    packages = ("torch", "transformers", "tokenizers", "onnx", "arbiter")
    return {"python": platform.python_version(), **{name: version(name) for name in packages}}
