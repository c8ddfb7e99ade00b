"""What becomes of rulings: of those of an imported file, and of all as a measure of the judge."""

from __future__ import annotations

from pydantic import BaseModel, Field

from arbiter.interchange.review_import import ImportStatus


class TallyOut(BaseModel):
    """How often rulings bear a verdict out."""

    rulings: int
    agreed: int
    disagreed: int
    silent: int = Field(description="Rulings that do not say how the sides relate, such as a merge.")
    share: float | None = Field(description="Of those that say so, the share that agreed.")
    low: float | None = Field(description="Lower end of its exact 95 % interval.")
    high: float | None = Field(description="Upper end of it.")


class AgreementOut(BaseModel):
    """How far people agree with the judge."""

    overall: TallyOut
    relations: dict[str, TallyOut] = Field(description="By the relation that the judge found.")
    judges: dict[str, TallyOut]
    months: dict[str, TallyOut] = Field(description="By the month of the ruling, in UTC.")
    instead: dict[str, dict[str, int]] = Field(
        description="By the judge's relation: what people named instead."
    )
    unjudged: int = Field(description="Settled pairs that no judge could tell.")


class ImportedOut(BaseModel):
    """What became of one line."""

    line: int
    review_id: str | None
    status: ImportStatus
    field: str | None
    message: str
    changed: list[str] = Field(description="Facts whose state is another one now.")


class ImportOut(BaseModel):
    """What became of every ruling; lines without one are left out."""

    lines: list[ImportedOut]
    applied: int
    refused: int
    partial: bool = Field(description="Were some, but not all, rulings refused?")
