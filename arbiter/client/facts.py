"""Facts and the policy: the service's answers as they are, key by key."""

from __future__ import annotations

from typing import Any, Literal, TypedDict

from arbiter.client.records import Cost, Decision
from arbiter.client.words import Action, EventKeyPolicy, SourceKind, State, StateReason, Strategy


class Sighting(TypedDict):
    """One source said the fact in one event."""

    source: str
    kind: SourceKind
    ref: str | None
    observed_at: str
    last_seen: str
    seen_count: int
    record_index: int | None


class Fact(TypedDict):
    """A fact, where it stands, and who said it."""

    fact_id: str
    content: str
    state: State
    state_reason: StateReason | None
    contested: bool
    successor: str | None
    namespace: str
    subject: str | None
    claim_key: str | None
    value: str | None
    sightings: list[Sighting]
    first_seen: str
    last_seen: str
    seen_count: int
    sources: list[str]
    digest: str


class KnownFact(Fact):
    """A fact with the decisions that are in force about it."""

    decisions: list[Decision]


class FadingFact(Fact):
    """A current fact that may have stopped being true."""

    silent_sources: list[str]


class Hit(Fact):
    """A current fact near to a question."""

    similarity: float


class HistoryEntry(TypedDict):
    """One thing that happened to a fact."""

    at: str
    kind: str
    detail: dict[str, Any]


class FactState(TypedDict):
    """Where a fact stands."""

    fact_id: str
    state: State
    state_reason: StateReason | None
    successor: str | None
    contested: bool
    decision: str | None


class Compiled(TypedDict):
    """What deriving every state again did."""

    created: int
    changed: int
    resumed: int
    retried: int
    cost: Cost


class Rule(TypedDict):
    """A row of the policy's table."""

    id: str
    when: dict[str, list[str]]
    action: Action
    strategy: Strategy | None
    asks: bool
    reason: str


class SourceRule(TypedDict):
    """What holds for sources whose id matches a pattern."""

    match: str
    event_key: EventKeyPolicy
    weight: float


class Policy(TypedDict):
    """The policy in force."""

    digest: str
    thresholds: dict[str, float]
    judges: dict[str, dict[str, float]]
    rules: list[Rule]
    sources: list[SourceRule]
    unseen_after_days: float


class Flip(TypedDict):
    """A fact that would stand otherwise under another policy."""

    namespace: str
    fact_id: str
    content: str
    before: FactState
    after: FactState
    decisions: list[Decision]


class Part(TypedDict):
    """One part of the service."""

    status: Literal["ok", "busy", "failed"]
    code: str | None
    detail: str | None


class Parts(TypedDict):
    """What the service needs in order to work."""

    store: Part
    index: Part
    judges: Part


class Ready(TypedDict):
    """The service can work."""

    status: Literal["ok"]
    access: Literal["keys", "open"]
    parts: Parts
