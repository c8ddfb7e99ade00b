"""What goes out to other tools: the open questions, and the pairs that people settled."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from arbiter.domain.outcomes import Ruling, review_id
from arbiter.domain.review_queue import QueueQuery
from arbiter.domain.ruled import SettledPair
from arbiter.domain.rulings import Key, standing_rulings
from arbiter.domain.vocabulary import RulingKind
from arbiter.pipeline.batches import batches
from arbiter.pipeline.context import Context
from arbiter.pipeline.judge import flipped
from arbiter.pipeline.review_view import ReviewView, queue_page

_BATCH = 500


def queued_views(namespace: str, query: QueueQuery, context: Context) -> Iterator[ReviewView]:
    """Yield the items that a query asks for with everything about them, most urgent first."""
    behind = None
    while True:
        page = queue_page(namespace, query, behind, _BATCH, context)
        yield from page.items
        if page.behind is None:
            return
        behind = page.behind


def settled_pairs(namespace: str, context: Context) -> Iterator[SettledPair]:
    """Yield the pairs of which a person's decision stands, in the order in which they were first ruled on.

    They come from the log of rulings, so that none is missed that is no longer in the queue. Undone ones
    and those of which a text was erased are left out.
    """
    by_key: dict[Key, list[Ruling]] = {}
    for ruling in context.store.rulings(namespace):
        by_key.setdefault(ruling.key, []).append(ruling)
    for keys in batches(by_key, _BATCH):
        yield from _settled(namespace, [ruling for key in keys for ruling in by_key[key]], context)


def _settled(namespace: str, rulings: Sequence[Ruling], context: Context) -> Iterator[SettledPair]:
    store = context.store
    facts = store.facts(namespace, sorted({fact_id for ruling in rulings for fact_id in ruling.facts}))
    standing = standing_rulings(rulings, facts).deciding
    judged = store.judged_then(namespace, [ruling.id for ruling in standing.values()])
    ids = [review_id(*key) for key in standing]
    asked = {found.item.key: found.item for found in store.queued(namespace, ids).values()}
    for key, ruling in standing.items():
        if ruling.kind is RulingKind.UNDO or any(facts[fact_id].erased for fact_id in ruling.facts):
            continue
        found = judged.get(ruling.id)
        judgement = None
        if found is not None:
            judgement = found.judgement if found.a == ruling.a else flipped(found.judgement)
        yield SettledPair(
            ruling=ruling,
            a=facts[ruling.a],
            b=facts[ruling.b],
            judgement=judgement,
            merged=facts.get(ruling.merged or ""),
            item=asked.get(key),
        )
