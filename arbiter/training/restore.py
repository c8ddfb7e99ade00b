"""Reads the weights of a judge back from its ``model.onnx``, so that it can be trained further."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import torch
from numpy.typing import NDArray
from transformers import BertConfig

from arbiter.errors import ConfigurationError
from arbiter.training.model import HEADS, JudgeNetwork, bert_network

Array: TypeAlias = NDArray[Any]

_PARTS = ("query", "key", "value")


def restore(directory: Path) -> JudgeNetwork:
    """Return the network of a judge, its int8 weights turned back into floats; auxiliary heads are new.

    Args:
        directory: where ``model.onnx`` and ``judge.json`` lie.

    Raises:
        ConfigurationError: there is no judge, or its graph is not one that ``export`` wrote.
    """
    import onnx
    from onnx import numpy_helper

    try:
        card = json.loads((directory / "judge.json").read_text(encoding="utf-8"))
        graph = onnx.load(directory / "model.onnx").graph
        constants = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
        attention = next(node for node in graph.node if node.op_type == "MultiHeadAttention")
        heads = next(field.i for field in attention.attribute if field.name == "num_heads")
        weights = _encoder(constants)
        network = bert_network(_config(weights, heads))
        network.encoder.load_state_dict({name: torch.from_numpy(value) for name, value in weights.items()})
        _load_heads(network, constants, card["heads"])
    except (OSError, ValueError, KeyError, StopIteration, RuntimeError) as error:
        raise ConfigurationError(f"{directory} holds no judge to train further: {error!r}") from error
    return network


def _encoder(constants: Mapping[str, Array]) -> dict[str, Array]:
    weights = {
        "embeddings.word_embeddings.weight": constants["words"] * constants["word_scales"],
        "embeddings.position_embeddings.weight": constants["positions"].copy(),
        "embeddings.token_type_embeddings.weight": constants["segments"].copy(),
    }
    for name, value in constants.items():
        if name.endswith(".scales"):
            matrix = name.removesuffix(".scales") + ".weight"
            weights[matrix] = (constants[matrix] * value).T.copy()
        elif name.endswith("attention.bias"):
            for part, bias in zip(_PARTS, np.split(value, len(_PARTS)), strict=True):
                weights[f"{name.removesuffix('bias')}self.{part}.bias"] = bias.copy()
        elif name.endswith((".bias", "LayerNorm.weight")):
            weights[name] = value.copy()
    return weights


def _config(weights: Mapping[str, Array], heads: int) -> BertConfig:
    vocabulary, hidden = weights["embeddings.word_embeddings.weight"].shape
    layers = sum(name.endswith("intermediate.dense.bias") for name in weights)
    return BertConfig(
        vocab_size=vocabulary,
        hidden_size=hidden,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        intermediate_size=len(weights["encoder.layer.0.intermediate.dense.bias"]),
        max_position_embeddings=len(weights["embeddings.position_embeddings.weight"]),
        type_vocab_size=len(weights["embeddings.token_type_embeddings.weight"]),
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
    )


def _load_heads(
    network: JudgeNetwork, constants: Mapping[str, Array], heads: Mapping[str, list[str]]
) -> None:
    if {name: tuple(labels) for name, labels in heads.items()} != dict(HEADS):
        raise ValueError("its heads are not those of this version")
    at = 0
    for name, labels in HEADS.items():
        rows = slice(at, at + len(labels))
        head = {"weight": constants["heads"][rows].copy(), "bias": constants["head_biases"][rows].copy()}
        network.heads[name].load_state_dict({key: torch.from_numpy(value) for key, value in head.items()})
        at += len(labels)
