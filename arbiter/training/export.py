"""Turns a trained network into the judge's files: ``model.onnx`` in int8 and ``judge.json``."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from arbiter.adapters.int8_bert import Array, Graph, bert_encoder
from arbiter.judges.local import PACKAGED_TOKENIZER
from arbiter.training.calibration import NEVER
from arbiter.training.card import write_card
from arbiter.training.model import HEADS, JudgeNetwork

if TYPE_CHECKING:
    from onnx import ModelProto

_MAX_TOKENS = 256
_SEGMENTS = "token_type_ids"


def judge_model(network: JudgeNetwork) -> ModelProto:
    """Return the graph from tokens to the logits of every shipped head, side by side in their order."""
    weights = {name: value.float().numpy() for name, value in network.encoder.state_dict().items()}
    heads = {name: value.float().numpy() for name, value in network.heads.state_dict().items()}
    return _graph(weights, heads, network.encoder.config.num_attention_heads)


def _graph(weights: Mapping[str, Array], heads: Mapping[str, Array], attention_heads: int) -> ModelProto:
    graph = Graph()
    states = bert_encoder(
        graph,
        weights,
        heads=attention_heads,
        input_ids="input_ids",
        attention_mask="attention_mask",
        token_type_ids=_SEGMENTS,
    )
    last = graph.constant("last_axis", np.array([-1], dtype=np.int64))
    tokens = graph.constant("token_axis", np.array([1], dtype=np.int64))
    mask = graph.apply("CastLike", graph.apply("Unsqueeze", "attention_mask", last), states)
    total = graph.apply("ReduceSum", graph.apply("Mul", states, mask), tokens, keepdims=0)
    mean = graph.apply("Div", total, graph.apply("ReduceSum", mask, tokens, keepdims=0))
    place = graph.constant("first", np.array([0], dtype=np.int64))
    first = graph.apply("Squeeze", graph.apply("Gather", states, place, axis=1), tokens)
    read = graph.apply("Concat", first, mean, axis=-1)
    weight = np.concatenate([heads[f"{name}.weight"] for name in HEADS])
    bias = np.concatenate([heads[f"{name}.bias"] for name in HEADS])
    graph.name(
        "logits", "Gemm", read, graph.constant("heads", weight), graph.constant("head_biases", bias), transB=1
    )
    shape = ("texts", "tokens")
    inputs = dict.fromkeys(("input_ids", "attention_mask", _SEGMENTS), shape)
    return graph.model(inputs, {"logits": ("texts", len(bias))})


def export(
    network: JudgeNetwork,
    directory: Path,
    *,
    provenance: Mapping[str, Any],
    tokenizer: Path = PACKAGED_TOKENIZER,
) -> None:
    """Write a judge that is not calibrated yet: temperature 1, and no probability at which it may act.

    Args:
        network: the trained network.
        directory: where ``model.onnx`` and ``judge.json`` go; ``tokenizer.json`` too, unless the packaged
            one has the same content.
        provenance: what the card says about the making: data, hyper-parameters, versions.
        tokenizer: the word pieces that the network was trained with.
    """
    import onnx

    directory.mkdir(parents=True, exist_ok=True)
    onnx.save(judge_model(network.eval()), str(directory / "model.onnx"))
    if _digest(tokenizer) != _digest(PACKAGED_TOKENIZER):
        shutil.copyfile(tokenizer, directory / "tokenizer.json")
    write_card(
        directory,
        {
            "sha256": _digest(directory / "model.onnx"),
            "tokenizer_sha256": _digest(tokenizer),
            "max_tokens": min(_MAX_TOKENS, network.encoder.config.max_position_embeddings),
            "heads": {name: list(labels) for name, labels in HEADS.items()},
            "temperature": 1.0,
            "thresholds": dict.fromkeys(HEADS["relation"], NEVER),
            "provenance": dict(provenance),
        },
    )


def _digest(path: Path) -> str:
    return sha256(path.read_bytes()).hexdigest()
