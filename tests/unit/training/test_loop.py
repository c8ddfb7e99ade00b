"""The training loop learns, and a run that was stopped ends like one that was not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

import pytest
import torch  # noqa: TID253

from arbiter.domain.vocabulary import Relation
from arbiter.training.augment import NONE, Augmentation
from arbiter.training.batches import Batch, contrast_batches, inference_batches, items
from arbiter.training.loop import Plan, loss, tensors, train
from arbiter.training.model import HEADS
from arbiter.training.read_pairs import read_examples
from tests.unit.training.tiny import contrast_rows, network, tokenizer, written

PLAN = Plan(epochs=2, learning_rate=1e-3, checkpoint_every=2, seed=5)


@pytest.fixture(name="batches")
def _batches(tmp_path: Path) -> Callable[[int], Sequence[Batch]]:
    examples = read_examples(written(tmp_path / "pairs.jsonl", contrast_rows(6)))

    def epoch(number: int) -> list[Batch]:
        return contrast_batches(examples, tokenizer(), Augmentation(), size=10, seed=number)

    return epoch


class Stopped(Exception):  # noqa: N818 - it is no error
    """Raised in place of a crash."""


def test_a_resumed_run_ends_like_an_uninterrupted_one(
    tmp_path: Path, batches: Callable[[int], Sequence[Batch]]
) -> None:
    """A stop after any checkpoint changes no weight, dropout included."""
    whole, stopped = network(), network()
    (tmp_path / "whole").mkdir()
    (tmp_path / "stopped").mkdir()
    train(whole, PLAN, batches, tmp_path / "whole")

    def stop(step: int, steps: int, running: float) -> None:
        assert (steps, running > 0) == (6, True)
        if step == 4:
            raise Stopped

    with pytest.raises(Stopped):
        train(stopped, PLAN, batches, tmp_path / "stopped", stop)
    resumed = network(seed=99)
    train(resumed, PLAN, batches, tmp_path / "stopped")
    for name, value in whole.state_dict().items():
        assert torch.equal(value, resumed.state_dict()[name]), name


def test_training_lowers_the_loss(tmp_path: Path, batches: Callable[[int], Sequence[Batch]]) -> None:
    """Eight epochs on six contrast sets teach a tiny network to tell their labels apart."""
    judge = network()
    held = [item for batch in batches(0) for item in batch]
    judge.eval()
    before = loss(judge, held, PLAN).item()
    train(judge, Plan(epochs=8, learning_rate=3e-3, seed=5), batches, tmp_path)
    judge.eval()
    assert loss(judge, held, PLAN).item() < 0.8 * before


def test_batches_keep_contrast_sets_whole_and_repeat(batches: Callable[[int], Sequence[Batch]]) -> None:
    """Each anchor's five pairs stand in one batch; the same epoch gives the same batches, another not."""
    first = batches(0)
    places = {item.anchor: number for number, batch in enumerate(first) for item in batch}
    assert all(places[item.anchor] == number for number, batch in enumerate(first) for item in batch)
    assert sorted(len(batch) for batch in first) == [10, 10, 10]
    assert batches(0) == first
    assert batches(1) != first


def test_targets_and_padding(tmp_path: Path) -> None:
    """Each head that is known has the place of its label; padding is masked."""
    examples = read_examples(written(tmp_path / "pairs.jsonl", contrast_rows(1)))
    made = items(examples, tokenizer(), NONE, Random(0))
    by_label = {example.relation: item for example, item in zip(examples, made, strict=True)}
    assert by_label[Relation.UPDATE].targets == {
        "relation": HEADS["relation"].index("update"),
        "current": 1,
        "update_kind": 0,
        "mutability": HEADS["mutability"].index("mutable"),
        "stakes": 0,
    }
    assert by_label[Relation.COMPLEMENTARY].targets["stale_risk"] == 0
    ids, mask, segments = tensors(made)
    assert ids.shape == mask.shape == segments.shape
    assert mask.sum(dim=1).tolist() == [len(item.tokens.ids) for item in made]


def test_inference_pairs_are_batched_by_length() -> None:
    """Every pair that fits is there once, with its own head; longer ones are left out."""
    rows = [
        ("a dog", "an animal", "entailment"),
        ("it rains", "it pours", "paraphrase"),
        ("x " * 95, "y", "neutral"),
    ]
    batches = inference_batches(rows, tokenizer(), size=2, seed=1)
    heads = sorted(head for batch in batches for item in batch for head in item.targets)
    assert heads == ["inference", "paraphrase"]
