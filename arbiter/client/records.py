"""What becomes of records and pairs: the service's answers as they are, key by key.

A moment is a text in ISO 8601. The OpenAPI document describes each key.
"""

from __future__ import annotations

from typing import Any, TypedDict

from arbiter.client.words import (
    Action,
    Mutability,
    Outcome,
    OwnSide,
    Relation,
    Side,
    Stakes,
    State,
    StateReason,
    Strategy,
    UpdateKind,
)


class Reason(TypedDict):
    """Why something was not taken as it stands."""

    code: str
    message: str
    field: str | None


class Unjudged(TypedDict):
    """Why no judge could tell."""

    code: str
    message: str
    retryable: bool


class Cost(TypedDict):
    """What judging cost."""

    llm_calls: int
    prompt_tokens: int
    completion_tokens: int
    usd: float
    local_pairs: int


class Candidate(TypedDict):
    """A stored fact that was looked at."""

    fact_id: str
    similarity: float | None
    entity_overlap: float
    retrieved_by: list[str]
    dropped_by: str | None


class Evidence(TypedDict):
    """What was looked at."""

    candidates: list[Candidate]


class FoundRelation(TypedDict):
    """How a fact relates to another one; None where no judge could tell."""

    fact_id: str
    relation: Relation | None
    confidence: float | None
    probabilities: dict[str, float]
    current: OwnSide | None
    update_kind: UpdateKind | None
    stale_risk: OwnSide | None
    attribute: str | None
    mutability: Mutability | None
    stakes: Stakes | None
    judge: str
    reason: str
    cached: bool
    unjudged: Unjudged | None
    guards: list[dict[str, Any]]


class Decided(TypedDict):
    """What the policy made of a pair of facts."""

    id: str
    pair: list[str]
    action: Action
    rule: str
    winner: str | None
    loser: str | None
    explanation: str
    scores: dict[str, float]


class Decision(Decided):
    """A decision with everything that led to it."""

    relation: Relation | None
    reason: StateReason | None
    strategy: Strategy | None
    stakes: Stakes
    judge: str
    asks: bool


class KeptDecision(Decision):
    """A decision as it is kept."""

    in_force: bool


class Receipt(TypedDict):
    """The full answer for one record; every outcome has the same keys."""

    receipt_id: str
    record_index: int
    fact_id: str | None
    event_key: str | None
    namespace: str
    stored: bool
    outcome: Outcome
    state: State | None
    contested: bool
    retryable: bool
    reason: Reason | None
    relations: list[FoundRelation]
    decisions: list[Decided]
    review: list[str]
    evidence: Evidence
    cost: Cost
    duplicate_of: str | None
    supersedes: list[str]


class Now(TypedDict):
    """What has become of a record since its receipt was given."""

    outcome: Outcome
    state: State
    state_reason: StateReason | None
    successor: str | None
    contested: bool
    retryable: bool
    relations: list[FoundRelation]
    decisions: list[Decided]
    review: list[str]
    duplicate_of: str | None
    supersedes: list[str]


class KeptReceipt(Receipt):
    """A receipt as it was given, and what has become of the record since."""

    now: Now


class Submitted(TypedDict):
    """A receipt for every record, in their order."""

    records: int
    stored: int
    refused: int
    deferred: int
    partial: bool
    receipts: list[Receipt]


class Verdict(TypedDict):
    """How two records relate; None where no judge could tell, or where ``error`` says what is wrong."""

    id: str | None
    relation: Relation | None
    confidence: float | None
    probabilities: dict[str, float]
    current: Side | None
    update_kind: UpdateKind | None
    stale_risk: Side | None
    attribute: str | None
    mutability: Mutability | None
    stakes: Stakes | None
    judge: str
    reason: str
    unjudged: Unjudged | None
    guards: list[dict[str, Any]]
    error: Reason | None


class Verdicts(TypedDict):
    """A verdict for every pair, in their order."""

    verdicts: list[Verdict]
    refused: int
    partial: bool
    cost: Cost
