"""The first commit: records become sightings in the log, safe and pending, before anybody judges them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from arbiter.errors import EmbeddingError
from arbiter.pipeline.context import Context
from arbiter.pipeline.exact import Draft, sort_arrivals
from arbiter.ports import Vectors


@dataclass(frozen=True, slots=True)
class Embedded:
    """Vectors of facts, one a row in the order of the ids; ``failed`` could not be embedded."""

    ids: tuple[str, ...]
    vectors: Vectors
    failed: frozenset[str] = frozenset()

    def only(self, wanted: Collection[str]) -> Embedded:
        """Return the part that is about some facts."""
        rows = [row for row, fact_id in enumerate(self.ids) if fact_id in wanted]
        return Embedded(
            tuple(self.ids[row] for row in rows), self.vectors[rows], self.failed.intersection(wanted)
        )


@dataclass(frozen=True, slots=True)
class Arrived:
    """A batch that is in the log.

    ``fresh`` are the facts that are to be judged now: those that are new with it, and ``left``, which whoever
    brought them left behind unfinished. ``sighted`` are the known facts with a new sighting, ``moved`` those
    that were seen later than before; ``new`` are the ids of the new sightings.
    """

    drafts: tuple[Draft, ...]
    new: frozenset[str]
    fresh: Embedded
    left: frozenset[str]
    sighted: frozenset[str]
    moved: frozenset[str]


def arrive(namespace: str, drafts: Sequence[Draft], context: Context) -> Arrived:
    """Append what is new to the log and count what was seen before.

    Texts are embedded and read for names before the transaction opens; inside, everything is compared
    with the log once more, since another writer may have brought the same records meanwhile.
    """
    store = context.store
    ids = [draft.sighting.id for draft in drafts]
    arrivals = sort_arrivals(drafts, store.last_seen(namespace, ids))
    told = {draft.sighting.fact_id: draft for draft in reversed(arrivals.new)}
    known = store.facts(namespace, told)
    first = {fact_id: draft for fact_id, draft in told.items() if fact_id not in known}
    left = left_behind(namespace, {draft.sighting.fact_id for draft in drafts} - first.keys(), context)
    texts = {fact_id: draft.record.content for fact_id, draft in first.items()}
    texts |= {fact_id: fact.content for fact_id, fact in store.facts(namespace, left).items()} if left else {}
    subjects = {fact_id: draft.subject for fact_id, draft in first.items() if draft.subject}
    embedded, entities = _read(texts, first, subjects, context)
    with store.writing(namespace) as tx:
        # Sightings never leave the log: if all were known before, they still are.
        if arrivals.new:
            arrivals = sort_arrivals(drafts, store.last_seen(namespace, ids))
        already = store.facts(namespace, first)
        tx.arrive([draft.sighting for draft in arrivals.new], subjects, entities)
        tx.touch(arrivals.touches)
        tx.put_vectors(context.embedder.model_id, embedded.ids, embedded.vectors)
    later = {sighting_id for sighting_id, (latest, _) in arrivals.touches.items() if latest is not None}
    return Arrived(
        drafts=tuple(drafts),
        new=frozenset(draft.sighting.id for draft in arrivals.new),
        # Facts that another writer brought first are judged by that writer, as long as it lives.
        fresh=embedded.only((first.keys() - already.keys()) | left),
        left=left,
        sighted=frozenset(d.sighting.fact_id for d in arrivals.new if d.sighting.fact_id not in first),
        moved=frozenset(d.sighting.fact_id for d in drafts if d.sighting.id in later),
    )


def left_behind(namespace: str, fact_ids: Collection[str], context: Context) -> frozenset[str]:
    """Return which of these facts were never finished, though they arrived some time ago."""
    if not fact_ids:
        return frozenset()
    before = context.clock() - context.limits.left_after
    return frozenset(name for _, name in context.store.backlog.abandoned(before, namespace, fact_ids))


def embed(texts: Mapping[str, str], context: Context) -> Embedded:
    """Embed texts by fact id. Where the batch fails each text is tried alone, so that one cannot sink all."""
    ids = list(texts)
    try:
        return Embedded(tuple(ids), context.embedder.embed([texts[i] for i in ids]))
    except EmbeddingError:
        failed = frozenset(fact_id for fact_id in ids if not _embeds(texts[fact_id], context))
        kept = [fact_id for fact_id in ids if fact_id not in failed]
        return Embedded(tuple(kept), context.embedder.embed([texts[i] for i in kept]), failed)


def embed_stored(namespace: str, ids: Iterable[str], context: Context) -> Embedded:
    """Embed facts that are in the log already and commit their vectors; erased ones have no text to embed."""
    facts = context.store.facts(namespace, ids)
    embedded = embed({i: fact.content for i, fact in facts.items() if not fact.erased}, context)
    with context.store.writing(namespace) as tx:
        tx.put_vectors(context.embedder.model_id, embedded.ids, embedded.vectors)
    return embedded


def _read(
    texts: Mapping[str, str], first: Mapping[str, Draft], subjects: Mapping[str, str], context: Context
) -> tuple[Embedded, dict[str, frozenset[str]]]:
    """Embed texts and find the names in those of new facts; neither needs the other, so side by side."""
    if not first:
        return embed(texts, context), {}
    with ThreadPoolExecutor(1, thread_name_prefix="embed") as beside:
        embedded = beside.submit(embed, texts, context)
        entities = _entities(first, subjects, context)
        return embedded.result(), entities


def _embeds(text: str, context: Context) -> bool:
    try:
        context.embedder.embed([text])
    except EmbeddingError:
        return False
    return True


def _entities(
    first: Mapping[str, Draft], subjects: Mapping[str, str], context: Context
) -> dict[str, frozenset[str]]:
    found = context.entities.extract([draft.record.content for draft in first.values()])
    return {
        fact_id: names | ({subjects[fact_id]} if fact_id in subjects else frozenset())
        for fact_id, names in zip(first, found, strict=True)
    }
