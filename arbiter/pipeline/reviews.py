"""``Arbiter.review``: everything that people do with the questions that wait for them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta

from arbiter.domain.facts import DEFAULT_NAMESPACE
from arbiter.domain.outcomes import FactState, ReviewItem
from arbiter.domain.review_answer import Answer, Ruled
from arbiter.domain.review_queue import Comment, Place, QueueCounts, Queued, QueueQuery
from arbiter.domain.vocabulary import Relation, RulingKind
from arbiter.errors import RequestError
from arbiter.pipeline import review, review_batch, review_work
from arbiter.pipeline.context import Context
from arbiter.pipeline.review_view import QueuePage, ReviewView, queue_page, review_views

MOST_ITEMS = 1_000
"""The largest page of the queue."""
_EVERYTHING = QueueQuery()


@dataclass(frozen=True, slots=True)
class Reviews:
    """The review queue of a store."""

    context: Context

    def items(self, *, namespace: str = DEFAULT_NAMESPACE, open_only: bool = True) -> list[ReviewItem]:
        """Return the items, most urgent first, their age left aside."""
        return self.context.store.reviews(namespace, open_only=open_only)

    def page(
        self,
        query: QueueQuery = _EVERYTHING,
        *,
        namespace: str = DEFAULT_NAMESPACE,
        after: str | None = None,
        limit: int = 50,
    ) -> QueuePage:
        """Return up to ``limit`` items with everything about them, most urgent first.

        ``after`` is the place behind an earlier page, as ``str`` writes it: the pages of one reading
        leave nothing out and show nothing twice, whatever is settled meanwhile.

        Raises:
            RequestError: there is no such place, or the limit is out of bounds.
        """
        if not 1 <= limit <= MOST_ITEMS:
            raise RequestError(f"limit: is not between 1 and {MOST_ITEMS:,}", field="limit")
        behind = None if after is None else Place.parse(after)
        return queue_page(namespace, query, behind, limit, self.context)

    def counts(self, *, namespace: str = DEFAULT_NAMESPACE) -> QueueCounts:
        """Return how the queue stands: how much waits, since when, and what is done."""
        return self.context.store.queue_counts(namespace, self.context.clock())

    def show(self, review_id: str, *, namespace: str = DEFAULT_NAMESPACE) -> ReviewItem:
        """Return one item.

        Raises:
            NotFoundError: the namespace has no such item.
        """
        return self.context.store.review(namespace, review_id)[0]

    def view(self, review_id: str, *, namespace: str = DEFAULT_NAMESPACE) -> ReviewView:
        """Return one item with everything that a person needs to answer it.

        Raises:
            NotFoundError: the namespace has no such item.
        """
        found = review_work.queued(namespace, review_id, self.context)
        return review_views(namespace, [found], self.context.clock(), self.context)[0]

    def views(self, review_ids: Iterable[str], *, namespace: str = DEFAULT_NAMESPACE) -> list[ReviewView]:
        """Return some items with everything about them, in the order of the ids; unknown ids lack."""
        wanted = list(dict.fromkeys(review_ids))
        found = self.context.store.queued(namespace, wanted)
        known = [found[review_id] for review_id in wanted if review_id in found]
        return review_views(namespace, known, self.context.clock(), self.context)

    def answer(self, review_id: str, answer: Answer, *, namespace: str = DEFAULT_NAMESPACE) -> Ruled:
        """Put a person's answer to an item into force.

        Raises:
            RequestError: the answer is not complete, or its text names what neither side names
                (``UnconfirmedTextError``).
            NotFoundError: the namespace has no such item.
            ClaimedError: somebody else has the item in hand.
            StaleRulingError: it is settled already, or its facts changed since they were seen.
        """
        return review.answer(namespace, review_id, answer, self.context)

    def answer_all(
        self, given: Sequence[review_batch.Given], *, namespace: str = DEFAULT_NAMESPACE
    ) -> list[review_batch.Outcome]:
        """Put many answers into force, none of them a merge, and return what became of each.

        Each is checked as ``answer`` checks it, in the same order; one that is refused harms no other.
        """
        return review_batch.answer_all(namespace, given, self.context)

    def rule(
        self,
        review_id: str,
        kind: RulingKind,
        *,
        reviewer: str,
        namespace: str = DEFAULT_NAMESPACE,
        relabel: Relation | None = None,
        reason: str = "",
        seen: tuple[str, str] | None = None,
    ) -> list[FactState]:
        """Settle an item and return the states that changed: ``answer`` in short, without a merged text.

        Raises:
            RequestError: the ruling is not complete.
            NotFoundError: the namespace has no such item.
            ClaimedError: somebody else has the item in hand.
            StaleRulingError: it is settled already, or its facts changed since ``seen``.
        """
        given = Answer(kind, reviewer, relabel=relabel, reason=reason, seen=seen)
        return list(self.answer(review_id, given, namespace=namespace).changed)

    def undo(
        self, ruling_id: str, *, reviewer: str, namespace: str = DEFAULT_NAMESPACE, cascade: bool = False
    ) -> Ruled:
        """Take a ruling back, as if it had never been made; the question is asked again if it is still one.

        ``Arbiter.undo`` takes a decision back instead, and leaves it at that: nothing is asked.

        Raises:
            NotFoundError: the namespace has no such ruling.
            StaleRulingError: it does not hold any more.
            DependentDecisionError: later decisions rest on it; ``cascade`` takes them back together.
        """
        return review.retract(namespace, ruling_id, reviewer, self.context, cascade=cascade)

    def claim(
        self,
        review_id: str,
        *,
        reviewer: str,
        namespace: str = DEFAULT_NAMESPACE,
        lasting: timedelta = review_work.CLAIM_LASTS,
    ) -> Queued:
        """Take an item in hand for a while, so that nobody else answers it meanwhile.

        Raises:
            RequestError: the name is no name, or the time is longer than a day.
            NotFoundError: the namespace has no such item.
            StaleRulingError: it is no longer open.
            ClaimedError: somebody else has it in hand.
        """
        return review_work.claim(namespace, review_id, reviewer, self.context, lasting=lasting)

    def claim_next(
        self,
        query: QueueQuery = _EVERYTHING,
        *,
        reviewer: str,
        namespace: str = DEFAULT_NAMESPACE,
        lasting: timedelta = review_work.CLAIM_LASTS,
    ) -> Queued | None:
        """Take the most urgent item in hand that is free for a reviewer; None if there is none.

        Raises:
            RequestError: the name is no name, or the time is longer than a day.
        """
        return review_work.claim_next(namespace, query, reviewer, self.context, lasting=lasting)

    def release(self, review_id: str, *, reviewer: str, namespace: str = DEFAULT_NAMESPACE) -> Queued:
        """Let go of an item.

        Raises:
            NotFoundError: the namespace has no such item.
            ClaimedError: somebody else has it in hand.
        """
        return review_work.release(namespace, review_id, reviewer, self.context)

    def assign(self, review_id: str, assignee: str | None, *, namespace: str = DEFAULT_NAMESPACE) -> Queued:
        """Give an item to a person to look at, or to nobody in particular.

        Raises:
            RequestError: the name is no name.
            NotFoundError: the namespace has no such item.
            StaleRulingError: it is no longer open.
        """
        return review_work.assign(namespace, review_id, assignee, self.context)

    def comment(
        self, review_id: str, text: str, *, author: str, namespace: str = DEFAULT_NAMESPACE
    ) -> Comment:
        """Note something on an item.

        Raises:
            RequestError: the name is no name, or the text is blank or too long.
            NotFoundError: the namespace has no such item.
        """
        return review_work.comment(namespace, review_id, author, text, self.context)
