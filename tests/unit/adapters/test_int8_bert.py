"""The hand-written graph computes what the BERT of transformers computes, up to rounding."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from arbiter.adapters.int8_bert import Graph, bert_encoder

if TYPE_CHECKING:
    from numpy.typing import NDArray

SHAPE = ("texts", "tokens")
IDS = np.array([[2, 7, 11, 3, 0, 0], [2, 9, 14, 4, 21, 3]], dtype=np.int64)
MASK = np.array([[1, 1, 1, 1, 0, 0], [1, 1, 1, 1, 1, 1]], dtype=np.int64)
SEGMENTS = np.array([[0, 0, 1, 1, 0, 0], [0, 0, 0, 1, 1, 1]], dtype=np.int64)


@pytest.fixture(scope="module")
def bert() -> Any:
    """Return a small BERT with random weights."""
    import torch
    from transformers import BertConfig, BertModel

    torch.manual_seed(5)
    config = BertConfig(
        vocab_size=32,
        hidden_size=64,
        num_hidden_layers=3,
        num_attention_heads=4,
        intermediate_size=128,
        max_position_embeddings=16,
        initializer_range=0.2,
    )
    return BertModel(config, add_pooling_layer=False).eval()


def expected(bert: Any, ids: NDArray[np.int64], mask: NDArray[np.int64], segments: NDArray[np.int64]) -> Any:
    """Return the last hidden states that transformers computes."""
    import torch

    with torch.no_grad():
        out = bert(
            input_ids=torch.from_numpy(ids),
            attention_mask=torch.from_numpy(mask),
            token_type_ids=torch.from_numpy(segments),
        )
    return out.last_hidden_state.numpy()


def session(bert: Any, *inputs: str) -> Any:
    """Return a runtime session of the graph of a model, with these inputs."""
    import onnxruntime

    weights = {name: tensor.numpy() for name, tensor in bert.state_dict().items()}
    graph = Graph()
    states = bert_encoder(graph, weights, heads=4, **{name: name for name in inputs})
    graph.name("states", "Identity", states)
    model = graph.model(dict.fromkeys(inputs, SHAPE), {"states": (*SHAPE, 64)})
    return onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])


def cosines(found: NDArray[np.float32], wanted: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the cosine of each token that is no padding."""
    product = (found * wanted).sum(axis=-1)
    lengths = np.linalg.norm(found, axis=-1) * np.linalg.norm(wanted, axis=-1)
    return np.asarray((product / lengths)[MASK == 1])


def test_one_segment(bert: Any) -> None:
    """Without segment ids every token is of segment 0; padding is not attended to."""
    (states,) = session(bert, "input_ids", "attention_mask").run(
        None, {"input_ids": IDS, "attention_mask": MASK}
    )
    assert states.shape == (2, 6, 64)
    assert cosines(states, expected(bert, IDS, MASK, np.zeros_like(IDS))).min() > 0.998


def test_two_segments(bert: Any) -> None:
    """With segment ids, as a judge of pairs needs them."""
    runtime = session(bert, "input_ids", "attention_mask", "token_type_ids")
    feed = {"input_ids": IDS, "attention_mask": MASK, "token_type_ids": SEGMENTS}
    (states,) = runtime.run(None, feed)
    assert cosines(states, expected(bert, IDS, MASK, SEGMENTS)).min() > 0.998
    assert cosines(states, expected(bert, IDS, MASK, 1 - SEGMENTS)).min() < 0.99


def test_neighbours_and_padding_change_nothing(bert: Any) -> None:
    """Every token has its own scale, so a text alone gives the same numbers as beside a longer one."""
    runtime = session(bert, "input_ids", "attention_mask")
    (together,) = runtime.run(None, {"input_ids": IDS, "attention_mask": MASK})
    (alone,) = runtime.run(None, {"input_ids": IDS[:1, :4], "attention_mask": MASK[:1, :4]})
    assert together[0, :4] == pytest.approx(alone[0], abs=1e-5)


def test_weights_keep_within_seven_bits(bert: Any) -> None:
    """Sums of two products then fit in 16 bits on every processor."""
    weights = {name: tensor.numpy() for name, tensor in bert.state_dict().items()}
    graph = Graph()
    graph.name(
        "states",
        "Identity",
        bert_encoder(graph, weights, heads=4, input_ids="input_ids", attention_mask="attention_mask"),
    )
    model = graph.model({"input_ids": SHAPE, "attention_mask": SHAPE}, {"states": (*SHAPE, 64)})
    from onnx import numpy_helper

    matrices = [
        numpy_helper.to_array(tensor)
        for tensor in model.graph.initializer
        if tensor.name.startswith("encoder") and tensor.name.endswith(".weight") and len(tensor.dims) == 2
    ]
    assert len(matrices) == 3 * 6
    assert {matrix.dtype for matrix in matrices} == {np.dtype(np.int8)}
    assert max(int(np.abs(matrix.astype(int)).max()) for matrix in matrices) == 64
