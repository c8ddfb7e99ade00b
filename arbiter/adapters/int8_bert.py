"""A BERT encoder in int8 as an ONNX graph, written operator by operator; needs the ``build`` extra.

The usual way, exporting the model and letting a tool quantise it, gives activations one scale for the
whole batch. The numbers that a text gets then depend on the texts beside it. Here each token has a scale
of its own, so a text reads the same in any batch, and more exactly too. Weights have a scale for
each output and seven bits: on processors without VNNI the eighth would overflow the 16-bit sums.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from onnx import ModelProto, NodeProto, TensorProto

Array: TypeAlias = NDArray[np.float32]

_OPSET = 20
_IR_VERSION = 10
_RUNTIME = "com.microsoft"
_WEIGHT_STEPS = 64
_TOKEN_STEPS = 127
_LAYER_NORM_EPSILON = 1e-12


class Graph:
    """An ONNX graph in the making. Values are known by their names."""

    def __init__(self) -> None:
        self._nodes: list[NodeProto] = []
        self._constants: dict[str, TensorProto] = {}

    def constant(self, name: str, value: NDArray[Any]) -> str:
        """Add a constant, unless one of that name is there; return the name."""
        from onnx import numpy_helper

        if name not in self._constants:
            self._constants[name] = numpy_helper.from_array(np.ascontiguousarray(value), name)
        return name

    def apply(self, operator: str, *inputs: str, domain: str = "", **attributes: object) -> str:
        """Add an operator with one output; return the output's name."""
        return self.name(f"{operator}_{len(self._nodes)}", operator, *inputs, domain=domain, **attributes)

    def name(self, output: str, operator: str, *inputs: str, domain: str = "", **attributes: object) -> str:
        """Add an operator whose output has a given name; return the name."""
        from onnx import helper

        node = helper.make_node(operator, inputs, [output], domain=domain)
        node.attribute.extend(helper.make_attribute(key, value) for key, value in attributes.items())
        self._nodes.append(node)
        return output

    def model(
        self, inputs: Mapping[str, Sequence[str]], outputs: Mapping[str, Sequence[str | int]]
    ) -> ModelProto:
        """Return the checked model. Inputs are int64, outputs float32; shapes are given by name."""
        from onnx import TensorProto, checker, helper

        graph = helper.make_graph(
            self._nodes,
            "arbiter",
            [
                helper.make_tensor_value_info(name, TensorProto.INT64, list(shape))
                for name, shape in inputs.items()
            ],
            [
                helper.make_tensor_value_info(name, TensorProto.FLOAT, list(shape))
                for name, shape in outputs.items()
            ],
            list(self._constants.values()),
        )
        opsets = [helper.make_opsetid("", _OPSET), helper.make_opsetid(_RUNTIME, 1)]
        model = helper.make_model(
            graph, opset_imports=opsets, ir_version=_IR_VERSION, producer_name="arbiter"
        )
        checker.check_model(model)
        return model


def bert_encoder(
    graph: Graph,
    weights: Mapping[str, Array],
    *,
    heads: int,
    input_ids: str,
    attention_mask: str,
    token_type_ids: str | None = None,
) -> str:
    """Add a BERT encoder and return the name of its last hidden states, shape (texts, tokens, hidden).

    Args:
        graph: what the encoder becomes a part of.
        weights: tensors by their names in a BERT checkpoint, without the prefix ``bert.``.
        heads: attention heads of a layer.
        input_ids: name of the token ids, int64, shape (texts, tokens).
        attention_mask: name of the mask, int64, same shape; 1 for a token, 0 for padding.
        token_type_ids: name of the segment ids, int64, same shape; None: all are of segment 0.
    """
    states = _embeddings(graph, weights, input_ids, token_type_ids)
    mask = graph.apply("Cast", attention_mask, to=_onnx_type("INT32"))
    layer = 0
    while f"encoder.layer.{layer}.output.dense.weight" in weights:
        states = _layer(graph, weights, f"encoder.layer.{layer}.", states, mask, heads)
        layer += 1
    return states


def _embeddings(
    graph: Graph, weights: Mapping[str, Array], input_ids: str, token_type_ids: str | None
) -> str:
    """Look words up in a table of int8 with a scale a row: it is half of the weights of a small model."""
    table = weights["embeddings.word_embeddings.weight"]
    scales = np.maximum(np.abs(table).max(axis=1, keepdims=True), 1e-6) / _TOKEN_STEPS
    words = graph.constant("words", np.rint(table / scales).astype(np.int8))
    looked_up = graph.apply("Cast", graph.apply("Gather", words, input_ids), to=_onnx_type("FLOAT"))
    scale = graph.apply("Gather", graph.constant("word_scales", scales.astype(np.float32)), input_ids)
    word = graph.apply("Mul", looked_up, scale)
    positions = weights["embeddings.position_embeddings.weight"]
    segments = weights["embeddings.token_type_embeddings.weight"]
    if token_type_ids is None:
        positions = positions + segments[0]
    else:
        segment = graph.apply("Gather", graph.constant("segments", segments), token_type_ids)
        word = graph.apply("Add", word, segment)
    start = graph.constant("start", np.array([0], dtype=np.int64))
    tokens = graph.apply("Shape", input_ids, start=1, end=2)
    position = graph.apply("Slice", graph.constant("positions", positions), start, tokens)
    return _layer_norm(graph, weights, "embeddings.LayerNorm", graph.apply("Add", word, position))


def _layer(
    graph: Graph, weights: Mapping[str, Array], prefix: str, states: str, mask: str, heads: int
) -> str:
    attention = prefix + "attention."
    token = _quantised(graph, states)
    parts = [f"{attention}self.{part}" for part in ("query", "key", "value")]
    bias = np.concatenate([weights[f"{part}.bias"] for part in parts])
    mixed = graph.apply(
        "MultiHeadAttention",
        *(_product(graph, weights, part, token) for part in parts),
        graph.constant(attention + "bias", bias),
        mask,
        domain=_RUNTIME,
        num_heads=heads,
    )
    states = _residual(graph, weights, attention + "output.", mixed, states)
    inner = _linear(graph, weights, prefix + "intermediate.dense", states)
    return _residual(graph, weights, prefix + "output.", graph.apply("Gelu", inner), states)


def _residual(graph: Graph, weights: Mapping[str, Array], prefix: str, new: str, old: str) -> str:
    added = graph.apply("Add", _linear(graph, weights, prefix + "dense", new), old)
    return _layer_norm(graph, weights, prefix + "LayerNorm", added)


def _layer_norm(graph: Graph, weights: Mapping[str, Array], name: str, states: str) -> str:
    scale, bias = (graph.constant(f"{name}.{part}", weights[f"{name}.{part}"]) for part in ("weight", "bias"))
    return graph.apply("LayerNormalization", states, scale, bias, axis=-1, epsilon=_LAYER_NORM_EPSILON)


def _linear(graph: Graph, weights: Mapping[str, Array], name: str, states: str) -> str:
    bias = graph.constant(f"{name}.bias", weights[f"{name}.bias"])
    return graph.apply("Add", _product(graph, weights, name, _quantised(graph, states)), bias)


def _quantised(graph: Graph, states: str) -> tuple[str, str]:
    """Return the states in eight bits, and each token's largest magnitude, by which they were divided."""
    last = graph.constant("last_axis", np.array([-1], dtype=np.int64))
    largest = graph.apply("ReduceMax", graph.apply("Abs", states), last, keepdims=1)
    step = graph.constant("token_step", np.array(1 / _TOKEN_STEPS, dtype=np.float32))
    middle = graph.constant("token_middle", np.array(_TOKEN_STEPS + 1, dtype=np.uint8))
    return graph.apply("QuantizeLinear", graph.apply("Div", states, largest), step, middle), largest


def _product(graph: Graph, weights: Mapping[str, Array], name: str, token: tuple[str, str]) -> str:
    """Multiply quantised states by a weight matrix, without its bias."""
    weight = weights[f"{name}.weight"]
    scales = np.abs(weight).max(axis=1) / _WEIGHT_STEPS
    rounded = np.rint(weight / scales[:, None]).astype(np.int8)
    quantised, largest = token
    product = graph.apply(
        "MatMulIntegerToFloat",
        quantised,
        graph.constant(f"{name}.weight", rounded.T),
        "token_step",
        graph.constant(f"{name}.scales", scales.astype(np.float32)),
        "token_middle",
        domain=_RUNTIME,
    )
    return graph.apply("Mul", product, largest)


def _onnx_type(name: str) -> int:
    from onnx import TensorProto

    return int(TensorProto.DataType.Value(name))
