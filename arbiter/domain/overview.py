"""What a namespace looks like from afar: counts for those who watch over it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date

from arbiter.domain.evidence import Spend


@dataclass(frozen=True, slots=True)
class Totals:
    """How a namespace stands now.

    ``records`` is how often facts were delivered, re-reads included; ``merged`` facts say what another one
    says. ``states`` counts facts by state, ``relations`` and ``judges`` the pairs on which a decision is in
    force; ``unjudged`` are those that nobody could judge.
    """

    records: int = 0
    facts: int = 0
    merged: int = 0
    contested: int = 0
    states: Mapping[str, int] = field(default_factory=dict)
    relations: Mapping[str, int] = field(default_factory=dict)
    judges: Mapping[str, int] = field(default_factory=dict)
    unjudged: int = 0

    @property
    def redundant(self) -> int:
        """How many records only say what another one says."""
        return max(0, self.records - (self.facts - self.merged))

    @property
    def duplicate_ratio(self) -> float:
        """Their share of all records, in [0, 1]."""
        return self.redundant / self.records if self.records else 0.0


@dataclass(frozen=True, slots=True)
class DayOfRecords:
    """What became of the records of one day, in UTC, by outcome, and what judging them cost."""

    day: date
    outcomes: Mapping[str, int]
    spend: Spend


@dataclass(frozen=True, slots=True)
class Rulings:
    """How many rulings of one kind a person made on one day, in UTC; those taken back are left out."""

    day: date
    reviewer: str
    kind: str
    count: int


@dataclass(frozen=True, slots=True)
class Waited:
    """How many questions were asked on one day and closed on another, in UTC; None: they still wait.

    A question that was asked again counts from then.
    """

    asked: date
    closed: date | None
    count: int
