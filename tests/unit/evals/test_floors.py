"""Floors: read, held against results, set anew."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from arbiter.errors import ConfigurationError
from evals.floors import GATES, MEASURES, Check, Floor, check, floors_of, read_floors, written
from evals.report.payloads import pair_payload, stream_payload
from tests.answered import end, item, numbered, run, streams

CASES = numbered(
    *[item("update", "update", 0.9)] * 7, item("update", "unrelated", 0.5), item("unrelated", "update", 0.4),
    item("unrelated", None),
)  # fmt: skip
PAIRS = pair_payload(run(*CASES, suite="gold_dev", judge="local"))
LIVED = stream_payload(
    streams(
        (end("r1", "active", "active"), end("r2", "active", "superseded"), end("r3", "active", "pending")),
        suite="streams_dev",
        judge="local",
    )
)


def file(folder: Path, text: str) -> Path:
    """Write a file of floors."""
    path = folder / "gates.toml"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("measure", "value"),
    [
        ("judged", 0.9),
        ("accuracy", 7 / 9),
        ("macro_f1", (14 / 16 + 0) / 2),
        ("right_actions", 0.7),
        ("coverage", 0.9),
        ("wrong_removals", 1),
        ("missed_conflicts", 1),
        ("surest_60", 1.0),
    ],
)
def test_every_measure_of_pairs_is_read_off_a_result(measure: str, value: float) -> None:
    """By the name that it has in the file."""
    read = MEASURES["pairs"][measure].read(PAIRS)
    assert read == pytest.approx(value, abs=1e-4)


@pytest.mark.parametrize(
    ("measure", "value"),
    [
        ("state_right", 1 / 3),
        ("wrong_removals", 1),
        ("missed_conflicts", 0),
        ("held", 1),
        ("questions_found", 3),
        ("other_questions", 2),
    ],
)
def test_every_measure_of_streams_is_read_off_a_result(measure: str, value: float) -> None:
    """In the main order of arrival."""
    assert MEASURES["streams"][measure].read(LIVED) == pytest.approx(value)


def test_what_fell_is_said_with_how_far() -> None:
    """A floor that is met to the letter holds."""
    floors = [
        Floor("gold_dev", "local", "judged", "least", 0.9),
        Floor("gold_dev", "local", "coverage", "least", 0.95),
        Floor("gold_dev", "local", "wrong_removals", "most", 0),
    ]
    found = check(floors, PAIRS)
    assert [one.holds for one in found] == [True, False, False]
    assert [one.sentence() for one in found] == [
        "holds  gold_dev, local: judged 0.9, at least 0.9",
        "FELL   gold_dev, local: coverage 0.9, at least 0.95: off by 0.05",
        "FELL   gold_dev, local: wrong_removals 1, at most 0: off by 1",
    ]


def test_where_there_is_nothing_to_score_every_floor_fell() -> None:
    """A judge that judges nothing does not pass for a good one."""
    floor = Floor("gold_dev", "local", "accuracy", "least", 0.0)
    (found,) = check([floor], pair_payload(run(item("update", None))))
    assert found == Check(floor, None)
    assert found.sentence() == "FELL   gold_dev, local: accuracy nothing to score, at least 0"


@pytest.mark.parametrize(
    ("measure", "value", "floor"),
    [
        ("accuracy", 0.76, 0.74),
        ("accuracy", 0.7699, 0.74),
        ("accuracy", 0.01, 0.0),
        ("calibration_error", 0.0588, 0.08),
        ("wrong_removals", 0, 0),
        ("wrong_removals", 4, 5),
        ("wrong_removals", 35, 38),
    ],
)
def test_a_floor_lies_a_tolerance_below_what_was_measured(measure: str, value: float, floor: float) -> None:
    """Two points for a share; a tenth of a count, one at least, but none of nothing."""
    assert MEASURES["pairs"][measure].floor(value) == pytest.approx(floor)


def test_of_what_there_should_be_much_a_floor_lies_below() -> None:
    """The questions that people should be asked."""
    assert MEASURES["streams"]["questions_found"].floor(33) == 30


def test_floors_that_were_set_hold_and_are_read_back(tmp_path: Path) -> None:
    """Names that TOML would not take bare are quoted; what is nothing to score gets no floor."""
    recorded: dict[str, Any] = {**PAIRS, "judge": "replay:gpt-4o.v2"}
    floors = [*floors_of(PAIRS, "pairs"), *floors_of(recorded, "pairs"), *floors_of(LIVED, "streams")]
    text = written(floors)
    assert '\n\n[gold_dev."replay:gpt-4o.v2"]\njudged = { least = 0.88 }\n' in text
    assert read_floors(file(tmp_path, text)) == floors
    assert all(one.holds for one in check(floors_of(PAIRS, "pairs"), PAIRS))
    unscored = pair_payload(run(item("update", None), suite="gold_dev"))
    assert [floor.measure for floor in floors_of(unscored, "pairs")] == ["wrong_removals", "missed_conflicts"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[gold.local]\naccuracy = { least = 1 }", "no suite is called 'gold'"),
        ("[gold_dev.local]\nbeauty = { least = 1 }", "gold_dev has no measure 'beauty'; there are judged,"),
        ("[gold_dev.local]\naccuracy = { most = 1 }", "accuracy takes a number, 'least', and nothing else"),
        ("[gold_dev.local]\naccuracy = { least = 'much' }", "accuracy takes a number"),
        ("[gold_dev.local]\naccuracy = 1", "accuracy takes a number, 'least', and nothing else"),
        ("[gold_dev]\nlocal = 1", "gates.toml cannot be read"),
        ("[retrieval.x]\naccuracy = { least = 1 }", "retrieval has no measure 'accuracy'; there are judged"),
        ("[", "gates.toml cannot be read"),
    ],
)
def test_a_file_with_faults_is_refused(tmp_path: Path, text: str, message: str) -> None:
    """A floor that nothing is held to would be no floor."""
    with pytest.raises(ConfigurationError, match=message):
        read_floors(file(tmp_path, text))


def test_the_floors_of_the_project_are_on_what_the_issue_names() -> None:
    """The local judge, and exact comparison with claim keys, on pairs and on streams."""
    held = {(floor.suite, floor.judge) for floor in read_floors(GATES)}
    suites = ("gold_dev", "vault_bench", "streams_dev")
    assert {(suite, judge) for suite in suites for judge in ("local", "keyed")} <= held
