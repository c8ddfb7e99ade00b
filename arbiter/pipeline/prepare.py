"""Before the first commit: what a batch brings that is new, and what the models make of its texts."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from arbiter.errors import EmbeddingError
from arbiter.pipeline.context import Context
from arbiter.pipeline.exact import Arrivals, Draft, sort_arrivals
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
class News:
    """What one namespace's part of a batch brings, as far as can be told before its transaction.

    ``first`` are the drafts of facts that the store does not know, by fact id; ``left`` known facts that
    whoever brought them left behind unfinished; ``texts`` the words of both.
    """

    namespace: str
    drafts: tuple[Draft, ...]
    arrivals: Arrivals
    first: Mapping[str, Draft]
    left: frozenset[str]
    texts: Mapping[str, str]

    @property
    def subjects(self) -> dict[str, str]:
        """What the new facts are about, aliases resolved; those without a subject lack."""
        return {fact_id: draft.subject for fact_id, draft in self.first.items() if draft.subject}


@dataclass(frozen=True, slots=True)
class Prepared:
    """News with the vectors of its texts, and the named things in those of new facts."""

    news: News
    embedded: Embedded
    entities: Mapping[str, frozenset[str]]


def prepare(parts: Iterable[tuple[str, Sequence[Draft]]], context: Context) -> list[Prepared]:
    """Find out what is new in each namespace, and let the models read the texts of all of them together.

    Nothing is written: a batch of many small namespaces costs the models no more than one of a large one.
    """
    all_news = [_news(namespace, drafts, context) for namespace, drafts in parts]
    texts = {fact_id: text for news in all_news for fact_id, text in news.texts.items()}
    first = {fact_id: draft for news in all_news for fact_id, draft in news.first.items()}
    embedded, entities = _read(texts, first, context)
    if len(all_news) == 1:
        return [Prepared(all_news[0], embedded, entities)]
    return [
        Prepared(news, embedded.only(news.texts), {fact_id: entities[fact_id] for fact_id in news.first})
        for news in all_news
    ]


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


def _news(namespace: str, drafts: Sequence[Draft], context: Context) -> News:
    store = context.store
    arrivals = sort_arrivals(drafts, store.last_seen(namespace, [draft.sighting.id for draft in drafts]))
    told = {draft.sighting.fact_id: draft for draft in reversed(arrivals.new)}
    known = store.facts(namespace, told)
    first = {fact_id: draft for fact_id, draft in told.items() if fact_id not in known}
    left = left_behind(namespace, {draft.sighting.fact_id for draft in drafts} - first.keys(), context)
    texts = {fact_id: draft.record.content for fact_id, draft in first.items()}
    texts |= {fact_id: fact.content for fact_id, fact in store.facts(namespace, left).items()} if left else {}
    return News(namespace, tuple(drafts), arrivals, first, left, texts)


def _read(
    texts: Mapping[str, str], first: Mapping[str, Draft], context: Context
) -> tuple[Embedded, dict[str, frozenset[str]]]:
    """Embed texts and find the names in those of new facts; neither needs the other, so side by side."""
    if not first:
        return embed(texts, context), {}
    with ThreadPoolExecutor(1, thread_name_prefix="embed") as beside:
        try:
            embedded = beside.submit(embed, texts, context)
        except RuntimeError:
            # No thread can start, as when the interpreter ends.
            return embed(texts, context), _entities(first, context)
        entities = _entities(first, context)
        return embedded.result(), entities


def _embeds(text: str, context: Context) -> bool:
    try:
        context.embedder.embed([text])
    except EmbeddingError:
        return False
    return True


def _entities(first: Mapping[str, Draft], context: Context) -> dict[str, frozenset[str]]:
    found = context.entities.extract([draft.record.content for draft in first.values()])
    return {
        fact_id: names | ({draft.subject} if draft.subject else frozenset())
        for (fact_id, draft), names in zip(first.items(), found, strict=True)
    }
