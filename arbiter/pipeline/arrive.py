"""The first commit: records become sightings in the log, safe and pending, before anybody judges them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from arbiter.pipeline.context import Context
from arbiter.pipeline.exact import Draft, sort_arrivals
from arbiter.pipeline.prepare import Embedded, Prepared, embed


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


def arrive(prepared: Prepared, context: Context) -> Arrived:
    """Append what is new to the log and count what was seen before.

    Inside the transaction everything is compared with the log once more, since another writer may have
    brought the same records meanwhile.
    """
    store, news, embedded = context.store, prepared.news, prepared.embedded
    arrivals, first = news.arrivals, news.first
    with store.writing(news.namespace) as tx:
        # Sightings never leave the log: if all were known before, they still are.
        if arrivals.new:
            seen = store.last_seen(news.namespace, [draft.sighting.id for draft in news.drafts])
            arrivals = sort_arrivals(news.drafts, seen)
        already = store.facts(news.namespace, first)
        tx.arrive([draft.sighting for draft in arrivals.new], news.subjects, prepared.entities)
        tx.touch(arrivals.touches)
        tx.put_vectors(context.embedder.model_id, embedded.ids, embedded.vectors)
    fresh = first.keys() - already.keys()
    later = {sighting_id for sighting_id, (latest, _) in arrivals.touches.items() if latest is not None}
    return Arrived(
        drafts=news.drafts,
        new=frozenset(draft.sighting.id for draft in arrivals.new),
        # Facts that another writer brought first are judged by that writer, as long as it lives.
        fresh=embedded.only(fresh | news.left),
        left=news.left,
        sighted=frozenset(d.sighting.fact_id for d in arrivals.new if d.sighting.fact_id not in fresh),
        moved=frozenset(d.sighting.fact_id for d in news.drafts if d.sighting.id in later),
    )


def embed_stored(namespace: str, ids: Iterable[str], context: Context) -> Embedded:
    """Embed facts that are in the log already and commit their vectors; erased ones have no text to embed."""
    facts = context.store.facts(namespace, ids)
    embedded = embed({i: fact.content for i, fact in facts.items() if not fact.erased}, context)
    with context.store.writing(namespace) as tx:
        tx.put_vectors(context.embedder.model_id, embedded.ids, embedded.vectors)
    return embedded
