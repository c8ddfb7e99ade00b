"""``arbiter judge`` trains, measures and calibrates from the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from arbiter.cli.judge import command
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
    calibrated = runner.invoke(command, ["calibrate", pairs, "--model", out, "--json"])
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
    assert CliRunner().invoke(command, ["evaluate", str(empty)]).exit_code == 2
