"""What was decided, what is asked of people, and what the caller is told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from arbiter.domain.canonical import digest
from arbiter.domain.evidence import Candidate, Judgement, Side, Spend
from arbiter.domain.vocabulary import (
    Action,
    Outcome,
    Relation,
    RulingKind,
    Stakes,
    State,
    StateReason,
    Strategy,
)


@dataclass(frozen=True, slots=True)
class Decision:
    """What the policy makes of one pair. ``a`` is the earlier fact, ``b`` the later one.

    ``winner`` stays readable, ``loser`` does not; both are None where both stay. ``scores`` holds the
    numbers that were compared (confidence and threshold, authority, votes).
    """

    a: str
    b: str
    action: Action
    rule: str
    explanation: str
    relation: Relation | None = None
    reason: StateReason | None = None
    winner: str | None = None
    loser: str | None = None
    strategy: Strategy | None = None
    stakes: Stakes = Stakes.NORMAL
    judge: str = ""
    scores: Mapping[str, float] = field(default_factory=dict)
    asks: bool = False

    @property
    def id(self) -> str:
        """Derived from what was decided, so that deciding the same again is the same decision."""
        low, high = sorted((self.a, self.b))
        return "dec_" + digest(low, high, self.action, self.rule, self.winner, self.loser, self.judge)

    @property
    def key(self) -> tuple[str, str]:
        """The pair without its orientation."""
        return (self.a, self.b) if self.a < self.b else (self.b, self.a)

    @property
    def retires(self) -> bool:
        """Does it take a fact out of reading?"""
        return self.loser is not None


@dataclass(frozen=True, slots=True)
class Ruling:
    """A person's decision on a pair; outranks every judge and survives every compile.

    ``a`` and ``b`` are the facts as they were shown, with the digests that the reviewer saw. An undo is
    a ruling too: it names the decision that it takes back, as a retraction names the ruling. A merge names
    the fact that stands for both and the sighting by which the reviewer wrote it. What sets a question
    aside holds the digest of the evidence that was not enough.
    """

    id: str
    namespace: str
    a: str
    b: str
    kind: RulingKind
    reviewer: str
    at: datetime
    digest_a: str
    digest_b: str
    relabel: Relation | None = None
    reason: str = ""
    policy: str = ""
    decision: str | None = None
    retracts: str | None = None
    merged: str | None = None
    sighting: str | None = None
    evidence: str | None = None

    @property
    def key(self) -> tuple[str, str]:
        """The pair without its orientation."""
        return (self.a, self.b) if self.a < self.b else (self.b, self.a)

    @property
    def facts(self) -> frozenset[str]:
        """Every fact that it is about: the pair, and what was written for it."""
        return frozenset(fact_id for fact_id in (self.a, self.b, self.merged) if fact_id is not None)


@dataclass(frozen=True, slots=True)
class FactState:
    """Where one fact stands. ``successor`` is the fact that stands for it now or came after it."""

    fact_id: str
    state: State
    reason: StateReason | None = None
    successor: str | None = None
    contested: bool = False
    decision: str | None = None


@dataclass(frozen=True, slots=True)
class ReviewItem:
    """A pair that waits for a person. ``priority`` is higher for what is more urgent.

    ``kind`` is the reason why it is asked: conflict, unsure, guard, unjudged, stale_risk, proposal, cycle.
    ``reach`` is how many sightings hang on the answer. ``evidence`` is the digest of what is known about
    the question: while it stays the same, whoever set the question aside need not look again.
    """

    a: str
    b: str
    kind: str
    rule: str
    question: str
    priority: int
    digest_a: str
    digest_b: str
    relation: Relation | None = None
    stakes: Stakes = Stakes.NORMAL
    proposal: str | None = None
    reach: int = 0
    evidence: str = ""

    @property
    def id(self) -> str:
        """Derived from the pair: one pair is one item, in whatever order it is met."""
        return review_id(self.a, self.b)

    @property
    def key(self) -> tuple[str, str]:
        """The pair without its orientation."""
        return (self.a, self.b) if self.a < self.b else (self.b, self.a)


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    """One thing that happened to a fact, as the log has it."""

    at: datetime
    kind: str
    detail: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a record was not stored as it stands; ``field`` names the field to blame."""

    code: str
    message: str
    field: str | None = None


@dataclass(frozen=True, slots=True)
class FoundRelation:
    """What was found between the record's fact and another one; ``side`` is the other one's."""

    fact_id: str
    side: Side
    judgement: Judgement


@dataclass(frozen=True, slots=True)
class Receipt:
    """The full answer for one record; every outcome has the same fields."""

    record_index: int
    namespace: str
    outcome: Outcome
    stored: bool
    fact_id: str | None = None
    event_key: str | None = None
    state: State | None = None
    contested: bool = False
    retryable: bool = False
    reason: Reason | None = None
    relations: tuple[FoundRelation, ...] = ()
    decisions: tuple[Decision, ...] = ()
    review: tuple[str, ...] = ()
    candidates: tuple[Candidate, ...] = ()
    cost: Spend = Spend()
    duplicate_of: str | None = None
    supersedes: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """Derived from the event and its place in the batch."""
        return "rcpt_" + digest(self.namespace, self.event_key, str(self.record_index), self.outcome)


def review_id(a: str, b: str) -> str:
    """Return the id of the review item of a pair, in either order."""
    return "rev_" + digest(*sorted((a, b)))
