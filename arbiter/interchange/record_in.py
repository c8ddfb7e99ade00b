"""The submitted JSON of a record, checked: ``parse_record`` makes a ``Record`` or names the faulty field."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    field_validator,
)

from arbiter.domain.facts import DEFAULT_NAMESPACE, Record, Source
from arbiter.domain.vocabulary import Explicitness, Mutability, SourceKind, Stakes
from arbiter.errors import InvalidRecordError
from arbiter.interchange.faults import in_words, is_no_text, no_such_field, place, spelt

MAX_CONTENT_CHARS = 8_000
MAX_NAME_CHARS = 500
MAX_TAGS = 64
MAX_METADATA_CHARS = 16_000
_NUMBER = re.compile(r"[-+]?\d+(\.\d*)?")
_SURROGATE = re.compile("[\ud800-\udfff]")
_LETTER_OR_DIGIT = re.compile(r"[^\W_]")
CLOCK_SKEW = timedelta(days=1)


def _written(value: object) -> object:
    """Take a moment only as text or datetime: a bare number has no unit and no zone."""
    is_moment = (
        not _NUMBER.fullmatch(value.strip()) if isinstance(value, str) else isinstance(value, datetime)
    )
    if not is_moment:
        # pydantic makes its report of a ValueError; a TypeError would escape it.
        raise ValueError("is not a time in ISO 8601 with a zone, such as 2026-03-02T09:00:00Z")
    return value


def _in_utc(moment: datetime) -> datetime:
    try:
        return moment.astimezone(UTC)
    except OverflowError as error:
        raise ValueError("lies outside the years 1 to 9999") from error


def as_text(value: str) -> str:
    """Return a text as it is; refuse what no store keeps, and what says nothing.

    Raises:
        ValueError: it holds a NUL byte or a lone surrogate, or is blank.
    """
    if "\x00" in value:
        raise ValueError("holds a NUL byte")
    if not value.isascii() and _SURROGATE.search(value):
        raise ValueError("holds a lone surrogate, which is no text")
    if not value.strip():
        raise ValueError("is blank")
    return value


def _as_claim(value: str) -> str:
    if not _LETTER_OR_DIGIT.search(as_text(value)):
        raise ValueError("has neither a letter nor a digit, so it makes no claim")
    return value


def _texts(value: object) -> Iterator[str]:
    """Yield every text of a JSON value that is not blank, names included, however deep."""
    waiting = [value]
    while waiting:
        found = waiting.pop()
        if isinstance(found, str):
            if found.strip():
                yield found
        elif isinstance(found, Mapping):
            waiting += [*found.keys(), *found.values()]
        elif isinstance(found, list | tuple):
            waiting += found


Name = Annotated[str, Field(min_length=1, max_length=MAX_NAME_CHARS), AfterValidator(as_text)]
Moment = Annotated[AwareDatetime, BeforeValidator(_written), AfterValidator(_in_utc)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class SourceIn(_Strict):
    """Who says so. ``ref`` is the source's own stable reference, where it has one."""

    id: Name
    kind: SourceKind
    ref: Name | None = None


class RecordIn(_Strict):
    """One statement, as a caller submits it."""

    content: Annotated[str, Field(min_length=1, max_length=MAX_CONTENT_CHARS), AfterValidator(_as_claim)]
    source: SourceIn
    observed_at: Moment
    namespace: Name = DEFAULT_NAMESPACE
    subject: Name | None = None
    claim_key: Name | None = None
    value: Name | None = None
    confidence: float = Field(default=1.0, ge=0.0, le=1.0, strict=True)
    explicitness: Explicitness = Explicitness.STATED
    causal_hint: Name | None = None
    valid_from: Moment | None = None
    valid_to: Moment | None = None
    mutability: Mutability | None = None
    stakes: Stakes | None = None
    tags: tuple[Name, ...] = Field(default=(), max_length=MAX_TAGS)
    metadata: dict[str, Any] = Field(default_factory=dict)

    @field_validator("metadata", mode="after")
    @classmethod
    def _small_json(cls, value: dict[str, Any]) -> dict[str, Any]:
        if not value:
            return value
        try:
            size = len(json.dumps(value, allow_nan=False))
        except (TypeError, ValueError, RecursionError) as error:
            raise ValueError("is not plain JSON") from error
        for text in _texts(value):
            as_text(text)
        if size > MAX_METADATA_CHARS:
            raise ValueError(f"is {size:,} characters of JSON; {MAX_METADATA_CHARS:,} are allowed")
        return value

    def to_record(self) -> Record:
        """Return it as the domain's record."""
        return Record(
            content=self.content,
            source=Source(self.source.id, self.source.kind, self.source.ref),
            observed_at=self.observed_at,
            namespace=self.namespace,
            subject=self.subject,
            claim_key=self.claim_key,
            value=self.value,
            confidence=self.confidence,
            explicitness=self.explicitness,
            causal_hint=self.causal_hint,
            valid_from=self.valid_from,
            valid_to=self.valid_to,
            mutability=self.mutability,
            stakes=self.stakes,
            tags=self.tags,
            metadata=self.metadata,
        )


FIELDS = (*RecordIn.model_fields, *(f"source.{name}" for name in SourceIn.model_fields))
"""The names that the fields of a record have, those of its source dotted."""

PAIR_FIELDS = ("id", "a", "b")


def parse_record(data: object, now: datetime) -> Record:
    """Check one submitted record: as JSON, or as a ``Record`` that a program made.

    ``now`` bounds the times: an observation may lie one day ahead (clocks differ), not more.

    Raises:
        InvalidRecordError: it is not valid; ``field`` names the first field to blame.
    """
    made = isinstance(data, Record)
    if not made and not isinstance(data, Mapping):
        raise InvalidRecordError("a record is a JSON object")
    try:
        checked = RecordIn.model_validate(data, from_attributes=made)
    except ValidationError as error:
        faults = error.errors(include_url=False, include_context=False, include_input=False)
        field = place(faults[0])
        # The validation does not get as far as to the name of a field that is no text.
        if field is None and isinstance(data, Mapping) and (name := _no_text(data)) is not None:
            raise InvalidRecordError(no_such_field(name, FIELDS), field=spelt(name)) from error
        raise InvalidRecordError(in_words(faults, FIELDS), field=field) from error
    except RecursionError as error:
        raise InvalidRecordError("the record is nested too deeply") from error
    if checked.observed_at > now + CLOCK_SKEW:
        raise InvalidRecordError("observed_at: lies in the future", field="observed_at")
    if checked.valid_from and checked.valid_to and checked.valid_to <= checked.valid_from:
        raise InvalidRecordError("valid_to: lies before valid_from", field="valid_to")
    return checked.to_record()


def _no_text(names: Mapping[object, object]) -> object:
    return next(filter(is_no_text, names), None)


def parse_pair(data: object, now: datetime) -> tuple[Record, Record]:
    """Check one pair to classify, ``{"id", "a": record, "b": record}``.

    Raises:
        InvalidRecordError: it is not valid; ``field`` names the side too, as in ``b.observed_at``.
    """
    if not isinstance(data, Mapping):
        raise InvalidRecordError('a pair is a JSON object {"id", "a", "b"}')
    for name in data:
        if name not in PAIR_FIELDS:
            raise InvalidRecordError(no_such_field(name, PAIR_FIELDS), field=spelt(name))
    return _side("a", data, now), _side("b", data, now)


def _side(name: str, data: Mapping[str, object], now: datetime) -> Record:
    if name not in data:
        raise InvalidRecordError(f"{name}: Field required", field=name)
    try:
        return parse_record(data[name], now)
    except InvalidRecordError as error:
        field = f"{name}.{error.field}" if error.field else name
        raise InvalidRecordError(f"{name}: {error.message}", field=field) from error


def record_json(record: Record) -> dict[str, object]:
    """Return a record as JSON in the submitted shape; fields that say nothing are left out."""
    source = {"id": record.source.id, "kind": record.source.kind.value}
    if record.source.ref is not None:
        source["ref"] = record.source.ref
    full: dict[str, object] = {
        "content": record.content,
        "source": source,
        "observed_at": record.observed_at.isoformat(),
        "namespace": record.namespace,
        "subject": record.subject,
        "claim_key": record.claim_key,
        "value": record.value,
        "confidence": record.confidence,
        "explicitness": record.explicitness.value,
        "causal_hint": record.causal_hint,
        "valid_from": record.valid_from.isoformat() if record.valid_from else None,
        "valid_to": record.valid_to.isoformat() if record.valid_to else None,
        "mutability": record.mutability.value if record.mutability else None,
        "stakes": record.stakes.value if record.stakes else None,
        "tags": list(record.tags) or None,
        "metadata": dict(record.metadata) or None,
    }
    return {name: value for name, value in full.items() if value is not None}
