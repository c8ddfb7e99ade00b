"""How streams ended: where each record stands beside where it should, and what was asked of people."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from arbiter.domain.evidence import Spend
from arbiter.domain.vocabulary import State, StateReason

MEASURES = ("right", "right_and_marked", "wrongly_removed", "missed", "unmerged", "held")
"""What is counted of records; each is a property of ``RecordEnd``."""

_GONE = (State.SUPERSEDED, State.TOMBSTONED)


@dataclass(frozen=True, slots=True)
class RecordEnd:
    """Where one record that is no replay ended, beside where it should.

    ``swapped``: it was merged with its own duplicate, only that the other wording stayed. ``asked``: a
    person is asked about it.
    """

    stream: str
    rid: str
    expected: State
    expected_merged: bool
    expected_contested: bool
    ended: State
    reason: StateReason | None
    contested: bool
    swapped: bool
    asked: bool

    @property
    def right(self) -> bool:
        """Is its state the expected one?"""
        return self.ended is self.expected

    @property
    def right_and_marked(self) -> bool:
        """Is its state the expected one, and is it marked as contested exactly if it should be?"""
        return self.right and self.contested is self.expected_contested

    @property
    def wrongly_removed(self) -> bool:
        """Was it taken out of reading although it should be read, and not for its own duplicate?"""
        return self.ended in _GONE and self.expected is State.ACTIVE and not self.swapped

    @property
    def missed(self) -> bool:
        """Is a conflict corrupted silently?

        Another fact should have replaced it or contest it, but it stands as if nothing spoke against it, and
        nobody is asked.
        """
        conflict = self.expected_contested or (self.expected in _GONE and not self.expected_merged)
        return conflict and self.ended is State.ACTIVE and not self.contested and not self.asked

    @property
    def unmerged(self) -> bool:
        """Does a duplicate still stand beside the wording that should stay?"""
        return self.expected_merged and self.ended is State.ACTIVE

    @property
    def held(self) -> bool:
        """Does it wait, because nobody could judge it?"""
        return self.ended is State.PENDING


@dataclass(frozen=True, slots=True)
class OrderRun:
    """All streams lived through in one order of arrival.

    Of the pairs put before a person, ``found`` are among the ``wanted`` ones of the authors, ``other`` are
    not. ``settled`` counts verdicts by the kind of judge, ``unjudged`` pairs without one by reason.
    """

    order: str
    ends: tuple[RecordEnd, ...]
    wanted: int
    found: int
    other: int
    settled: Mapping[str, int]
    unjudged: Mapping[str, int]
    cost: Spend
    seconds: float

    def count(self, measure: str) -> int:
        """Return the number of records of which one of ``MEASURES`` holds."""
        return sum(getattr(end, measure) for end in self.ends)


@dataclass(frozen=True, slots=True)
class StreamScore:
    """How the streams ended around one judge, in each order of arrival; the first order is the main one."""

    suite: str
    judge: str
    runs: tuple[OrderRun, ...]

    @property
    def steady(self) -> float:
        """The share of records that end in one state whatever the order of arrival, in [0, 1]."""
        ends = [{(end.stream, end.rid): (end.ended, end.contested) for end in run.ends} for run in self.runs]
        return sum(len({states[key] for states in ends}) == 1 for key in ends[0]) / len(ends[0])
