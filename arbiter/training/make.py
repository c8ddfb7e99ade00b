"""The whole way from a base model and labelled pairs to a judge: its stages, export, calibration, card."""

from __future__ import annotations

import json
import platform
from collections.abc import Callable, Sequence
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path

from arbiter.errors import ConfigurationError
from arbiter.judges.local import LocalJudge
from arbiter.training.calibration import Operating, choose_threshold, fit_temperature, thresholds
from arbiter.training.card import write_model_card
from arbiter.training.distil import Teacher, save_teacher
from arbiter.training.examples import Example, apart, split_by_anchor
from arbiter.training.export import export, write_card
from arbiter.training.held_out import HeldOut
from arbiter.training.measure import Measures, answers, measure
from arbiter.training.model import HEADS, TeacherNetwork
from arbiter.training.read_pairs import read_examples, read_relations
from arbiter.training.recipe import Recipe
from arbiter.training.stages import tokenizer, tokenizer_of, trained


def make(
    recipe: Recipe, directory: Path, held_out: HeldOut, log: Callable[[str], None]
) -> tuple[Measures, Operating]:
    """Train, export, calibrate and describe a judge; started again, it goes on where it stopped.

    Returns what the judge achieves on the held-out share, and where its threshold puts it there.

    Args:
        recipe: data and hyper-parameters.
        directory: where the judge goes, and beside it the checkpoints.
        held_out: pairs that must not be trained on. Files of pairs that hold one are refused; from files of
            relations, which repeat themselves, such pairs are left out.
        log: hears of progress, a line at a time.

    Raises:
        ConfigurationError: a file cannot be read or holds what must not be trained on.
    """
    rest, held = _split(recipe, held_out, log)
    network = trained(recipe, rest, directory, log)
    if isinstance(network, TeacherNetwork):
        raise ConfigurationError("a teacher is too large to be a judge; it is made by arbiter judge teach")
    provenance = {"recipe": recipe.as_json(), "trained_on": len(rest), "versions": _versions()}
    export(network, directory, provenance=provenance, tokenizer=tokenizer_of(recipe.base))
    return calibrate(directory, held, budget=recipe.budget, confidence=recipe.confidence)


def teach(recipe: Recipe, directory: Path, held_out: HeldOut, log: Callable[[str], None]) -> float:
    """Train a teacher and return its accuracy on the pairs that are held out.

    Args:
        recipe: data and hyper-parameters; ``base`` is the folder of an MPNet.
        directory: where the teacher goes, and beside it the checkpoints.
        held_out: pairs that must not be trained on, as for ``make``.
        log: hears of progress, a line at a time.

    Raises:
        ConfigurationError: a file cannot be read or holds what must not be trained on, or the base is none.
    """
    rest, held = _split(recipe, held_out, log)
    network = trained(recipe, rest, directory, log)
    if not isinstance(network, TeacherNetwork):
        raise ConfigurationError(f"{recipe.base} holds no MPNet for a teacher to start from")
    save_teacher(network, tokenizer(tokenizer_of(recipe.base)), directory)
    found = Teacher(directory).probabilities([example.pair for example in held])
    relations = HEADS["relation"]
    right = [relations[row.index(max(row))] == e.relation for row, e in zip(found, held, strict=True)]
    return sum(right) / len(held)


def calibrate(
    directory: Path, examples: Sequence[Example], *, budget: float, confidence: float
) -> tuple[Measures, Operating]:
    """Set temperature and thresholds of a judge by pairs that had no part in its training.

    Raises:
        ConfigurationError: there is no judge, or no pair.
    """
    if not examples:
        raise ConfigurationError("there is no pair to calibrate with")
    path = directory / "judge.json"
    judge = LocalJudge(directory, threads=1)
    logits = judge.logits([example.pair for example in examples]).astype("float64")
    labels = [HEADS["relation"].index(example.relation) for example in examples]
    card = json.loads(path.read_text(encoding="utf-8"))
    card["temperature"] = round(fit_temperature(logits, labels), 4)
    write_card(directory, card)
    found = answers(LocalJudge(directory, threads=1), examples)
    operating = choose_threshold(found, budget=budget, confidence=confidence)
    measures = measure(found, unjudged=len(examples) - len(found))
    card["thresholds"] = dict(thresholds(operating))
    card["calibration"] = {
        "budget": budget,
        "confidence": confidence,
        **asdict(operating),
        **measures.as_json(),
    }
    write_card(directory, card)
    write_model_card(directory, card)
    return measures, operating


def _split(
    recipe: Recipe, held_out: HeldOut, log: Callable[[str], None]
) -> tuple[list[Example], list[Example]]:
    """Return the pairs to train on and those to calibrate with."""
    examples = _read(recipe, held_out, log)
    if recipe.calibration:
        held = [example for path in recipe.calibration for example in read_examples(path)]
        rest = apart(examples, held)
    else:
        rest, held = split_by_anchor(examples, recipe.share, recipe.split_seed)
    if not rest or not held:
        raise ConfigurationError(
            f"{len(rest)} pairs to train on and {len(held)} to calibrate with are too few"
        )
    log(f"{len(rest)} pairs to train on, {len(held)} held out to calibrate")
    return rest, held


def _read(recipe: Recipe, held_out: HeldOut, log: Callable[[str], None]) -> list[Example]:
    examples: list[Example] = []
    for path in recipe.pairs:
        found = read_examples(path)
        held_out.refuse(found, path.name)
        examples.extend(found)
    for path in recipe.relations:
        related = read_relations(path)
        kept = [example for example in related if example not in held_out]
        log(f"{path.name}: {len(related) - len(kept)} of {len(related)} pairs are held out and left out")
        examples.extend(kept)
    return examples


def _versions() -> dict[str, str]:
    packages = ("torch", "transformers", "tokenizers", "onnx", "arbiter")
    return {"python": platform.python_version(), **{name: version(name) for name in packages}}
