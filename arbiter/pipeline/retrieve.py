"""Stage 2: stored facts worth comparing, by several roads.

Nothing hangs on similarity alone: the same text under another subject, the same reference of one source,
claim keys, subjects and named things each bring pairs in whatever their cosine. Named things include
the subject, so "Acme" as the object of one fact meets "Acme" as the subject of another. Every state is
searched: a superseded fact still places a late arrival.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from arbiter.domain.crowd import standing_out
from arbiter.domain.evidence import Candidate
from arbiter.domain.facts import Fact
from arbiter.domain.naming import are_strangers, differ
from arbiter.pipeline.context import Context, Limits
from arbiter.ports import Vectors


@dataclass(slots=True)
class _Found:
    roads: dict[str, set[str]] = field(default_factory=dict)
    similarity: dict[str, float] = field(default_factory=dict)

    def add(self, road: str, ids: Iterable[str]) -> None:
        for fact_id in ids:
            self.roads.setdefault(fact_id, set()).add(road)


@dataclass(frozen=True, slots=True)
class _Known:
    """What facts name and what they are about, by their ids."""

    entities: Mapping[str, frozenset[str]]
    subjects: Mapping[str, str]

    def overlap(self, one: str, other: str) -> float:
        names, others = (self.entities.get(fact_id, frozenset()) for fact_id in (one, other))
        either = names | others
        return len(names & others) / len(either) if either else 0.0

    def names(self, one: str, other: str) -> tuple[str, str] | None:
        """Return what they are about, as whoever told them says; None where one names what the other is."""
        a, b = self.subjects.get(one), self.subjects.get(other)
        if a is None or b is None:
            return None
        named = a in self.entities.get(other, ()) or b in self.entities.get(one, ())
        return None if named else (a, b)


def retrieve(
    facts: Sequence[Fact], subjects: Mapping[str, str], vectors: Vectors, context: Context
) -> dict[str, list[Candidate]]:
    """Return for each fact the stored facts that may matter to it, closest first, at most the limit.

    ``subjects`` gives the subject name (aliases resolved) by fact id; ``vectors`` stands in the order of
    the facts, all of one namespace.
    """
    if not facts:
        return {}
    namespace = facts[0].namespace
    limit = context.limits.candidates
    found = {fact.id: _Found() for fact in facts}
    _by_identity(facts, subjects, found, context)
    entities = context.store.entities(namespace, [fact.id for fact in facts])
    by_entity = context.store.by_entity(
        namespace, {name for names in entities.values() for name in names}, limit=limit
    )
    for fact in facts:
        for name in entities.get(fact.id, frozenset()):
            found[fact.id].add("entity", by_entity.get(name, ()))
    index = context.indexes.current(namespace)
    near = index.search(vectors, limit=limit + 1, min_similarity=context.limits.near)
    for fact, hits in zip(facts, near, strict=True):
        found[fact.id].add("vector", (fact_id for fact_id, _ in hits))
        found[fact.id].similarity.update(hits)
    missing = [[i for i in found[fact.id].roads if i not in found[fact.id].similarity] for fact in facts]
    for fact, more in zip(facts, index.similarities(vectors, missing), strict=True):
        found[fact.id].similarity.update(more)
    others = {fact_id for item in found.values() for fact_id in item.roads}
    entities |= context.store.entities(namespace, others - entities.keys())
    known = _Known(entities, context.store.subjects_of(namespace, others | found.keys()))
    return {fact.id: _ranked(fact.id, found[fact.id], known, context.limits) for fact in facts}


def _by_identity(
    facts: Sequence[Fact], subjects: Mapping[str, str], found: Mapping[str, _Found], context: Context
) -> None:
    store, namespace, limit = context.store, facts[0].namespace, context.limits.candidates
    texts = store.by_fingerprint(namespace, {fact.fingerprint for fact in facts}, limit=limit)
    references = {fact.id: _references(fact) for fact in facts}
    same_reference = store.by_reference(
        namespace, {ref for refs in references.values() for ref in refs}, limit=limit
    )
    keys = {
        fact.id: (subjects[fact.id], fact.attribute_key)
        for fact in facts
        if fact.id in subjects and fact.attribute_key
    }
    same_key = store.by_claim_key(namespace, set(keys.values()), limit=limit)
    same_subject = store.by_subject(namespace, set(subjects.values()), limit=limit)
    for fact in facts:
        item = found[fact.id]
        item.add("text", texts.get(fact.fingerprint, ()))
        for reference in references[fact.id]:
            item.add("reference", same_reference.get(reference, ()))
        if fact.id in keys:
            item.add("claim_key", same_key.get(keys[fact.id], ()))
        if fact.id in subjects:
            item.add("subject", same_subject.get(subjects[fact.id], ()))


def _references(fact: Fact) -> set[tuple[str, str]]:
    return {(s.source.id, s.source.ref) for s in fact.sightings if s.source.ref is not None}


_CERTAIN = frozenset({"text", "reference", "claim_key"})
_ABOUT = frozenset({"subject", "entity"})


def _ranked(fact_id: str, item: _Found, known: _Known, limits: Limits) -> list[Candidate]:
    candidates = [_candidate(fact_id, other, item, known) for other in item.roads if other != fact_id]
    ranked = sorted(candidates, key=rank)[: limits.candidates]
    about = [c for c in candidates if shares(c) and not (certain(c) or c.apart or c.namesake)]
    # What was found for its similarity alone is not what is usual.
    usual = {
        c.fact_id: c.similarity
        for c in about
        if c.similarity is not None and not _ABOUT.isdisjoint(c.retrieved_by)
    }
    bounds = standing_out(usual, (c.fact_id for c in about)) if len(usual) >= limits.crowd else {}
    return [replace(c, stands_out_from=bounds[c.fact_id]) if c.fact_id in bounds else c for c in ranked]


def _candidate(fact_id: str, other: str, item: _Found, known: _Known) -> Candidate:
    names = known.names(fact_id, other)
    apart = names is not None and are_strangers(*names)
    return Candidate(
        fact_id=other,
        similarity=item.similarity.get(other),
        entity_overlap=known.overlap(fact_id, other),
        retrieved_by=tuple(sorted(item.roads[other])),
        apart=apart,
        namesake=not apart and names is not None and differ(*names),
    )


def rank(candidate: Candidate) -> tuple[bool, bool, bool, float, str]:
    """Order candidates: those a sure road found, then by similarity and shared named things.

    What is about another subject comes last, so that a crowd of lookalikes keeps nothing else out.
    """
    nearness = (candidate.similarity or 0.0) + 0.3 * candidate.entity_overlap
    return (not certain(candidate), candidate.apart, candidate.namesake, -nearness, candidate.fact_id)


def certain(candidate: Candidate) -> bool:
    """Was it found by a road that makes the pair worth judging whatever the similarity?"""
    return not _CERTAIN.isdisjoint(candidate.retrieved_by)


def shares(candidate: Candidate) -> bool:
    """Does it share its subject or a named thing with the record?"""
    return "subject" in candidate.retrieved_by or candidate.entity_overlap > 0
