"""What a namespace holds, in plain dictionaries."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from typing import Any

from arbiter.domain.evidence import JudgedPair
from arbiter.domain.facts import Fact, Sighting, fact_of
from arbiter.domain.outcomes import Decision, FactState, ReviewItem, Ruling
from arbiter.domain.review_queue import Comment, ReviewStatus, ReviewWork


@dataclass(frozen=True, slots=True)
class Period:
    """A decision with the time during which it was in force; ``ended`` is (position, moment)."""

    decision: Decision
    since: datetime
    ended: tuple[int, datetime] | None = None


@dataclass(frozen=True, slots=True)
class Asked:
    """A review item with where it stands, when it was asked and when it was closed."""

    item: ReviewItem
    status: ReviewStatus
    opened_at: datetime
    closed_at: datetime | None = None


@dataclass(slots=True)
class Space:
    """Everything in one namespace. What enters the log is kept as (position, moment, thing)."""

    position: int = 0
    sightings: dict[str, tuple[int, datetime, Sighting]] = field(default_factory=dict)
    told: dict[str, tuple[str, ...]] = field(default_factory=dict)
    subjects: dict[str, str] = field(default_factory=dict)
    entities: dict[str, frozenset[str]] = field(default_factory=dict)
    finished: set[str] = field(default_factory=set)
    erased: dict[str, tuple[int, datetime, str]] = field(default_factory=dict)
    vectors: dict[tuple[str, str], tuple[int, Any]] = field(default_factory=dict)
    judgements: list[tuple[int, datetime, JudgedPair]] = field(default_factory=list)
    rulings: dict[str, tuple[int, datetime, Ruling]] = field(default_factory=dict)
    states: dict[str, FactState] = field(default_factory=dict)
    changes: list[tuple[int, datetime, str | None, FactState]] = field(default_factory=list)
    decisions: dict[int, Period] = field(default_factory=dict)
    reviews: dict[str, Asked] = field(default_factory=dict)
    work: dict[str, ReviewWork] = field(default_factory=dict)
    comments: dict[str, Comment] = field(default_factory=dict)
    receipts: dict[str, dict[str, object]] = field(default_factory=dict)
    received: dict[str, datetime] = field(default_factory=dict)

    def copy(self) -> Space:
        """Return a copy whose changes do not show here; what is inside never changes."""
        return Space(**{item.name: copy(getattr(self, item.name)) for item in fields(self)})

    def fact(self, fact_id: str) -> Fact:
        """Return a fact of the space."""
        found = fact_of(self.sightings[sighting_id][2] for sighting_id in self.told[fact_id])
        if fact_id not in self.erased:
            return found
        return replace(found, content="", fingerprint=self.erased[fact_id][2], erased=True)

    def facts(self) -> list[Fact]:
        """Return every fact, oldest first."""
        return sorted(map(self.fact, self.told), key=lambda fact: (fact.first_seen, fact.id))

    def counting(self, *, before: int | None = None) -> dict[tuple[str, str], JudgedPair]:
        """Return the judgement of each pair that counts, or did before a position of the log."""
        found: dict[tuple[str, str], JudgedPair] = {}
        for position, _, pair in self.judgements:
            known = found.get(pair.key)
            if (before is None or position < before) and (known is None or pair.counts_before(known)):
                found[pair.key] = pair
        return found

    def in_force(self) -> dict[str, int]:
        """Return the sequence of each decision in force, by its id."""
        return {p.decision.id: sequence for sequence, p in self.decisions.items() if p.ended is None}
