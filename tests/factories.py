"""Short ways to write records, facts and judged pairs in tests. Times are days of one year."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from arbiter.domain.evidence import JudgedPair, Side, Unjudged, Verdict
from arbiter.domain.facts import EventKeyPolicy, Fact, Record, Sighting, Source, fact_of, sighting_of
from arbiter.domain.settle import Cluster
from arbiter.domain.vocabulary import Mutability, Relation, SourceKind, Stakes, UpdateKind

START = datetime(2026, 1, 1, 9, 0, tzinfo=UTC)
USER = SourceKind.USER_STATED
VERIFIED = SourceKind.VERIFIED_OBSERVATION
AGENT = SourceKind.AGENT_INFERENCE
THIRD = SourceKind.THIRD_PARTY


def day(number: float) -> datetime:
    """Return a moment that many days after the start of the tests' year."""
    return START + timedelta(days=number)


def make_record(
    content: str,
    *,
    at: float = 0,
    source: str = "chat:1",
    kind: SourceKind = USER,
    ref: str | None = None,
    **fields: Any,
) -> Record:
    """Return a record observed ``at`` a day, by a user unless said otherwise."""
    return Record(content=content, source=Source(source, kind, ref), observed_at=day(at), **fields)


def make_sighting(content: str, **fields: Any) -> Sighting:
    """Return the sighting of such a record."""
    return sighting_of(make_record(content, **fields), EventKeyPolicy.AUTO)


def make_fact(content: str, **fields: Any) -> Fact:
    """Return a fact that was seen once."""
    return fact_of([make_sighting(content, **fields)])


def verdict(
    relation: str,
    *,
    confidence: float = 0.95,
    kind: str | None = None,
    current: Side | None = None,
    mutability: str | None = None,
    stakes: str | None = None,
    **fields: Any,
) -> Verdict:
    """Return a verdict of the judge ``test``; an update is a change of state unless said otherwise."""
    if relation == "update" and kind is None:
        kind = "state_change"
    return Verdict(
        relation=Relation(relation),
        confidence=confidence,
        judge="test",
        update_kind=UpdateKind(kind) if kind else None,
        current=current or ("b" if relation == "update" else None),
        mutability=Mutability(mutability) if mutability else None,
        stakes=Stakes(stakes) if stakes else None,
        **fields,
    )


def pair(a: Fact, b: Fact, relation: str, **fields: Any) -> JudgedPair:
    """Return two facts judged, oriented by time; ``unjudged`` is a pair that nobody could judge."""
    if (b.first_seen, b.fingerprint) < (a.first_seen, a.fingerprint):
        a, b = b, a
    if relation == "unjudged":
        return JudgedPair(a.id, b.id, Unjudged("judge_unavailable", "down", retryable=True))
    return JudgedPair(a.id, b.id, verdict(relation, **fields))


def cluster(*pairs: JudgedPair, facts: list[Fact], **fields: Any) -> Cluster:
    """Return a cluster of facts with judged pairs."""
    return Cluster({fact.id: fact for fact in facts}, tuple(pairs), **fields)
