"""Temperature and thresholds that are set only where there are pairs enough."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from arbiter.errors import ConfigurationError
from arbiter.judges.local import JudgeCard
from arbiter.training.calibrate import base_temperature, calibrate, recalibrate
from arbiter.training.examples import Example
from arbiter.training.export import export
from arbiter.training.pair_file import read_pair_file
from tests.unit.training.tiny import contrast_rows, network, row, written


@pytest.fixture(name="judge")
def _judge(tmp_path: Path) -> Path:
    """Write a judge that calls every pair an update."""
    export(network(3), tmp_path / "judge", provenance={})
    return tmp_path / "judge"


@pytest.fixture(name="mild")
def _mild(tmp_path: Path) -> Path:
    """Write a judge that calls every pair unrelated."""
    export(network(0), tmp_path / "mild", provenance={})
    return tmp_path / "mild"


def examples(tmp_path: Path, anchors: int) -> list[Example]:
    """Return five examples for each anchor."""
    return read_pair_file(written(tmp_path / "pairs.jsonl", contrast_rows(anchors))).examples


def test_a_hundred_pairs_fit_a_temperature(tmp_path: Path, judge: Path) -> None:
    """Ninety-five keep the one that is given."""
    kept = calibrate(judge, examples(tmp_path, 19), budget=0.01, confidence=0.95, temperature=1.3)
    assert (kept.measures.pairs, kept.temperature) == (95, 1.3)
    fitted = calibrate(judge, examples(tmp_path, 20), budget=0.01, confidence=0.95, temperature=1.3)
    assert (fitted.measures.pairs, fitted.temperature != 1.3) == (100, True)
    assert JudgeCard.read(judge / "judge.json").temperature == fitted.temperature
    assert [note.partition(":")[0] for note in fitted.notes] == ["This judge never acts"]


def test_why_a_judge_never_acts_is_told_apart(tmp_path: Path, judge: Path, mild: Path) -> None:
    """Wrong wherever it is surest, or of no mind to act: more pairs of the kind would not help."""
    given = [
        e for e in examples(tmp_path, 20) if e.relation in ("contradiction", "complementary", "unrelated")
    ]
    told = [recalibrate(at, given, budget=0.05, confidence=0.95).notes[-1] for at in (judge, mild)]
    assert "no threshold keeps wrong removals to 5.00% on these pairs" in told[0]
    assert "it took none of these pairs for a duplicate, an update or a contradiction" in told[1]


def test_a_threshold_that_is_shown_is_set_without_a_note(tmp_path: Path, judge: Path) -> None:
    """With any harm allowed it acts on every verdict that takes a fact away."""
    found = recalibrate(judge, examples(tmp_path, 20), budget=1.0, confidence=0.95)
    card = json.loads((judge / "judge.json").read_text(encoding="utf-8"))
    assert found.notes == ()
    assert card["thresholds"]["update"] == found.operating.threshold < 1
    assert card["calibration"]["notes"] == []


def test_updates_without_a_side_are_left_out(tmp_path: Path, judge: Path) -> None:
    """No answer could be held against them; with nothing else there is nothing to calibrate with."""
    unsaid = read_pair_file(
        written(tmp_path / "u.jsonl", [row("A a.", "B b.", "update", current=None)])
    ).examples
    told = examples(tmp_path, 2)
    found = calibrate(judge, unsaid + told, budget=0.01, confidence=0.95, temperature=1.0)
    assert found.measures.pairs == 10
    with pytest.raises(ConfigurationError, match="no pair to calibrate with"):
        calibrate(judge, unsaid, budget=0.01, confidence=0.95, temperature=1.0)


def test_a_base_that_is_no_judge_has_no_temperature(tmp_path: Path, judge: Path) -> None:
    """It starts at one; a judge has its own."""
    card = json.loads((judge / "judge.json").read_text(encoding="utf-8"))
    (judge / "judge.json").write_text(json.dumps(card | {"temperature": 2.5}), encoding="utf-8")
    assert (base_temperature(tmp_path), base_temperature(judge)) == (1.0, 2.5)
