"""Records in, receipts out."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from arbiter.domain.vocabulary import (
    Mutability,
    Outcome,
    Relation,
    Stakes,
    State,
    StateReason,
    UpdateKind,
)
from arbiter.interchange.record_in import RecordIn
from arbiter.web.models import examples
from arbiter.web.models.decisions import DecidedOut
from arbiter.web.models.shared import CostOut, GuardOut, In, ReasonOut, Shown, UnjudgedOut, shown
from arbiter.web.problems import Problem


class RecordsIn(In):
    """A batch of records, each checked on its own: a bad one is refused and harms no other."""

    model_config = shown({"records": [examples.RECORD]})

    records: Annotated[
        list[Annotated[Any, Shown(RecordIn)]],
        Field(min_length=1, description="Up to 1,000 records, unless `serve_max_records` says otherwise."),
    ]


class CandidateOut(BaseModel):
    """A stored fact that was looked at."""

    fact_id: str
    similarity: float | None = Field(description="Cosine in [-1, 1]; null: not compared.")
    entity_overlap: float = Field(description="Jaccard index of the named things, in [0, 1].")
    retrieved_by: list[str] = Field(description="The roads that found it.")
    dropped_by: str | None = Field(description="The rule that kept it from the judges; null: it was judged.")


class EvidenceOut(BaseModel):
    """What was looked at."""

    candidates: list[CandidateOut]


class RelationOut(BaseModel):
    """How the fact relates to another one; the sides are `this` and `other`."""

    fact_id: str = Field(description="The other fact.")
    relation: Relation | None = Field(description="Null where no judge could tell.")
    confidence: float | None
    probabilities: dict[str, float]
    current: Literal["this", "other"] | None = Field(description="Which one holds now.")
    update_kind: UpdateKind | None
    stale_risk: Literal["this", "other"] | None = Field(description="Which one may have become doubtful.")
    attribute: str | None
    mutability: Mutability | None
    stakes: Stakes | None
    judge: str
    reason: str
    cached: bool = Field(description="Was the judgement known already?")
    unjudged: UnjudgedOut | None
    guards: list[GuardOut]


class ReceiptOut(BaseModel):
    """The full answer for one record; every outcome has the same keys."""

    model_config = shown(examples.RECEIPT)

    receipt_id: str
    record_index: int = Field(description="Place of the record in the request, from 0.")
    fact_id: str | None
    event_key: str | None = Field(description="The derived identity of the event that brought the record.")
    namespace: str
    stored: bool = Field(description="Is anything new kept?")
    outcome: Outcome = Field(
        description="`stored`: a new fact. `unchanged`: said before, counted. `merged`: another wording or "
        "source of a known fact. `held`: kept, waits for a judge. `deferred`: the caller must answer first. "
        "`refused`: not valid."
    )
    state: State | None
    contested: bool
    retryable: bool = Field(
        description="Does it wait for a judge? It is asked again by itself; to send the record again is safe."
    )
    reason: ReasonOut | None
    relations: list[RelationOut]
    decisions: list[DecidedOut]
    review: list[str] = Field(description="Questions about it that wait for a person.")
    evidence: EvidenceOut
    cost: CostOut
    duplicate_of: str | None
    supersedes: list[str]


class NowOut(BaseModel):
    """What has become of a record since its receipt was given; the keys that both have mean the same."""

    outcome: Outcome = Field(description="What was `held` is `stored` or `merged` in the end.")
    state: State
    state_reason: StateReason | None = Field(description="Why it is no longer current, or waits.")
    successor: str | None = Field(description="The fact that stands for it now.")
    contested: bool
    retryable: bool = Field(description="Does it still wait for a judge?")
    relations: list[RelationOut] = Field(description="What is known by now about the same facts, and others.")
    decisions: list[DecidedOut] = Field(description="The decisions in force.")
    review: list[str] = Field(description="Questions about it that wait for a person now.")
    duplicate_of: str | None
    supersedes: list[str]


class KeptReceiptOut(ReceiptOut):
    """A receipt as it was given, and what has become of the record since."""

    model_config = shown({**examples.RECEIPT, "now": examples.NOW})

    now: NowOut


class CountsOut(BaseModel):
    """What became of the records of a request."""

    records: int
    stored: int = Field(description="Records with something new.")
    refused: int
    deferred: int
    partial: bool = Field(description="Were some, but not all, refused or deferred?")


class RecordsOut(CountsOut):
    """A receipt for every record, in their order."""

    receipts: list[ReceiptOut]


class StreamEndOut(CountsOut):
    """The last line of a stream."""

    end: Literal[True]
    problem: Problem | None = Field(
        description="Why the stream ended early; records behind it were not taken."
    )
