"""``arbiter judge`` trains, measures and calibrates from the command line."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from arbiter.cli.judge import command
from arbiter.errors import ConfigurationError
from arbiter.training.export import export
from tests.unit.training.tiny import contrast_rows, network, written


@pytest.fixture(name="base")
def _base(tmp_path: Path) -> Path:
    export(network(), tmp_path / "base", provenance={})
    return tmp_path / "base"


def test_train_then_evaluate_then_calibrate(tmp_path: Path, base: Path) -> None:
    """Each command says in JSON how many pairs it saw; training writes a judge, calibration changes it."""
    pairs = str(written(tmp_path / "team.jsonl", contrast_rows(8)))
    out = str(tmp_path / "out")
    runner = CliRunner()
    trained = runner.invoke(
        command,
        ["train", pairs, "--out", out, "--base", str(base), "--epochs", "1", "--share", "0.5", "--json"],
    )
    assert trained.exit_code == 0, trained.output
    assert json.loads(trained.stdout)["pairs"] == 20
    assert "20 pairs to train on, 20 held out to calibrate" in trained.stderr
    evaluated = runner.invoke(command, ["evaluate", pairs, "--model", out, "--json"])
    assert json.loads(evaluated.stdout)["pairs"] == 40
    card = Path(out, "judge.json")
    before = card.read_text(encoding="utf-8")
    calibrated = runner.invoke(command, ["calibrate", pairs, "--model", out, "--budget", "0.1", "--json"])
    assert json.loads(calibrated.stdout)["threshold"] == 1.01
    assert json.loads(card.read_text(encoding="utf-8"))["calibration"]["pairs"] == 40
    assert card.read_text(encoding="utf-8") != before


def test_people_read_a_table(tmp_path: Path, base: Path) -> None:
    """Without --json the first line has the accuracy with its interval, and a table follows."""
    pairs = str(written(tmp_path / "team.jsonl", contrast_rows(2)))
    shown = CliRunner().invoke(command, ["evaluate", pairs, "--model", str(base)])
    assert shown.exit_code == 0, shown.output
    assert shown.stdout.startswith("10 pairs: accuracy 0.")
    assert "complementary" in shown.stdout


def test_nothing_to_measure_is_an_error(tmp_path: Path) -> None:
    """A file without labelled pairs measures nothing."""
    empty = written(tmp_path / "empty.jsonl", [])
    with pytest.raises(ConfigurationError, match=r"no row is labelled.*empty\.jsonl: 0 rows read"):
        CliRunner().invoke(command, ["evaluate", str(empty)], catch_exceptions=False)


def test_people_are_told_that_a_judge_never_acts(tmp_path: Path, base: Path) -> None:
    """Training on few pairs says what was kept, what the pairs cannot show, and how to go on."""
    pairs = str(written(tmp_path / "team.jsonl", contrast_rows(8)))
    options = ["--out", str(tmp_path / "out"), "--base", str(base), "--epochs", "1", "--share", "0.3"]
    shown = CliRunner().invoke(command, ["train", pairs, *options])
    assert shown.exit_code == 0, shown.output
    kept, never = shown.stdout.splitlines()[-2:]
    assert kept == (
        "10 pairs are too few to fit a temperature to, which takes 100: 1 is kept, which came with the base "
        "or from an earlier calibration."
    )
    assert never == (
        "This judge never acts: 10 pairs cannot show 1.00% of wrong removals, which takes 299 without a "
        "mistake. Until then everything that would remove a fact goes to people; `arbiter judge calibrate` "
        "sets its thresholds by more, or other, pairs."
    )


def test_too_few_pairs_calibrate_nothing(tmp_path: Path, base: Path) -> None:
    """A judge that acts shall not be silenced by pairs that cannot show anything: it stays as it is."""
    card = (base / "judge.json").read_bytes()
    pairs = str(written(tmp_path / "team.jsonl", contrast_rows(2)))
    with pytest.raises(ConfigurationError, match=r"10 pairs cannot show 1\.00%.*takes 299 without a mistake"):
        CliRunner().invoke(command, ["calibrate", pairs, "--model", str(base)], catch_exceptions=False)
    assert (base / "judge.json").read_bytes() == card


def test_measuring_and_calibrating_need_no_torch(tmp_path: Path, base: Path) -> None:
    """Both run where torch, transformers and onnx are not installed; training says what it lacks."""
    pairs = str(written(tmp_path / "team.jsonl", contrast_rows(6)))
    without = (
        "import sys; sys.modules.update(dict.fromkeys(['torch', 'transformers', 'onnx']));"
        "from arbiter.cli import main; sys.exit(main(sys.argv[1:]))"
    )

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-c", without, "judge", *arguments], check=False, capture_output=True, text=True
        )

    model = ("--model", str(base))
    measured = run("evaluate", pairs, *model, "--json")
    assert (measured.returncode, json.loads(measured.stdout)["pairs"]) == (0, 30), measured.stderr
    calibrated = run("calibrate", pairs, *model, "--budget", "0.1", "--json")
    assert (calibrated.returncode, json.loads(calibrated.stdout)["pairs"]) == (0, 30), calibrated.stderr
    trained = run("train", pairs, "--out", str(tmp_path / "out"))
    assert trained.returncode == 2
    assert "pip install 'arbiter[build]'" in trained.stderr
