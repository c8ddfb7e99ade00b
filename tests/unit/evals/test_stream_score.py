"""How the end of a record is counted."""

from __future__ import annotations

from dataclasses import replace

from arbiter.domain.evidence import Spend
from arbiter.domain.vocabulary import State, StateReason
from evals.stream_score import MEASURES, OrderRun, RecordEnd, StreamScore

RIGHT = RecordEnd(
    stream="s1",
    rid="r1",
    expected=State.ACTIVE,
    expected_merged=False,
    expected_contested=False,
    ended=State.ACTIVE,
    reason=None,
    contested=False,
    swapped=False,
    asked=False,
)
GONE = replace(RIGHT, ended=State.SUPERSEDED, reason=StateReason.UPDATE)
STAYED = replace(RIGHT, expected=State.SUPERSEDED)


def holds(end: RecordEnd) -> list[str]:
    """Return the measures that hold of a record."""
    return [name for name in MEASURES if getattr(end, name)]


def test_right_states() -> None:
    """The state counts, and then the mark."""
    assert holds(RIGHT) == ["right", "right_and_marked"]
    assert holds(replace(RIGHT, contested=True)) == ["right"]
    assert holds(replace(GONE, expected=State.SUPERSEDED)) == ["right", "right_and_marked"]


def test_wrong_removals() -> None:
    """A fact that should be read is not, unless only its duplicate took its place."""
    assert holds(GONE) == ["wrongly_removed"]
    assert holds(replace(GONE, ended=State.TOMBSTONED)) == ["wrongly_removed"]
    assert holds(replace(GONE, reason=StateReason.DUPLICATE, swapped=True)) == []
    assert holds(replace(GONE, expected=State.TOMBSTONED)) == []


def test_missed_conflicts() -> None:
    """What should have been replaced or contested stands as if nothing spoke against it."""
    assert holds(STAYED) == ["missed"]
    assert holds(replace(RIGHT, expected_contested=True)) == ["right", "missed"]
    assert holds(replace(STAYED, contested=True)) == []
    assert holds(replace(STAYED, asked=True)) == []
    assert holds(replace(STAYED, expected_merged=True)) == ["unmerged"]
    assert holds(replace(STAYED, ended=State.PENDING)) == ["held"]


def run(*ends: RecordEnd) -> OrderRun:
    """Return a run with these ends."""
    return OrderRun("as told", ends, 0, 0, 0, {}, {}, Spend(), 1.0)


def test_steady_is_what_no_order_changes() -> None:
    """Of two records one ends otherwise in the second order, and the mark counts too."""
    other = replace(RIGHT, rid="r2")
    assert run(RIGHT, GONE).count("right") == 1
    assert StreamScore("s", "j", (run(RIGHT, other), run(replace(GONE), other))).steady == 0.5
    assert (
        StreamScore("s", "j", (run(RIGHT, other), run(RIGHT, replace(other, contested=True)))).steady == 0.5
    )
    assert StreamScore("s", "j", (run(RIGHT, other),)).steady == 1.0
