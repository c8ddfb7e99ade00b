"""The policy, and what another one would change."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, Field

from arbiter.adapters.policy_file import PolicyFile
from arbiter.domain.facts import EventKeyPolicy
from arbiter.domain.vocabulary import Action, Strategy
from arbiter.web.models import examples
from arbiter.web.models.decisions import DecisionOut
from arbiter.web.models.shared import In, StateOut, shown


class RuleOut(BaseModel):
    """A row of the table: the first that matches a pair decides."""

    id: str
    when: dict[str, list[str]] = Field(
        description="Values that each field may have; others are not looked at."
    )
    action: Action
    strategy: Strategy | None
    asks: bool
    reason: str


class SourceRuleOut(BaseModel):
    """What holds for sources whose id matches a pattern."""

    match: str
    event_key: EventKeyPolicy
    weight: float


class PolicyOut(BaseModel):
    """The policy in force."""

    digest: str
    thresholds: dict[str, float] = Field(description="Least confidence at which a verdict may act.")
    judges: dict[str, dict[str, float]] = Field(description="The same for single kinds of judges.")
    rules: list[RuleOut]
    sources: list[SourceRuleOut]
    unseen_after_days: float


class PolicyIn(In):
    """A policy to compare with, in the shape of a policy file."""

    model_config = shown(examples.POLICY)

    policy: Annotated[PolicyFile, Field(description="What a policy file holds, as JSON.")]


class FlipOut(BaseModel):
    """A fact that would stand otherwise."""

    namespace: str
    fact_id: str
    content: str
    before: StateOut
    after: StateOut
    decisions: list[DecisionOut]


class DiffOut(BaseModel):
    """Every fact that would stand otherwise under another policy; nothing was changed."""

    facts: list[FlipOut]
