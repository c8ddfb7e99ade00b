"""Pairs in, verdicts out."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from arbiter.domain.vocabulary import Mutability, Relation, Stakes, UpdateKind
from arbiter.interchange.record_in import RecordIn
from arbiter.web.models import examples
from arbiter.web.models.shared import CostOut, GuardOut, In, ReasonOut, Shown, UnjudgedOut, shown


class PairIn(In):
    """Two records; the sides are `a` and `b` as they are given here."""

    id: Annotated[str | None, Field(max_length=500, description="Comes back with the verdict.")] = None
    a: RecordIn
    b: RecordIn


class PairsIn(In):
    """A batch of pairs. Each is checked on its own: a bad one is answered with its fault."""

    model_config = shown({"pairs": [{"id": "1", "a": examples.EARLIER_RECORD, "b": examples.RECORD}]})

    pairs: Annotated[
        list[Annotated[Any, Shown(PairIn)]],
        Field(min_length=1, description="Up to 256 pairs, unless `serve_max_pairs` says otherwise."),
    ]


class VerdictOut(BaseModel):
    """How two records relate; every verdict has the same keys."""

    model_config = shown(examples.VERDICT)

    id: str | None
    relation: Relation | None = Field(description="Null where no judge could tell, never a default label.")
    confidence: float | None
    probabilities: dict[str, float]
    current: Literal["a", "b"] | None = Field(description="Which one holds now.")
    update_kind: UpdateKind | None
    stale_risk: Literal["a", "b"] | None = Field(description="Which one may have become doubtful.")
    attribute: str | None
    mutability: Mutability | None
    stakes: Stakes | None
    judge: str
    reason: str
    unjudged: UnjudgedOut | None
    guards: list[GuardOut]
    error: ReasonOut | None = Field(
        description="What is wrong with the pair, where it could not be judged at all."
    )


class VerdictsOut(BaseModel):
    """A verdict for every pair, in their order."""

    verdicts: list[VerdictOut]
    refused: int
    partial: bool = Field(description="Were some, but not all, of the pairs not valid?")
    cost: CostOut
