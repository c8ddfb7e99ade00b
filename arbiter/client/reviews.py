"""The review queue: the service's answers as they are, key by key."""

from __future__ import annotations

from typing import Any, TypedDict

from arbiter.client.facts import Fact, FactState
from arbiter.client.records import Cost, Decision
from arbiter.client.words import Action, ImportStatus, Relation, ReviewStatus, RulingKind, Stakes


class ReviewClaim(TypedDict):
    """Somebody has an item in hand."""

    reviewer: str
    until: str


class Queued(TypedDict):
    """A pair that waits for a person, with its place in the queue."""

    id: str
    open: bool
    status: ReviewStatus
    kind: str
    a: str
    b: str
    question: str
    priority: int
    rule: str
    relation: Relation | None
    stakes: Stakes
    proposal: str | None
    digest_a: str
    digest_b: str
    reach: int
    opened_at: str
    closed_at: str | None
    age_s: int
    assignee: str | None
    claim: ReviewClaim | None


class Priority(TypedDict):
    """What makes up a priority."""

    stakes: int
    urgency: int
    reach: int
    age: int


class Sides(TypedDict):
    """Both facts as they are now."""

    a: Fact
    b: Fact


class Run(TypedDict):
    """A stretch of a text, and whether the other text lacks it."""

    text: str
    differs: bool


class Marks(TypedDict):
    """Both texts in stretches."""

    a: list[Run]
    b: list[Run]


class Proposed(TypedDict):
    """What the policy makes of the pair as it stands."""

    action: Action
    rule: str
    explanation: str


class Ruling(TypedDict):
    """What a person decided."""

    id: str
    a: str
    b: str
    ruling: RulingKind
    reviewer: str
    at: str
    relabel: Relation | None
    reason: str
    policy: str
    decision: str | None
    merged: str | None
    retracts: str | None


class Comment(TypedDict):
    """What somebody noted."""

    id: str
    review_id: str
    author: str
    at: str
    text: str


class Review(Queued):
    """Everything that a reviewer needs to answer."""

    priority_parts: Priority
    stale: bool
    facts: Sides
    marks: Marks
    evidence: dict[str, Any] | None
    proposed: Proposed | None
    decisions: list[Decision]
    rulings: list[Ruling]
    holding: str | None
    comments: list[Comment]


class ReviewCounts(TypedDict):
    """How the queue stands."""

    open: int
    set_aside: int
    closed: int
    high_stakes: int
    claimed: int
    kinds: dict[str, int]
    oldest: str | None
    oldest_s: int | None


class Ruled(TypedDict):
    """What a ruling did."""

    ruling: Ruling
    changed: list[FactState]
    cost: Cost


class ImportedRuling(TypedDict):
    """What became of one line."""

    line: int
    review_id: str | None
    status: ImportStatus
    field: str | None
    message: str
    changed: list[str]


class Imported(TypedDict):
    """What became of every ruling of a file."""

    lines: list[ImportedRuling]
    applied: int
    refused: int
    partial: bool
