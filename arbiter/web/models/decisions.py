"""Decisions, and taking them back."""

from __future__ import annotations

from pydantic import BaseModel, Field

from arbiter.domain.vocabulary import Action, Relation, Stakes, StateReason, Strategy
from arbiter.web.models.shared import In, Reviewer, shown


class DecidedOut(BaseModel):
    """What the policy made of a pair of facts."""

    id: str
    pair: list[str] = Field(min_length=2, max_length=2, description="The earlier and the later fact.")
    action: Action
    rule: str = Field(description="Id of the rule of the policy.")
    winner: str | None
    loser: str | None
    explanation: str
    scores: dict[str, float]


class DecisionOut(DecidedOut):
    """A decision with everything that led to it."""

    relation: Relation | None
    reason: StateReason | None
    strategy: Strategy | None
    stakes: Stakes
    judge: str
    asks: bool = Field(description="Is a person asked although the action stands?")


class KeptDecisionOut(DecisionOut):
    """A decision as it is kept."""

    in_force: bool


class UndoIn(In):
    """Who takes a decision or a ruling back, and how far."""

    model_config = shown({"reviewer": "kim", "cascade": False})

    reviewer: Reviewer = None
    cascade: bool = Field(default=False, description="Take back the later decisions that rest on it, too.")
