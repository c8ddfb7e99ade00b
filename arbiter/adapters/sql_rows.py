"""Sightings and judgements as rows of the tables, and back."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from arbiter.adapters.sql_schema import judgements, sightings
from arbiter.domain.evidence import GuardFinding, JudgedPair, Judgement, Unjudged, Verdict
from arbiter.domain.facts import Record, Sighting, Source
from arbiter.domain.vocabulary import Explicitness, Mutability, Relation, SourceKind, Stakes, UpdateKind

if TYPE_CHECKING:
    from sqlalchemy import Column, Table

Values: TypeAlias = dict[str, Any]
"""One row, by column name."""

Word = TypeVar("Word", bound=StrEnum)

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_KINDS = {kind.value: kind for kind in SourceKind}
_SPOKEN = {word.value: word for word in Explicitness}


APART = (Relation.UNRELATED, Relation.COMPLEMENTARY)
"""The relations that leave two facts in clusters of their own."""


def micros(moment: datetime) -> int:
    """Return a moment as whole microseconds since 1970 in UTC."""
    return (moment - _EPOCH) // _MICROSECOND


def moment_of(value: int) -> datetime:
    """Return the moment that ``micros`` wrote, in UTC."""
    return _EPOCH + timedelta(microseconds=value)


def word(value: StrEnum | None) -> str | None:
    """Return the plain text of a word of the domain."""
    return None if value is None else value.value


def word_of(kind: type[Word], value: str | None) -> Word | None:
    """Return the word of the domain that ``word`` wrote."""
    return None if value is None else kind(value)


def to_json(value: object) -> str:
    """Write JSON in ASCII, so that no text of a model can fail to be stored."""
    return json.dumps(value, separators=(",", ":"))


def columns(table: Table, names: str) -> tuple[Column[Any], ...]:
    """Return the columns of a table that have these names, in their order."""
    return tuple(table.c[name] for name in names.split())


SIGHTING = columns(
    sightings,
    "id fact_id event_key last_seen seen_count record_index content source_id source_kind source_ref "
    "observed_at namespace subject claim_key value confidence explicitness causal_hint valid_from valid_to "
    "mutability stakes tags metadata",
)
"""The columns that ``sighting_of_row`` reads, in its order."""


def sighting_row(sighting: Sighting) -> Values:
    """Return a sighting as a row, without its place in the log."""
    record = sighting.record
    return {
        "id": sighting.id,
        "fact_id": sighting.fact_id,
        "event_key": sighting.event_key,
        "source_id": record.source.id,
        "source_kind": record.source.kind.value,
        "source_ref": record.source.ref,
        "observed_at": micros(record.observed_at),
        "last_seen": micros(sighting.last_seen),
        "seen_count": sighting.seen_count,
        "record_index": sighting.record_index,
        "content": record.content,
        "subject": record.subject,
        "claim_key": record.claim_key,
        "value": record.value,
        "confidence": record.confidence,
        "explicitness": record.explicitness.value,
        "causal_hint": record.causal_hint,
        "valid_from": None if record.valid_from is None else micros(record.valid_from),
        "valid_to": None if record.valid_to is None else micros(record.valid_to),
        "mutability": word(record.mutability),
        "stakes": word(record.stakes),
        "tags": to_json(record.tags) if record.tags else "",
        "metadata": to_json(dict(record.metadata)) if record.metadata else "",
    }


def sighting_of_row(row: Sequence[Any]) -> Sighting:
    """Return the sighting of a row that has the columns ``SIGHTING``."""
    (
        sighting_id, fact_id, event_key, last_seen, seen_count, record_index, content, source_id,
        source_kind, source_ref, observed_at, namespace, subject, claim_key, value, confidence,
        explicitness, causal_hint, valid_from, valid_to, mutability, stakes, tags, metadata,
    ) = row  # fmt: skip
    record = Record(
        content,
        Source(source_id, _KINDS[source_kind], source_ref),
        moment_of(observed_at),
        namespace,
        subject,
        claim_key,
        value,
        confidence,
        _SPOKEN[explicitness],
        causal_hint,
        None if valid_from is None else moment_of(valid_from),
        None if valid_to is None else moment_of(valid_to),
        word_of(Mutability, mutability),
        word_of(Stakes, stakes),
        tuple(json.loads(tags)) if tags else (),
        json.loads(metadata) if metadata else {},
    )
    seen = record.observed_at if last_seen == observed_at else moment_of(last_seen)
    return Sighting(sighting_id, fact_id, event_key, record, seen, seen_count, record_index)


JUDGEMENT = columns(judgements, "low high flipped relation judge body")
"""The columns that ``pair_of_row`` reads, in its order."""


def pair_row(pair: JudgedPair) -> Values:
    """Return a judged pair as a row, without its place in the log."""
    low, high = pair.key
    return {"low": low, "high": high, "flipped": pair.a != low, **judgement_row(pair.judgement)}


def judgement_row(found: Judgement) -> Values:
    """Return what a judge said, as columns."""
    guards = [[g.guard, g.a, g.b] for g in found.guards]
    body: Values
    if isinstance(found, Unjudged):
        relation = None
        body = {"code": found.code, "message": found.message, "retryable": found.retryable}
    else:
        relation = found.relation.value
        body = {
            "confidence": found.confidence,
            "current": found.current,
            "update_kind": word(found.update_kind),
            "stale_risk": found.stale_risk,
            "attribute": found.attribute,
            "mutability": word(found.mutability),
            "stakes": word(found.stakes),
            "reason": found.reason,
            "probabilities": dict(found.probabilities),
            "merged_text": found.merged_text,
            "cached": found.cached,
        }
    return {"relation": relation, "judge": found.judge, "body": to_json({**body, "guards": guards})}


def pair_of_row(row: Sequence[Any]) -> JudgedPair:
    """Return the judged pair of a row that has the columns ``JUDGEMENT``."""
    low, high, flipped, relation, judge, body = row
    found = _judgement(relation, judge, json.loads(body))
    return JudgedPair(high, low, found) if flipped else JudgedPair(low, high, found)


def _judgement(relation: str | None, judge: str, body: Values) -> Judgement:
    guards = tuple(GuardFinding(*guard) for guard in body["guards"])
    if relation is None:
        return Unjudged(body["code"], body["message"], body["retryable"], judge, guards)
    return Verdict(
        relation=Relation(relation),
        confidence=body["confidence"],
        judge=judge,
        current=body["current"],
        update_kind=word_of(UpdateKind, body["update_kind"]),
        stale_risk=body["stale_risk"],
        attribute=body["attribute"],
        mutability=word_of(Mutability, body["mutability"]),
        stakes=word_of(Stakes, body["stakes"]),
        reason=body["reason"],
        probabilities=body["probabilities"],
        guards=guards,
        merged_text=body["merged_text"],
        cached=body["cached"],
    )


def pair_marks(found: Judgement) -> dict[str, bool]:
    """Return what the view of pairs knows of a judgement without reading it."""
    if isinstance(found, Unjudged):
        return {"judged": False, "retryable": found.retryable, "connects": False}
    return {"judged": True, "retryable": False, "connects": found.relation not in APART}
