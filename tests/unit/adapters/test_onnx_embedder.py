"""The packaged embedder: faithful to the original, light, and clear about a broken installation."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

from arbiter.adapters.onnx_embedder import PACKAGED, OnnxEmbedder
from arbiter.errors import ConfigurationError, EmbeddingError

DATA = Path(__file__).parents[2] / "data"


@pytest.fixture(scope="module")
def embedder() -> OnnxEmbedder:
    """Return the packaged embedder on one thread."""
    return OnnxEmbedder(threads=1)


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """Return a copy of the packaged files that a test may break."""
    shutil.copytree(PACKAGED, tmp_path / "model")
    return tmp_path / "model"


def test_it_is_faithful_to_the_original(embedder: OnnxEmbedder) -> None:
    """Mean cosine to vectors of the original weights in float32, as ``build_embedding`` kept them."""
    texts = (DATA / "embedding_reference.txt").read_text(encoding="utf-8").splitlines()
    with np.load(DATA / "embedding_reference.npz") as stored:
        expected = stored["vectors"]
    assert expected.shape == (40, 384) == (len(texts), embedder.dimension)
    cosines = (embedder.embed(texts) * expected).sum(axis=1)
    assert cosines.mean() >= 0.99
    assert cosines.min() >= 0.98


def test_the_id_holds_the_digest_of_the_file(embedder: OnnxEmbedder) -> None:
    """Vectors of two files are never compared, so the id must tell files apart."""
    digest = sha256((PACKAGED / "model.onnx").read_bytes()).hexdigest()
    assert embedder.model_id == f"all-MiniLM-L6-v2-int8@{digest[:12]}"
    assert embedder.dimension == 384


def test_the_card_speaks_of_the_files() -> None:
    """Digests, origin and licence stand beside the files."""
    card = json.loads((PACKAGED / "model.json").read_text(encoding="utf-8"))
    assert card["tokenizer_sha256"] == sha256((PACKAGED / "tokenizer.json").read_bytes()).hexdigest()
    assert card["license"] == "Apache-2.0"
    assert "Apache License" in (PACKAGED / "LICENSE").read_text(encoding="utf-8")
    assert card["source_sha256"] in (PACKAGED / "NOTICE").read_text(encoding="utf-8")


def test_no_heavy_library_is_imported() -> None:
    """Embedding takes onnxruntime and tokenizers: no torch, transformers or sentence-transformers."""
    program = (
        "import sys; from arbiter.adapters.onnx_embedder import OnnxEmbedder; "
        "OnnxEmbedder(threads=1).embed(['User moved to Porto.']); "
        "print(sorted({'sentence_transformers', 'torch', 'transformers'} & set(sys.modules)))"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=120
    )
    assert run.stdout.strip() == "[]"


def test_windows_and_batches_change_nothing_else(embedder: OnnxEmbedder) -> None:
    """A text in two windows is the mean of its halves; the size of a batch plays no part."""
    words = "harbour crane report vote ship rope".split(" ")
    halves = embedder.embed([" ".join(words[:3]), " ".join(words[3:])])
    mean = halves.sum(axis=0) / np.linalg.norm(halves.sum(axis=0))
    narrow = OnnxEmbedder(threads=1, max_tokens=5, batch_tokens=5)
    assert narrow.embed([" ".join(words)])[0] == pytest.approx(mean, abs=1e-3)


def test_padding_changes_nothing(embedder: OnnxEmbedder) -> None:
    """Beside a text of two hundred words a short one keeps its vector."""
    alone = embedder.embed(["Done."])[0]
    beside = embedder.embed(["Done.", "the cranes in the harbour " * 40])[0]
    assert float(alone @ beside) == pytest.approx(1.0, abs=1e-5)


def test_a_lone_surrogate_is_an_embedding_error(embedder: OnnxEmbedder) -> None:
    """What is not Unicode is refused as a whole batch, without a partial answer."""
    with pytest.raises(EmbeddingError, match="not valid Unicode"):
        embedder.embed(["fine", "broken \ud800"])


@pytest.mark.parametrize("card", ["", "[]", "{}", '{"id": "m", "sha256": "0", "dimension": "many"}'])
def test_a_card_that_says_nothing(copied: Path, card: str) -> None:
    """The card is read at once, so that a wrong folder is noticed at the start."""
    (copied / "model.json").write_text(card, encoding="utf-8")
    with pytest.raises(ConfigurationError, match="does not describe an embedding model"):
        OnnxEmbedder(copied)


def test_a_folder_without_a_card(tmp_path: Path) -> None:
    """A folder with nothing in it is no model."""
    with pytest.raises(ConfigurationError, match=r"model\.json does not describe"):
        OnnxEmbedder(tmp_path)


def test_a_damaged_model_is_not_used(copied: Path) -> None:
    """One flipped byte would still compute; the digest finds it."""
    content = bytearray((copied / "model.onnx").read_bytes())
    content[len(content) // 2] ^= 1
    (copied / "model.onnx").write_bytes(content)
    with pytest.raises(ConfigurationError, match=r"is not the file that model\.json speaks of"):
        OnnxEmbedder(copied).embed(["text"])


def test_a_missing_model_is_named(copied: Path) -> None:
    """The message says which file cannot be read."""
    (copied / "model.onnx").unlink()
    with pytest.raises(ConfigurationError, match=r"model\.onnx cannot be read"):
        OnnxEmbedder(copied).embed(["text"])


def test_a_file_that_is_no_model(copied: Path) -> None:
    """What the runtime says is passed on."""
    (copied / "model.onnx").write_bytes(b"no model")
    card = {"id": "m", "sha256": sha256(b"no model").hexdigest(), "dimension": 384}
    (copied / "model.json").write_text(json.dumps(card), encoding="utf-8")
    with pytest.raises(ConfigurationError, match="holds no model that loads"):
        OnnxEmbedder(copied).embed(["text"])


def test_a_file_that_is_no_tokenizer(copied: Path) -> None:
    """The same for the tokenizer."""
    (copied / "tokenizer.json").write_text("{}", encoding="utf-8")
    with pytest.raises(ConfigurationError, match=r"tokenizer\.json is not a tokenizer"):
        OnnxEmbedder(copied).embed(["text"])
