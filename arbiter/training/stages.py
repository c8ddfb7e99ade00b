"""The stages of a training: general pairs first, then labelled ones, then all of it once more, warm."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache, cached_property, lru_cache
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import torch

from arbiter.judges.local import PACKAGED_TOKENIZER
from arbiter.training.augment import Augmentation
from arbiter.training.batches import (
    Batch,
    Taught,
    contrast_batches,
    inference_batches,
    read_inference,
)
from arbiter.training.distil import Teacher, as_records, recombined, taught_batches
from arbiter.training.examples import Example, asked_key, pair_key
from arbiter.training.loop import Log, train
from arbiter.training.model import JudgeNetwork, from_base
from arbiter.training.recipe import Recipe
from arbiter.training.restore import restore

if TYPE_CHECKING:
    from tokenizers import Tokenizer

    from arbiter.domain.evidence import RecordPair

_INFERENCE_BATCH = 64
_TAUGHT = "taught.pt"


def trained(
    recipe: Recipe, examples: Sequence[Example], directory: Path, log: Callable[[str], None]
) -> JudgeNetwork:
    """Return the network after all stages; started again, it goes on where it stopped.

    Args:
        recipe: data and hyper-parameters.
        examples: the labelled pairs to train on.
        directory: where the checkpoints go.
        log: hears of progress, a line at a time.

    Raises:
        ConfigurationError: the base, the teacher or a file of general pairs cannot be read.
    """
    stages = _Stages(recipe, examples, directory, log)
    states = [stages.weights(seed) for seed in recipe.seeds]
    network = _started(recipe, recipe.seeds[0])
    network.load_state_dict(average(states))
    return network


def average(states: Sequence[Mapping[str, torch.Tensor]]) -> dict[str, torch.Tensor]:
    """Return the mean of the weights of runs that started from the same weights."""
    return {name: torch.stack([state[name].float() for state in states]).mean(0) for name in states[0]}


def tokenizer_of(base: Path) -> Path:
    """Return the file of word pieces that a base is read with."""
    own = base / "tokenizer.json"
    return own if own.exists() else PACKAGED_TOKENIZER


def tokenizer(path: Path) -> Tokenizer:
    """Return word pieces that neither cut nor pad."""
    from tokenizers import Tokenizer

    found = Tokenizer.from_file(str(path))
    found.no_truncation()
    found.no_padding()
    return found


class _Stages:
    """What the runs of a recipe share: its data in batches, and the folder of its checkpoints."""

    def __init__(
        self, recipe: Recipe, examples: Sequence[Example], directory: Path, log: Callable[[str], None]
    ) -> None:
        self._recipe = recipe
        self._examples = examples
        self._directory = directory
        self._log = log
        self._tokenizer = tokenizer(tokenizer_of(recipe.base))

    def weights(self, seed: int) -> dict[str, torch.Tensor]:
        """Return the weights after all stages of one seed; the first stage is the same for every seed."""
        recipe = self._recipe
        network = _started(recipe, recipe.first.seed)
        if recipe.inference:
            train(network, recipe.first, self._general, self._folder("stage1"), self._lines("stage 1"))

        @cache
        def own(epoch: int) -> list[Batch]:
            variants = 1000 * seed + epoch
            return contrast_batches(
                self._examples,
                self._tokenizer,
                Augmentation(),
                size=recipe.batch,
                seed=variants,
                taught=self._taught,
            )

        def mixed(epoch: int) -> list[Batch]:
            pairs = own(recipe.second.epochs + epoch)
            added = round(recipe.mixed_ratio * len(pairs)) if epoch < recipe.mixed_epochs else 0
            batches = pairs + self._general(1 + epoch)[:added] + self._unlabelled(1000 * seed + epoch)
            return Random(1000 * seed + epoch).sample(batches, len(batches))

        for number, plan, batches in ((2, recipe.second, own), (3, recipe.third, mixed)):
            stage = f"stage{number}-{seed}"
            train(network, replace(plan, seed=seed), batches, self._folder(stage), self._lines(stage))
        return network.state_dict()

    @cached_property
    def _inference(self) -> list[tuple[str, str, str]]:
        """The general pairs, read when they are first needed."""
        recipe = self._recipe
        rows = read_inference(
            recipe.inference,
            cap=recipe.inference_cap,
            most_chars=recipe.inference_chars,
            seed=recipe.first.seed,
        )
        self._log(f"{len(rows)} pairs of inference and paraphrase")
        return rows

    @lru_cache(maxsize=1)  # noqa: B019 - lives as long as the training
    def _general(self, epoch: int) -> list[Batch]:
        """Return the batches of an epoch of general pairs; there are none without files."""
        seed = self._recipe.first.seed + epoch
        return inference_batches(self._inference, self._tokenizer, size=_INFERENCE_BATCH, seed=seed)

    @cached_property
    def _new_pairs(self) -> list[RecordPair]:
        recipe, seed = self._recipe, self._recipe.first.seed
        if recipe.teacher is None:
            return []
        found = recombined(self._examples, most=recipe.recombined, seed=seed)
        if recipe.taught_inference:
            short = [row for row in self._inference if len(row[0]) + len(row[1]) < recipe.taught_chars]
            known = {pair_key(pair) for pair in found} | {pair_key(e.pair) for e in self._examples}
            general = as_records(short, most=recipe.taught_inference, seed=seed)
            found += [pair for pair in general if pair_key(pair) not in known]
        return found

    @cached_property
    def _taught(self) -> Taught:
        """What the teacher says of the labelled and the new pairs; read once, kept beside the checkpoints."""
        if self._recipe.teacher is None:
            return {}
        pairs = [example.pair for example in self._examples] + self._new_pairs
        kept = self._directory / _TAUGHT
        if not kept.exists():
            kept.parent.mkdir(parents=True, exist_ok=True)
            torch.save(Teacher(self._recipe.teacher).probabilities(pairs, self._log), kept)
        said = torch.load(kept, weights_only=True)
        return {asked_key(pair): taught for pair, taught in zip(pairs, said, strict=True)}

    def _unlabelled(self, seed: int) -> list[Batch]:
        size = self._recipe.batch
        return taught_batches(self._new_pairs, self._taught, self._tokenizer, size=size, seed=seed)

    def _folder(self, stage: str) -> Path:
        path = self._directory / stage
        path.mkdir(parents=True, exist_ok=True)
        return path

    def _lines(self, stage: str) -> Log:
        def line(step: int, steps: int, loss: float) -> None:
            self._log(f"{stage}: step {step} of {steps}, loss {loss:.4f}")

        return line


def _started(recipe: Recipe, seed: int) -> JudgeNetwork:
    torch.manual_seed(seed)
    if (recipe.base / "judge.json").exists():
        return restore(recipe.base)
    return from_base(recipe.base)
