"""The network that is trained: a BERT encoder with one linear head for each thing a verdict says."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from transformers import BertConfig, BertModel

from arbiter.domain.vocabulary import Mutability, Relation, Stakes, UpdateKind
from arbiter.judges.pair_tokens import SEGMENTS

HEADS: Mapping[str, tuple[str, ...]] = {
    "relation": tuple(Relation),
    "current": ("a", "b"),
    "update_kind": tuple(UpdateKind),
    "stale_risk": ("none", "a", "b"),
    "mutability": tuple(Mutability),
    "stakes": tuple(Stakes),
}
"""The heads that are shipped, with the meaning of their outputs in order."""

AUXILIARY: Mapping[str, tuple[str, ...]] = {
    "inference": ("entailment", "neutral", "contradiction"),
    "paraphrase": ("paraphrase", "not_paraphrase"),
}
"""Heads of the first stage, which only teach the encoder."""


class JudgeNetwork(nn.Module):
    """Reads a pair and gives logits by head.

    Args:
        config: shape of the encoder; ``type_vocab_size`` must be the four segments of a pair.
    """

    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        # On the CPU the backward pass of fused attention takes three times as long as all else together.
        self.encoder = BertModel(config, add_pooling_layer=False)
        self.encoder.set_attn_implementation("eager")
        self.heads = nn.ModuleDict(
            {
                name: nn.Linear(2 * config.hidden_size, len(labels))
                for name, labels in {**HEADS, **AUXILIARY}.items()
            }
        )
        self.dropout = nn.Dropout(0.0)

    def set_dropout(self, share: float) -> None:
        """Drop this share of hidden values while training; attention is never dropped."""
        for name, module in self.named_modules():
            if isinstance(module, nn.Dropout) and not name.endswith("attention.self.dropout"):
                module.p = share

    def read(self, ids: Tensor, mask: Tensor, segments: Tensor) -> Tensor:
        """Return one vector a pair: the first token beside the mean over all tokens."""
        states = self.encoder(input_ids=ids, attention_mask=mask, token_type_ids=segments).last_hidden_state
        weights = mask.unsqueeze(-1).to(states.dtype)
        mean = (states * weights).sum(1) / weights.sum(1)
        return torch.cat([states[:, 0], mean], dim=-1)

    def forward(self, ids: Tensor, mask: Tensor, segments: Tensor) -> dict[str, Tensor]:
        """Return the logits of every head, shape (pairs, labels of the head)."""
        pooled = self.dropout(self.read(ids, mask, segments))
        return {name: head(pooled) for name, head in self.heads.items()}


def from_base(directory: Path) -> JudgeNetwork:
    """Return a network whose encoder has the weights of a published BERT; its heads are new."""
    config = BertConfig.from_pretrained(directory)
    base = BertModel.from_pretrained(directory, add_pooling_layer=False, dtype=torch.float32)
    config.type_vocab_size = SEGMENTS
    config.hidden_dropout_prob = 0.0
    config.attention_probs_dropout_prob = 0.0
    network = JudgeNetwork(config)
    weights: dict[str, Any] = base.state_dict()
    segments = weights["embeddings.token_type_embeddings.weight"]
    weights["embeddings.token_type_embeddings.weight"] = segments.repeat(SEGMENTS // len(segments), 1)
    network.encoder.load_state_dict(weights)
    return network
