"""What the models of several routes have in common."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, core_schema

from arbiter.domain.vocabulary import State, StateReason
from arbiter.interchange.record_in import MAX_NAME_CHARS, Name
from arbiter.web.models.examples import Example

FactId = Annotated[str, Field(description="Id of a fact.", examples=["fact_31e0ffdbe5a91c2c8a8de3a0"])]
Reviewer = Annotated[
    Name | None,
    Field(
        description="Who decides, for the record; the caller's own name by default.",
        max_length=MAX_NAME_CHARS,
    ),
]


class In(BaseModel):
    """What a caller sends: nothing beside the fields that are written here."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


def shown(example: Example) -> ConfigDict:
    """Return the configuration by which a model shows an example."""
    return ConfigDict(json_schema_extra={"examples": [example]})


class Shown:
    """Documents a value as a model without checking it by that: every item is checked on its own later."""

    def __init__(self, model: type[BaseModel]) -> None:
        self._model = model

    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Take any value."""
        return core_schema.any_schema()

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        """Show the model."""
        return handler(self._model.__pydantic_core_schema__)


class ReasonOut(BaseModel):
    """Why a record was not stored as it stands."""

    code: str = Field(description="Which reason it is, for programs.")
    message: str = Field(description="The reason, for people.")
    field: str | None = Field(description="Path of the field to blame, where there is one.")


class UnjudgedOut(BaseModel):
    """Why no judge could tell."""

    code: str
    message: str
    retryable: bool = Field(description="Will it be asked again?")


class CostOut(BaseModel):
    """What judging cost."""

    llm_calls: int = Field(description="Calls of the language model.")
    prompt_tokens: int
    completion_tokens: int
    usd: float = Field(description="US dollars by the provider's price list; 0 where it has no price.")
    local_pairs: int = Field(description="Pairs judged by the packaged model.")


class StateOut(BaseModel):
    """Where a fact stands."""

    fact_id: FactId
    state: State
    state_reason: StateReason | None = Field(description="Why it is no longer current.")
    successor: str | None = Field(description="The fact that stands for it now.")
    contested: bool = Field(description="Does a conflict about it wait for a person?")
    decision: str | None = Field(description="The decision that this follows from.")


class ChangedOut(BaseModel):
    """The states that are others now."""

    changed: list[StateOut]


GuardOut = Annotated[
    dict[str, Any],
    Field(description="A difference that forbids to call the two the same: `guard` and what each side says."),
]
