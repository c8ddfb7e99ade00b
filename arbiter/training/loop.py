"""The training loop: seeded, on the CPU in bf16, and resumable at any checkpoint with the same result."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import torch
from torch import Tensor
from torch.nn import functional

from arbiter.training.batches import Batch
from arbiter.training.model import GENERAL, HEADS, JudgeNetwork

_CHECKPOINT = "checkpoint.pt"
_CLIP = 1.0


@dataclass(frozen=True, slots=True)
class Plan:
    """Hyper-parameters of one stage.

    ``head_rate`` multiplies the learning rate for the heads, which start from nothing. ``contrast`` weighs
    the loss that asks, within a complete contrast set, which pair has each label. ``weights`` weighs heads.
    Without ``train_words`` the table of word pieces stays as it is, which is half of a small model, and so
    do the first ``frozen_layers``. ``distillation`` weighs what a teacher says against the labels.
    """

    epochs: int
    learning_rate: float
    head_rate: float = 5.0
    warm_up: float = 0.05
    weight_decay: float = 0.01
    dropout: float = 0.1
    label_smoothing: float = 0.05
    contrast: float = 0.3
    weights: Mapping[str, float] = field(
        default_factory=lambda: {
            "relation": 1.0,
            "current": 0.2,
            "update_kind": 0.2,
            "stale_risk": 0.15,
            "mutability": 0.2,
            "stakes": 0.15,
            **dict.fromkeys(GENERAL, 1.0),
        }
    )
    train_words: bool = True
    frozen_layers: int = 0
    distillation: float = 1.0
    seed: int = 0
    checkpoint_every: int = 100


Log = Callable[[int, int, float], None]
"""Takes the step, the number of steps and the running loss."""


def train(
    network: JudgeNetwork,
    plan: Plan,
    batches: Callable[[int], Sequence[Batch]],
    directory: Path,
    log: Log | None = None,
) -> None:
    """Train a network in place.

    A checkpoint in the directory is taken up where it stopped; the result is the same as without the stop.

    Args:
        network: what is trained.
        plan: hyper-parameters.
        batches: gives the batches of an epoch by its number; always the same for the same number.
        directory: where checkpoints are kept.
        log: hears of progress.
    """
    if not plan.epochs:
        return
    torch.manual_seed(plan.seed)
    optimiser = _optimiser(network, plan)
    at, state = directory / _CHECKPOINT, {"step": 0, "loss": 0.0}
    if at.exists():
        state = torch.load(at, weights_only=True)
        network.load_state_dict(state["network"])
        optimiser.load_state_dict(state["optimiser"])
        torch.set_rng_state(state["random"])
    network.set_dropout(plan.dropout)
    network.train_encoder(words=plan.train_words, frozen_layers=plan.frozen_layers)
    network.train()
    step, running, steps = 0, float(state["loss"]), plan.epochs * len(batches(0))
    for epoch in range(plan.epochs):
        for batch in batches(epoch):
            step += 1
            if step <= state["step"]:
                continue
            _set_rate(optimiser, plan, min(step / steps, 1.0))
            value = loss(network, batch, plan)
            torch.autograd.backward(value)
            torch.nn.utils.clip_grad_norm_(network.parameters(), _CLIP)
            optimiser.step()
            optimiser.zero_grad()
            running = 0.98 * running + 0.02 * value.item()
            if step % plan.checkpoint_every == 0:
                if log is not None:
                    log(step, steps, running)
                _save(at, network, optimiser, step, running)


def loss(network: JudgeNetwork, batch: Batch, plan: Plan) -> Tensor:
    """Return the loss of a batch over all heads that have targets."""
    with torch.autocast("cpu", dtype=torch.bfloat16):
        logits = {name: values.float() for name, values in network(*tensors(batch)).items()}
    total = torch.zeros(())
    for head, weight in plan.weights.items():
        rows = [row for row, item in enumerate(batch) if head in item.targets]
        if rows:
            targets = torch.tensor([batch[row].targets[head] for row in rows])
            losses = functional.cross_entropy(
                logits[head][rows], targets, label_smoothing=plan.label_smoothing, reduction="sum"
            )
            total = total + weight * losses / len(batch)
    if plan.contrast:
        total = total + plan.contrast * _contrast(logits["relation"], batch)
    if plan.distillation:
        total = total + plan.distillation * _distance(logits["relation"], batch)
    return total


def tensors(batch: Batch) -> tuple[Tensor, Tensor, Tensor]:
    """Return token ids, mask and segments of a batch, padded to its longest pair."""
    longest = max(len(item.tokens.ids) for item in batch)
    ids = torch.zeros(len(batch), longest, dtype=torch.long)
    mask, segments = torch.zeros_like(ids), torch.zeros_like(ids)
    for row, item in enumerate(batch):
        count = len(item.tokens.ids)
        ids[row, :count] = torch.tensor(item.tokens.ids)
        segments[row, :count] = torch.tensor(item.tokens.segments)
        mask[row, :count] = 1
    return ids, mask, segments


def _distance(logits: Tensor, batch: Batch) -> Tensor:
    """Return the cross-entropy to what a teacher says of the relation, over the pairs that it read."""
    rows = [row for row, item in enumerate(batch) if item.taught is not None]
    if not rows:
        return torch.zeros(())
    taught = torch.tensor([batch[row].taught for row in rows])
    return functional.cross_entropy(logits[rows], taught, reduction="sum") / len(batch)


def _contrast(logits: Tensor, batch: Batch) -> Tensor:
    """Ask of each complete contrast set which of its pairs has each label."""
    by_anchor: dict[str, list[int]] = {}
    for row, item in enumerate(batch):
        if "relation" in item.targets:
            by_anchor.setdefault(item.anchor, []).append(row)
    total = torch.zeros(())
    for rows in by_anchor.values():
        targets = [batch[row].targets["relation"] for row in rows]
        if sorted(targets) == list(range(len(HEADS["relation"]))):
            by_label = logits[rows].log_softmax(dim=-1).T
            places = torch.tensor([targets.index(label) for label in range(len(targets))])
            total = total + functional.cross_entropy(by_label, places, reduction="sum") / len(batch)
    return total


def _optimiser(network: JudgeNetwork, plan: Plan) -> torch.optim.AdamW:
    read = {id(parameter) for parameter in network.encoder.parameters()}
    encoder = [{"params": list(network.encoder.parameters()), "share": 1.0}]
    new = [{"params": [p for p in network.parameters() if id(p) not in read], "share": plan.head_rate}]
    return torch.optim.AdamW(encoder + new, lr=plan.learning_rate, weight_decay=plan.weight_decay, fused=True)


def _set_rate(optimiser: torch.optim.AdamW, plan: Plan, done: float) -> None:
    rising = min(done / plan.warm_up, 1.0) if plan.warm_up else 1.0
    falling = (1.0 - done) / (1.0 - plan.warm_up)
    for group in optimiser.param_groups:
        group["lr"] = plan.learning_rate * group["share"] * min(rising, falling)


def _save(at: Path, network: JudgeNetwork, optimiser: torch.optim.AdamW, step: int, running: float) -> None:
    """Write a checkpoint beside the old one and put it in its place, so that a crash loses neither."""
    fresh = at.with_suffix(".new")
    torch.save(
        {
            "network": network.state_dict(),
            "optimiser": optimiser.state_dict(),
            "random": torch.get_rng_state(),
            "step": step,
            "loss": running,
        },
        fresh,
    )
    fresh.replace(at)
