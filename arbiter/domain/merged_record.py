"""The record of a text that a reviewer wrote to stand for two facts."""

from __future__ import annotations

from datetime import datetime
from typing import TypeVar

from arbiter.domain.claims import authority_of
from arbiter.domain.facts import Fact, Record, Source
from arbiter.domain.policy import Policy
from arbiter.domain.vocabulary import LIFETIMES, Explicitness, Mutability, Stakes

T = TypeVar("T")


def merged_record(a: Fact, b: Fact, text: str, *, reviewer: str, ref: str, policy: Policy) -> Record:
    """Return the record of a text that is to stand for an earlier and a later fact.

    The reviewer is its source and vouches for the words, not for what they say: kind and time are those of
    the best source of the two by the policy, at its latest word. What is known beside the words is kept
    as far as the two agree or one is silent; of subjects the later one's, of what limits a statement the
    wider limit.
    """
    told = [*a.sightings, *b.sightings]
    records = [sighting.record for sighting in told]
    best = max(authority_of(sighting, policy) for sighting in told)
    latest = max((s for s in told if authority_of(s, policy) >= best), key=lambda s: (s.first_seen, s.id))
    stated = any(record.explicitness is Explicitness.STATED for record in records)
    return Record(
        content=text,
        source=Source(f"reviewer:{reviewer}", latest.source.kind, ref),
        observed_at=latest.first_seen,
        namespace=a.namespace,
        subject=b.subject or a.subject,
        claim_key=b.claim_key if a.attribute_key == b.attribute_key else _agreed(a.claim_key, b.claim_key),
        value=_agreed(a.value, b.value),
        confidence=max(record.confidence for record in records),
        explicitness=Explicitness.STATED if stated else Explicitness.INFERRED,
        valid_from=_limit([record.valid_from for record in records], earliest=True),
        valid_to=_limit([record.valid_to for record in records], earliest=False),
        mutability=_longer_lived(a, b),
        stakes=Stakes.HIGH if Stakes.HIGH in (a.stakes, b.stakes) else a.stakes or b.stakes,
        tags=tuple(sorted({*a.tags, *b.tags})),
        metadata={"merged_from": [a.id, b.id]},
    )


def _agreed(one: T | None, other: T | None) -> T | None:
    return one if other in (None, one) else other if one is None else None


def _limit(moments: list[datetime | None], *, earliest: bool) -> datetime | None:
    """Return the widest limit; None if any of them has none."""
    known = [moment for moment in moments if moment is not None]
    if len(known) < len(moments):
        return None
    return min(known) if earliest else max(known)


def _longer_lived(a: Fact, b: Fact) -> Mutability | None:
    known = [mutability for mutability in (a.mutability, b.mutability) if mutability is not None]
    return min(known, key=LIFETIMES.index, default=None)
