"""Review items as people read them: both statements, what was found about them, what was ruled before."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TypeVar

from arbiter.domain.evidence import JudgedPair, Judgement
from arbiter.domain.outcomes import Decision, ReviewItem, Ruling
from arbiter.domain.review_queue import Comment, Place, Priority, Queued, QueueQuery
from arbiter.domain.rulings import Key, in_effect
from arbiter.pipeline.context import Context
from arbiter.pipeline.judge import flipped
from arbiter.pipeline.read import FactView, views

About = TypeVar("About", Decision, Ruling)


@dataclass(frozen=True, slots=True)
class ReviewView:
    """Everything about one review item at a moment; the sides of ``judgement`` are those of the item.

    ``decisions`` are those in force on the pair, with the action that the policy proposes and its rule;
    ``rulings`` every earlier one on the pair, oldest first, those that were taken back too.
    """

    queued: Queued
    now: datetime
    a: FactView
    b: FactView
    judgement: Judgement | None
    decisions: tuple[Decision, ...]
    rulings: tuple[Ruling, ...]
    comments: tuple[Comment, ...]

    @property
    def priority(self) -> Priority:
        """What makes it urgent, its age included."""
        return self.queued.priority(self.now)

    @property
    def age(self) -> timedelta:
        """How long it has waited."""
        return self.queued.age(self.now)

    @property
    def claimant(self) -> str | None:
        """Who has it in hand."""
        return self.queued.work.claimant(self.now)

    @property
    def holding(self) -> Ruling | None:
        """The ruling that holds, if there is one: the one to take back."""
        return next(reversed(in_effect(self.rulings)), None)

    @property
    def stale(self) -> bool:
        """Did a side change since the question was asked?"""
        item = self.queued.item
        return (self.a.fact.digest, self.b.fact.digest) != (item.digest_a, item.digest_b)


@dataclass(frozen=True, slots=True)
class QueuePage:
    """Some items of the queue; ``behind`` is the place from which to read on, None at the end."""

    items: tuple[ReviewView, ...]
    behind: Place | None


def queue_page(
    namespace: str, query: QueueQuery, behind: Place | None, limit: int, context: Context
) -> QueuePage:
    """Return up to ``limit`` items behind a place, most urgent first; from the start without one.

    The pages of one reading are of one order: that of the moment at which it started.
    """
    start = behind or Place.start(context.clock())
    found = context.store.queue(namespace, query, behind=start, limit=limit + 1)
    shown = found[:limit]
    items = tuple(review_views(namespace, shown, start.moment, context))
    more = len(found) > limit
    last = Place(start.moment, items[-1].priority.total, shown[-1].item.id) if more and items else None
    return QueuePage(items, last)


def review_views(
    namespace: str, found: Sequence[Queued], now: datetime, context: Context
) -> list[ReviewView]:
    """Read everything about some items at once, in their order."""
    store = context.store
    keys = [queued.item.key for queued in found]
    sides = sorted({fact_id for key in keys for fact_id in key})
    facts = {view.fact.id: view for view in views(namespace, sides, context)}
    judged = store.verdicts(namespace, keys)
    decisions = _by_key(store.decisions(namespace, sides))
    rulings = _by_key(store.rulings_on(namespace, keys))
    comments = store.comments(namespace, [queued.item.id for queued in found])
    return [
        ReviewView(
            queued=queued,
            now=now,
            a=facts[queued.item.a],
            b=facts[queued.item.b],
            judgement=as_asked(queued.item, judged.get(queued.item.key)),
            decisions=tuple(decisions.get(queued.item.key, ())),
            rulings=tuple(rulings.get(queued.item.key, ())),
            comments=tuple(comments.get(queued.item.id, ())),
        )
        for queued in found
    ]


def as_asked(item: ReviewItem, pair: JudgedPair | None) -> Judgement | None:
    """Return what was found of a pair with the sides as the question has them."""
    if pair is None:
        return None
    return pair.judgement if pair.a == item.a else flipped(pair.judgement)


def _by_key(found: Iterable[About]) -> dict[Key, list[About]]:
    by_key: dict[Key, list[About]] = {}
    for about in found:
        by_key.setdefault(about.key, []).append(about)
    return by_key
