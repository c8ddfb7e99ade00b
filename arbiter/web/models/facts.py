"""Facts as they are read."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator, AwareDatetime, BaseModel, Field

from arbiter.domain.vocabulary import SourceKind, State, StateReason
from arbiter.interchange.record_in import MAX_CONTENT_CHARS, as_text
from arbiter.web.models import examples
from arbiter.web.models.decisions import DecisionOut
from arbiter.web.models.shared import CostOut, FactId, In, shown


class SightingOut(BaseModel):
    """One source said the fact in one event."""

    source: str
    kind: SourceKind
    ref: str | None
    observed_at: AwareDatetime = Field(description="When it was first seen.")
    last_seen: AwareDatetime
    seen_count: int
    record_index: int | None


class FactOut(BaseModel):
    """A fact, where it stands, and who said it."""

    model_config = shown(examples.FACT)

    fact_id: FactId
    content: str = Field(description="Its words; empty once it has been erased.")
    state: State
    state_reason: StateReason | None
    contested: bool
    successor: str | None = Field(description="The fact that stands for it now.")
    namespace: str
    subject: str | None
    claim_key: str | None
    value: str | None
    sightings: list[SightingOut]
    first_seen: AwareDatetime
    last_seen: AwareDatetime
    seen_count: int
    sources: list[str]
    digest: str = Field(description="What a ruling binds: the words and what is known about them.")


class FactsOut(BaseModel):
    """A page of facts, oldest first."""

    facts: list[FactOut]
    next: str | None = Field(
        description="Give it as `after` to get the next page; null: this is the last one."
    )


class KnownFactOut(FactOut):
    """A fact with the decisions that are in force about it."""

    model_config = shown({**examples.FACT, "decisions": [examples.FULL_DECISION]})

    decisions: list[DecisionOut]


class FadingOut(FactOut):
    """A current fact that may have stopped being true."""

    model_config = shown({**examples.FACT, "silent_sources": ["chat:4711"]})

    silent_sources: list[str] = Field(description="Sources that said other things since, but not this.")


class FadingListOut(BaseModel):
    """Current facts to look at again, longest silence first."""

    facts: list[FadingOut]


class EntryOut(BaseModel):
    """One thing that happened to a fact."""

    at: AwareDatetime
    kind: str = Field(description="sighting, judgement, decision, state, ruling or erasure.")
    detail: dict[str, Any]


class HistoryOut(BaseModel):
    """Everything that happened to a fact, oldest first."""

    fact_id: FactId
    entries: list[EntryOut]


class ErasedOut(BaseModel):
    """The words of the fact are gone; its id and its decisions stay."""

    fact_id: FactId
    erased: bool


class SearchIn(In):
    """What to look for."""

    model_config = shown({"text": "Where does the user live?", "limit": 5})

    text: Annotated[str, Field(min_length=1, max_length=MAX_CONTENT_CHARS), AfterValidator(as_text)]
    limit: Annotated[int, Field(ge=1, le=100, strict=True)] = 10


class HitOut(FactOut):
    """A current fact near to the question."""

    model_config = shown({**examples.FACT, "similarity": 0.674951})

    similarity: float = Field(description="Cosine in [-1, 1].")


class HitsOut(BaseModel):
    """Current facts, nearest in meaning first."""

    hits: list[HitOut]


class CompiledOut(BaseModel):
    """What deriving every state again did."""

    created: int = Field(description="Decisions that were not in force before.")
    changed: int = Field(description="States that are others now.")
    resumed: int = Field(description="Facts whose judging had been interrupted.")
    retried: int = Field(description="Pairs that had found no judge and were asked again.")
    cost: CostOut
