"""Records, sightings and facts, and how their identities are derived."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from enum import StrEnum
from functools import lru_cache

from arbiter.domain.canonical import digest, fingerprint, fold_name, sorted_tags
from arbiter.domain.vocabulary import Explicitness, Mutability, SourceKind, Stakes

DEFAULT_NAMESPACE = "default"


class EventKeyPolicy(StrEnum):
    """What makes two deliveries of one source the same event."""

    AUTO = "auto"
    IDENTITY = "identity"
    CONTENT = "content"


@dataclass(frozen=True, slots=True)
class Source:
    """Who made a statement. ``ref`` is the source's own stable reference for it, if it has one."""

    id: str
    kind: SourceKind
    ref: str | None = None


@dataclass(frozen=True, slots=True)
class Record:
    """One statement as a caller submits it. ``observed_at`` has a zone; confidence lies in [0, 1]."""

    content: str
    source: Source
    observed_at: datetime
    namespace: str = DEFAULT_NAMESPACE
    subject: str | None = None
    claim_key: str | None = None
    value: str | None = None
    confidence: float = 1.0
    explicitness: Explicitness = Explicitness.STATED
    causal_hint: str | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    mutability: Mutability | None = None
    stakes: Stakes | None = None
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, object] = field(default_factory=dict)

    @property
    def subject_key(self) -> str | None:
        """The subject in the form in which spellings of one name meet."""
        return fold_name(self.subject) if self.subject else None

    @property
    def attribute_key(self) -> str | None:
        """The claim key in the form in which spellings of one key meet."""
        return fold_name(self.claim_key) if self.claim_key else None


@dataclass(frozen=True, slots=True)
class Sighting:
    """One source said one fact in one event, in the words of its record.

    ``record.observed_at`` is when it was first seen. Re-reads move ``last_seen`` and the count, no more.
    """

    id: str
    fact_id: str
    event_key: str
    record: Record
    last_seen: datetime
    seen_count: int = 1
    record_index: int | None = None

    @property
    def source(self) -> Source:
        """Who said it."""
        return self.record.source

    @property
    def first_seen(self) -> datetime:
        """When this event was first observed."""
        return self.record.observed_at


@dataclass(frozen=True, slots=True)
class Fact:
    """One statement of a namespace, with everyone who made it. Made by ``fact_of``.

    Its words are those of the sighting that is first by time, and each optional field is that of the
    first sighting that has it, so that nothing depends on the order of arrival. The words are empty
    once the fact has been erased.
    """

    id: str
    namespace: str
    content: str
    fingerprint: str
    subject: str | None
    claim_key: str | None
    value: str | None
    mutability: Mutability | None
    stakes: Stakes | None
    tags: tuple[str, ...]
    sightings: tuple[Sighting, ...]
    erased: bool = False

    @property
    def first_seen(self) -> datetime:
        """The earliest time at which any source saw it."""
        return self.sightings[0].first_seen

    @property
    def last_seen(self) -> datetime:
        """The latest time at which any source saw it."""
        return max(sighting.last_seen for sighting in self.sightings)

    @property
    def seen_count(self) -> int:
        """How often it was delivered, re-reads included."""
        return sum(sighting.seen_count for sighting in self.sightings)

    @property
    def sources(self) -> tuple[str, ...]:
        """The distinct ids of its sources, sorted."""
        return tuple(sorted({sighting.source.id for sighting in self.sightings}))

    @property
    def subject_key(self) -> str | None:
        """The subject in the form in which spellings of one name meet."""
        return fold_name(self.subject) if self.subject else None

    @property
    def attribute_key(self) -> str | None:
        """The claim key in the form in which spellings of one key meet."""
        return fold_name(self.claim_key) if self.claim_key else None

    @property
    def digest(self) -> str:
        """What a ruling binds: the words and what is known about them, without the counters."""
        known = sorted({_known(sighting.record) for sighting in self.sightings})
        return digest(self.content, self.subject_key, self.attribute_key, self.value, *known)

    def as_record(self) -> Record:
        """Return the fact as its first sighting told it: the form in which judges read it."""
        return replace(
            self.sightings[0].record,
            subject=self.subject,
            claim_key=self.claim_key,
            value=self.value,
            mutability=self.mutability,
            stakes=self.stakes,
        )


def _known(record: Record) -> str:
    """Write what is known about a statement beside its words, for identities and digests."""
    said = (record.source.kind, confidence_class(record.confidence), record.explicitness)
    if record.causal_hint is None and record.valid_from is None and record.valid_to is None:
        return _known_of_most(*said)
    return digest(*said, record.causal_hint, iso(record.valid_from), iso(record.valid_to))


@lru_cache(maxsize=64)
def _known_of_most(kind: SourceKind, confidence: str, explicitness: Explicitness) -> str:
    """Return ``_known`` of records without a hint or a time of validity; there are a few dozen of them."""
    return digest(kind, confidence, explicitness, None, None, None)


def iso(moment: datetime | None) -> str | None:
    """Write a moment in UTC, so that two spellings of one moment are equal."""
    return None if moment is None else moment.astimezone(UTC).isoformat()


def confidence_class(confidence: float) -> str:
    """Return low (< 0.5), medium (< 0.8) or high: a step between classes is news, a wobble is not."""
    return "low" if confidence < 0.5 else "medium" if confidence < 0.8 else "high"


def fact_id(record: Record) -> str:
    """Derive the fact's id from what it says: namespace, subject, canonical content.

    Events and series points carry their time as part of what they say.
    """
    moment = iso(record.observed_at) if record.mutability is Mutability.EVENT else None
    return "fact_" + digest(record.namespace, record.subject_key, fingerprint(record.content), moment)


def event_key(record: Record, policy: EventKeyPolicy) -> str:
    """Derive the identity of the event that brought the record; never random, never a clock.

    ``identity`` takes the source's own reference, ``content`` the fact itself; ``auto`` takes the
    reference where there is one.
    """
    return _event_key(record, policy, fact_id(record))


def _event_key(record: Record, policy: EventKeyPolicy, fact: str) -> str:
    by_reference = policy is not EventKeyPolicy.CONTENT and record.source.ref is not None
    return f"{record.source.id}:{record.source.ref if by_reference else fact}"


def sighting_of(record: Record, policy: EventKeyPolicy, *, record_index: int | None = None) -> Sighting:
    """Return the record as the first sighting of its event.

    The same event with another confidence class, source kind, validity or causal hint is a change of
    what is known about the fact, hence another sighting.
    """
    fact = fact_id(record)
    key = _event_key(record, policy, fact)
    return Sighting(
        id="sight_" + digest(fact, record.source.id, key, _known(record)),
        fact_id=fact,
        event_key=key,
        record=record,
        last_seen=record.observed_at,
        record_index=record_index,
    )


def told_by(fact: Fact, sightings: Iterable[Sighting]) -> Fact:
    """Return a fact as it would be if only these of its sightings had been made; at least one."""
    return replace(fact_of(sightings), fingerprint=fact.fingerprint, erased=fact.erased)


def fact_of(sightings: Iterable[Sighting]) -> Fact:
    """Return the fact that these sightings tell; they are of one fact, at least one.

    The order in which they are given plays no part.
    """
    told = tuple(sorted(sightings, key=lambda s: (s.first_seen, s.record.content, s.id)))
    first = told[0]
    records = [sighting.record for sighting in told]
    return Fact(
        id=first.fact_id,
        namespace=first.record.namespace,
        content=first.record.content,
        fingerprint=fingerprint(first.record.content),
        subject=next((r.subject for r in records if r.subject), None),
        claim_key=next((r.claim_key for r in records if r.claim_key), None),
        value=next((r.value for r in records if r.value), None),
        mutability=next((r.mutability for r in records if r.mutability), None),
        stakes=Stakes.HIGH
        if any(r.stakes is Stakes.HIGH for r in records)
        else next((r.stakes for r in records if r.stakes), None),
        tags=sorted_tags(tag for r in records for tag in r.tags),
        sightings=told,
    )
