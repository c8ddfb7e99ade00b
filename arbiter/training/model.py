"""The networks that are trained: an encoder with one linear head for each thing a verdict says."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from transformers import AutoConfig, BertConfig, BertModel, MPNetConfig, MPNetModel

from arbiter.domain.vocabulary import Mutability, Relation, Stakes, UpdateKind
from arbiter.errors import ConfigurationError
from arbiter.judges.pair_tokens import SEGMENTS

HEADS: Mapping[str, tuple[str, ...]] = {
    "relation": tuple(Relation),
    "current": ("a", "b"),
    "update_kind": tuple(UpdateKind),
    "stale_risk": ("none", "a", "b"),
    "mutability": tuple(Mutability),
    "stakes": tuple(Stakes),
    "inference": ("entailment", "neutral", "contradiction"),
}
"""The heads that are shipped, with the meaning of their outputs in order; inference is a baseline's."""

AUXILIARY: Mapping[str, tuple[str, ...]] = {
    "paraphrase": ("paraphrase", "not_paraphrase"),
}
"""Heads that only teach the encoder."""

GENERAL = ("inference", "paraphrase")
"""The heads that public pairs teach."""


class JudgeNetwork(nn.Module):
    """Reads a pair and gives logits by head.

    Args:
        encoder: the encoder; it must take the four segments of a pair, unless a subclass adds them.
    """

    def __init__(self, encoder: BertModel | MPNetModel) -> None:
        super().__init__()
        self.encoder: Any = encoder
        width = 2 * encoder.config.hidden_size
        self.heads = nn.ModuleDict(
            {name: nn.Linear(width, len(labels)) for name, labels in {**HEADS, **AUXILIARY}.items()}
        )
        self.dropout = nn.Dropout(0.0)

    def set_dropout(self, share: float) -> None:
        """Drop this share of hidden values while training; attention is never dropped."""
        for name, module in self.named_modules():
            if isinstance(module, nn.Dropout) and not name.endswith("attention.self.dropout"):
                module.p = share

    def train_encoder(self, *, words: bool, frozen_layers: int) -> None:
        """Say what of the encoder changes: the table of word pieces or not, and which layers do not."""
        self.encoder.get_input_embeddings().requires_grad_(words)
        for place, layer in enumerate(self.encoder.encoder.layer):
            layer.requires_grad_(place >= frozen_layers)

    def read(self, ids: Tensor, mask: Tensor, segments: Tensor) -> Tensor:
        """Return one vector a pair: the first token beside the mean over all tokens."""
        states = self.states(ids, mask, segments)
        weights = mask.unsqueeze(-1).to(states.dtype)
        mean = (states * weights).sum(1) / weights.sum(1)
        return torch.cat([states[:, 0], mean], dim=-1)

    def states(self, ids: Tensor, mask: Tensor, segments: Tensor) -> Tensor:
        """Return the last hidden states, shape (pairs, tokens, width)."""
        states: Tensor = self.encoder(
            input_ids=ids, attention_mask=mask, token_type_ids=segments
        ).last_hidden_state
        return states

    def forward(self, ids: Tensor, mask: Tensor, segments: Tensor) -> dict[str, Tensor]:
        """Return the logits of every head, shape (pairs, labels of the head)."""
        pooled = self.dropout(self.read(ids, mask, segments))
        return {name: head(pooled) for name, head in self.heads.items()}


class TeacherNetwork(JudgeNetwork):
    """A network over an MPNet encoder, too large to ship; segments, unknown to it, are added to words."""

    def __init__(self, encoder: MPNetModel) -> None:
        super().__init__(encoder)
        self.segments = nn.Embedding(SEGMENTS, encoder.config.hidden_size)
        nn.init.zeros_(self.segments.weight)

    def set_dropout(self, share: float) -> None:
        """Drop this share before the heads only: inside a large encoder it costs a third of the time."""
        self.dropout.p = share

    def states(self, ids: Tensor, mask: Tensor, segments: Tensor) -> Tensor:
        """Return the last hidden states, shape (pairs, tokens, width)."""
        words = self.encoder.get_input_embeddings()(ids) + self.segments(segments)
        states: Tensor = self.encoder(inputs_embeds=words, attention_mask=mask).last_hidden_state
        return states


def bert_network(config: BertConfig) -> JudgeNetwork:
    """Return a network of random weights; ``type_vocab_size`` must be the four segments of a pair."""
    encoder = BertModel(config, add_pooling_layer=False)
    # On the CPU the backward pass of fused attention takes three times as long as all else together.
    encoder.set_attn_implementation("eager")
    return JudgeNetwork(encoder)


def from_base(directory: Path) -> JudgeNetwork:
    """Return a network whose encoder has the weights of a published BERT or MPNet; its heads are new.

    Raises:
        ConfigurationError: the folder holds no such encoder.
    """
    try:
        kind = AutoConfig.from_pretrained(directory).model_type
        if kind == "mpnet":
            return _from_mpnet(directory)
        if kind == "bert":
            return _from_bert(directory)
    except (OSError, ValueError, KeyError) as error:
        raise ConfigurationError(f"{directory} holds no encoder: {error}") from error
    raise ConfigurationError(f"{directory} holds a {kind}, which is neither a BERT nor an MPNet")


def _from_bert(directory: Path) -> JudgeNetwork:
    config = BertConfig.from_pretrained(directory)
    base = BertModel.from_pretrained(directory, add_pooling_layer=False, dtype=torch.float32)
    config.type_vocab_size = SEGMENTS
    _without_dropout(config)
    network = bert_network(config)
    weights: dict[str, Any] = base.state_dict()
    segments = weights["embeddings.token_type_embeddings.weight"]
    weights["embeddings.token_type_embeddings.weight"] = segments.repeat(SEGMENTS // len(segments), 1)
    network.encoder.load_state_dict(weights)
    return network


def _from_mpnet(directory: Path) -> TeacherNetwork:
    config = MPNetConfig.from_pretrained(directory)
    _without_dropout(config)
    encoder = MPNetModel.from_pretrained(
        directory, config=config, add_pooling_layer=False, dtype=torch.float32, attn_implementation="eager"
    )
    return TeacherNetwork(encoder)


def empty_teacher(directory: Path) -> TeacherNetwork:
    """Return a teacher's network of random weights, of the shape that the folder's config has."""
    encoder = MPNetModel(MPNetConfig.from_pretrained(directory), add_pooling_layer=False)
    return TeacherNetwork(encoder)


def _without_dropout(config: BertConfig | MPNetConfig) -> None:
    config.hidden_dropout_prob = 0.0
    config.attention_probs_dropout_prob = 0.0
