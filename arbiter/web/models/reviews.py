"""The review queue: what it shows, and what people answer."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from arbiter.domain.review_answer import MAX_NOTE_CHARS, MAX_TEXT_CHARS
from arbiter.domain.review_queue import ReviewStatus
from arbiter.domain.vocabulary import Action, Relation, RulingKind, Stakes
from arbiter.web.models import examples
from arbiter.web.models.decisions import DecisionOut
from arbiter.web.models.facts import FactOut
from arbiter.web.models.shared import CostOut, In, Reviewer, StateOut, shown

Digest = Annotated[
    str, Field(min_length=1, max_length=100, description="Digest of the side as it was shown.")
]
Ruling = Literal[
    RulingKind.KEEP_A,
    RulingKind.KEEP_B,
    RulingKind.KEEP_BOTH,
    RulingKind.NEITHER,
    RulingKind.MERGE,
    RulingKind.RELABEL,
    RulingKind.SKIP,
    RulingKind.NEEDS_CONTEXT,
]
_RULING = (
    "What holds of the sides as they were shown. `merge`: `text` stands for both. `relabel`: they relate "
    "otherwise, and the policy decides the rest. `skip` (with a reason) and `needs_context` set the question "
    "aside until there is other evidence."
)


class ClaimOut(BaseModel):
    """Somebody has the item in hand."""

    reviewer: str
    until: AwareDatetime


class QueuedOut(BaseModel):
    """A pair that waits for a person, with its place in the queue."""

    id: str
    open: bool
    status: ReviewStatus
    kind: str = Field(
        description="Why it is asked: conflict, unsure, guard, unjudged, stale_risk, proposal, cycle."
    )
    a: str = Field(description="The fact on side a.")
    b: str = Field(description="The fact on side b.")
    question: str
    priority: int = Field(description="Higher is more urgent; its age counts.")
    rule: str
    relation: Relation | None
    stakes: Stakes
    proposal: str | None = Field(description="A text that could stand for both.")
    digest_a: str
    digest_b: str
    reach: int = Field(description="Sightings that hang on the answer.")
    opened_at: AwareDatetime
    closed_at: AwareDatetime | None
    age_s: int = Field(description="Seconds that it has waited.")
    assignee: str | None = Field(description="Who is to look at it.")
    claim: ClaimOut | None


class PriorityOut(BaseModel):
    """What makes up a priority."""

    stakes: int
    urgency: int
    reach: int
    age: int


class SidesOut(BaseModel):
    """Both facts as they are now."""

    a: FactOut
    b: FactOut


class RunOut(BaseModel):
    """A stretch of a text."""

    text: str
    differs: bool = Field(description="Does the other text lack it?")


class MarksOut(BaseModel):
    """Both texts in stretches."""

    a: list[RunOut]
    b: list[RunOut]


class ProposedOut(BaseModel):
    """What the policy makes of the pair as it stands."""

    action: Action
    rule: str
    explanation: str


class RulingOut(BaseModel):
    """What a person decided."""

    model_config = ConfigDict(extra="allow")

    id: str
    a: str
    b: str
    ruling: RulingKind
    reviewer: str
    at: AwareDatetime
    relabel: Relation | None
    reason: str
    policy: str = Field(description="Digest of the policy at that time.")
    decision: str | None = Field(description="The decision that it takes back.")
    merged: str | None = Field(description="The fact that stands for both.")
    retracts: str | None = Field(description="The ruling that it takes back.")


class CommentOut(BaseModel):
    """What somebody noted."""

    id: str
    review_id: str
    author: str
    at: AwareDatetime
    text: str


class ReviewOut(QueuedOut):
    """Everything that a reviewer needs to answer."""

    priority_parts: PriorityOut
    stale: bool = Field(description="Did a side change since this was asked? A ruling would be refused then.")
    facts: SidesOut
    marks: MarksOut
    evidence: dict[str, Any] | None = Field(description="What a judge found, as a verdict on `a` and `b`.")
    proposed: ProposedOut | None
    decisions: list[DecisionOut]
    rulings: list[RulingOut] = Field(description="Every ruling on the pair, oldest first.")
    holding: str | None = Field(
        description="The ruling that holds; `POST /v1/rulings/{id}/undo` takes it back."
    )
    comments: list[CommentOut]


class QueueOut(BaseModel):
    """A page of the queue, most urgent first."""

    items: list[ReviewOut]
    next: str | None = Field(
        description="Give it as `after` to get the next page; null: this is the last one."
    )


class CountsOut(BaseModel):
    """How the queue stands."""

    open: int
    set_aside: int
    closed: int
    high_stakes: int = Field(description="Open items with high stakes.")
    claimed: int = Field(description="Open items that somebody has in hand.")
    kinds: dict[str, int] = Field(description="Open items by the reason why they are asked.")
    oldest: AwareDatetime | None
    oldest_s: int | None = Field(description="Seconds that the oldest open item has waited.")


class RulingIn(In):
    """What a person decides; it outranks every judge and survives every compile."""

    model_config = shown(examples.RULING)

    ruling: Annotated[Ruling, Field(description=_RULING)]
    digest_a: Digest
    digest_b: Digest
    relabel: Relation | None = Field(None, description="With `relabel`: how they really relate.")
    text: Annotated[
        str | None, Field(max_length=MAX_TEXT_CHARS, description="With `merge`: the one wording for both.")
    ] = None
    confirmed: bool = Field(default=False, description="The text is meant to name what neither side names.")
    reviewer: Reviewer = None
    reason: Annotated[str, Field(max_length=MAX_NOTE_CHARS)] = ""


class RuledOut(BaseModel):
    """What a ruling did."""

    ruling: RulingOut
    changed: list[StateOut] = Field(description="The states that are others now.")
    cost: CostOut = Field(description="What judging a merged text against other facts cost.")


class ClaimIn(In):
    """Who takes an item in hand, and for how long."""

    model_config = shown({"reviewer": "kim", "minutes": 15})

    reviewer: Reviewer = None
    minutes: Annotated[int, Field(ge=1, le=1440, strict=True)] = 15


class NextIn(ClaimIn):
    """Which items will do."""

    model_config = shown({"reviewer": "kim", "minutes": 15, "kinds": ["conflict"]})

    kinds: Annotated[tuple[Annotated[str, Field(max_length=50)], ...], Field(max_length=20)] = ()
    stakes: Stakes | None = None


class NextOut(BaseModel):
    """The item that was taken in hand."""

    review: ReviewOut | None = Field(description="Null: nothing waits.")


class ReviewerIn(In):
    """Who does it."""

    model_config = shown({"reviewer": "kim"})

    reviewer: Reviewer = None


class AssignIn(In):
    """Who is to look at an item."""

    model_config = shown({"assignee": "kim"})

    assignee: str | None = Field(description="Null: nobody in particular.")


class CommentIn(In):
    """What to note."""

    model_config = shown({"text": "Asked the registry.", "author": "kim"})

    text: Annotated[str, Field(min_length=1, max_length=MAX_NOTE_CHARS)]
    author: Reviewer = None
