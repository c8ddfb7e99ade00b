"""The whole way from a base model and labelled pairs to a judge: its stages, export, calibration, card."""

from __future__ import annotations

import json
import platform
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cache, cached_property, lru_cache
from importlib.metadata import version
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import torch

from arbiter.errors import ConfigurationError
from arbiter.judges.local import PACKAGED, PACKAGED_TOKENIZER, LocalJudge
from arbiter.training.augment import Augmentation
from arbiter.training.batches import Batch, contrast_batches, inference_batches, read_inference
from arbiter.training.calibration import Operating, choose_threshold, fit_temperature, thresholds
from arbiter.training.card import write_model_card
from arbiter.training.examples import Example, split_by_anchor
from arbiter.training.export import export, write_card
from arbiter.training.held_out import HeldOut
from arbiter.training.loop import Log, Plan, train
from arbiter.training.measure import Measures, answers, measure
from arbiter.training.model import HEADS, JudgeNetwork, from_base
from arbiter.training.read_pairs import read_examples, read_relations
from arbiter.training.restore import restore

if TYPE_CHECKING:
    from tokenizers import Tokenizer

_INFERENCE_BATCH = 64


@dataclass(frozen=True, slots=True)
class Recipe:
    """What a judge is made of.

    ``base`` is a published BERT or a judge that is trained further. ``inference`` files make the first stage,
    which is left out if there are none. The third stage starts warm again and mixes inference into its first
    ``mixed_epochs``, as many batches of it as ``mixed_ratio`` times those of pairs; it may have no epochs.
    ``share`` of the pairs, whole contrast sets, is held out for calibration. With several ``seeds`` the
    weights of as many runs of the later stages are averaged.
    """

    pairs: tuple[Path, ...]
    relations: tuple[Path, ...] = ()
    inference: tuple[Path, ...] = ()
    inference_cap: Mapping[str, int] = field(default_factory=dict)
    inference_chars: int = 400
    base: Path = PACKAGED
    share: float = 0.15
    split_seed: int = 7
    seeds: tuple[int, ...] = (1,)
    batch: int = 48
    mixed_epochs: int = 2
    mixed_ratio: float = 1.8
    budget: float = 0.01
    confidence: float = 0.95
    first: Plan = field(
        default_factory=lambda: Plan(1, 1e-4, head_rate=5.0, dropout=0.0, contrast=0.0, seed=11)
    )
    second: Plan = field(default_factory=lambda: Plan(6, 1e-4, train_words=False))
    third: Plan = field(default_factory=lambda: Plan(0, 1e-4, contrast=0.1, train_words=False))

    def as_json(self) -> dict[str, Any]:
        """Return it in JSON's own types; files by their names."""
        made: dict[str, Any] = json.loads(json.dumps(asdict(self), default=lambda path: path.name))
        return made


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
    rest, held = split_by_anchor(_read(recipe, held_out, log), recipe.share, recipe.split_seed)
    if not rest or not held:
        raise ConfigurationError(
            f"{len(rest)} pairs to train on and {len(held)} to calibrate with are too few"
        )
    log(f"{len(rest)} pairs to train on, {len(held)} held out to calibrate")
    tokenizer = _tokenizer(recipe.base)
    states = [_trained(recipe, seed, rest, tokenizer, directory, log) for seed in recipe.seeds]
    network = _started(recipe, recipe.seeds[0])
    network.load_state_dict(average(states))
    provenance = {"recipe": recipe.as_json(), "trained_on": len(rest), "versions": _versions()}
    tokenizer_path = recipe.base / "tokenizer.json"
    export(
        network,
        directory,
        provenance=provenance,
        tokenizer=tokenizer_path if tokenizer_path.exists() else PACKAGED_TOKENIZER,
    )
    return calibrate(directory, held, budget=recipe.budget, confidence=recipe.confidence)


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


def average(states: Sequence[Mapping[str, torch.Tensor]]) -> dict[str, torch.Tensor]:
    """Return the mean of the weights of runs that started from the same weights."""
    return {name: torch.stack([state[name].float() for state in states]).mean(0) for name in states[0]}


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


def _trained(
    recipe: Recipe,
    seed: int,
    examples: Sequence[Example],
    tokenizer: Tokenizer,
    directory: Path,
    log: Callable[[str], None],
) -> dict[str, torch.Tensor]:
    """Return the weights after all stages of one seed; the first stage is the same for every seed."""
    network = _started(recipe, recipe.first.seed)
    general = _Inference(recipe, tokenizer, log)
    if recipe.inference:
        train(network, recipe.first, general.batches, _folder(directory / "stage1"), _lines("stage 1", log))

    @cache
    def own(epoch: int) -> list[Batch]:
        variants = 1000 * seed + epoch
        return contrast_batches(examples, tokenizer, Augmentation(), size=recipe.batch, seed=variants)

    def mixed(epoch: int) -> list[Batch]:
        pairs = own(recipe.second.epochs + epoch)
        added = round(recipe.mixed_ratio * len(pairs)) if epoch < recipe.mixed_epochs else 0
        batches = pairs + general.batches(1 + epoch)[:added]
        return Random(1000 * seed + epoch).sample(batches, len(batches))

    for number, plan, batches in ((2, recipe.second, own), (3, recipe.third, mixed)):
        stage = f"stage{number}-{seed}"
        train(network, replace(plan, seed=seed), batches, _folder(directory / stage), _lines(stage, log))
    return network.state_dict()


class _Inference:
    """The inference pairs of a recipe, read when they are first needed; epochs differ in their order."""

    def __init__(self, recipe: Recipe, tokenizer: Tokenizer, log: Callable[[str], None]) -> None:
        self._recipe = recipe
        self._tokenizer = tokenizer
        self._log = log

    @cached_property
    def _rows(self) -> list[tuple[str, str, str]]:
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
    def batches(self, epoch: int) -> list[Batch]:
        """Return the batches of an epoch; there are none without files."""
        seed = self._recipe.first.seed + epoch
        return inference_batches(self._rows, self._tokenizer, size=_INFERENCE_BATCH, seed=seed)


def _started(recipe: Recipe, seed: int) -> JudgeNetwork:
    torch.manual_seed(seed)
    if (recipe.base / "judge.json").exists():
        return restore(recipe.base)
    return from_base(recipe.base)


def _tokenizer(base: Path) -> Tokenizer:
    from tokenizers import Tokenizer

    own = base / "tokenizer.json"
    tokenizer = Tokenizer.from_file(str(own if own.exists() else PACKAGED_TOKENIZER))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def _folder(path: Path) -> Path:
    path.mkdir(parents=True, exist_ok=True)
    return path


def _lines(stage: str, log: Callable[[str], None]) -> Log:
    def line(step: int, steps: int, loss: float) -> None:
        log(f"{stage}: step {step} of {steps}, loss {loss:.4f}")

    return line


def _versions() -> dict[str, str]:
    packages = ("torch", "transformers", "tokenizers", "onnx", "arbiter")
    return {"python": platform.python_version(), **{name: version(name) for name in packages}}
