"""Working on the review queue together: who has which item in hand, who is to look at it, what was noted."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

from arbiter.domain.review_answer import check_name, check_note
from arbiter.domain.review_queue import Comment, Place, Queued, QueueQuery, ReviewStatus, ReviewWork
from arbiter.errors import ClaimedError, NotFoundError, RequestError, StaleRulingError
from arbiter.pipeline.context import Context
from arbiter.ports import Writing

CLAIM_LASTS = timedelta(minutes=15)
"""How long a claim holds unless it says otherwise."""
_CLAIM_LIMIT = timedelta(hours=24)


def queued(namespace: str, review_id: str, context: Context) -> Queued:
    """Return an item with its place in the queue.

    Raises:
        NotFoundError: there is no such item.
    """
    found = context.store.queued(namespace, [review_id])
    if review_id not in found:
        raise NotFoundError(f"{namespace} has no review item {review_id}")
    return found[review_id]


def open_to(reviewer: str, found: Queued, now: datetime) -> None:
    """Check that a person may work on an item now. What was set aside may be answered all the same.

    Raises:
        StaleRulingError: it is no longer open.
        ClaimedError: somebody else has it in hand.
    """
    if found.status is ReviewStatus.CLOSED:
        raise StaleRulingError(f"{found.item.id} is no longer open: it was settled, or its facts moved on")
    claimant, until = found.work.claimant(now), found.work.claimed_until
    if claimant not in (None, reviewer) and until is not None:
        raise ClaimedError(
            f"{found.item.id} is in the hands of {claimant} until {until.isoformat()}",
            claimant=claimant,
            until=until,
        )


def claim(
    namespace: str, review_id: str, reviewer: str, context: Context, *, lasting: timedelta = CLAIM_LASTS
) -> Queued:
    """Take an item in hand for a while; whoever has it in hand already goes on from now.

    Raises:
        RequestError: the name is no name, or the time is out of bounds.
        NotFoundError: there is no such item.
        StaleRulingError: it is no longer open.
        ClaimedError: somebody else has it in hand.
    """
    _check_claim(reviewer, lasting)
    with context.store.writing(namespace) as tx:
        return _claim(queued(namespace, review_id, context), reviewer, lasting, context.clock(), tx)


def claim_next(
    namespace: str,
    query: QueueQuery,
    reviewer: str,
    context: Context,
    *,
    lasting: timedelta = CLAIM_LASTS,
) -> Queued | None:
    """Take the most urgent item in hand that nobody else has in hand or was given; None if there is none.

    Raises:
        RequestError: the name is no name, or the time is out of bounds.
    """
    _check_claim(reviewer, lasting)
    with context.store.writing(namespace) as tx:
        now = context.clock()
        found = context.store.queue(
            namespace, replace(query, free_for=reviewer), behind=Place.start(now), limit=1
        )
        return _claim(found[0], reviewer, lasting, now, tx) if found else None


def release(namespace: str, review_id: str, reviewer: str, context: Context) -> Queued:
    """Let go of an item; one that nobody has in hand stays as it is.

    Raises:
        NotFoundError: there is no such item.
        ClaimedError: somebody else has it in hand.
    """
    with context.store.writing(namespace) as tx:
        found = queued(namespace, review_id, context)
        if found.status is not ReviewStatus.CLOSED:
            open_to(reviewer, found, context.clock())
        return _write(found, replace(found.work, claimed_by=None, claimed_until=None), tx)


def assign(namespace: str, review_id: str, assignee: str | None, context: Context) -> Queued:
    """Give an item to a person to look at, or to nobody in particular (None).

    Raises:
        RequestError: the name is no name.
        NotFoundError: there is no such item.
        StaleRulingError: it is no longer open.
    """
    if assignee is not None:
        check_name(assignee, "assignee")
    with context.store.writing(namespace) as tx:
        found = queued(namespace, review_id, context)
        if found.status is ReviewStatus.CLOSED:
            raise StaleRulingError(f"{review_id} is no longer open")
        return _write(found, replace(found.work, assignee=assignee), tx)


def comment(namespace: str, review_id: str, author: str, text: str, context: Context) -> Comment:
    """Note something on an item, open or not.

    Raises:
        RequestError: the name is no name, or the text is blank or too long.
        NotFoundError: there is no such item.
    """
    check_name(author, "author")
    check_note(text, "text")
    with context.store.writing(namespace) as tx:
        queued(namespace, review_id, context)
        noted = Comment(review_id, author, context.clock(), text)
        tx.commented(noted)
        return noted


def _check_claim(reviewer: str, lasting: timedelta) -> None:
    check_name(reviewer, "reviewer")
    if not timedelta() < lasting <= _CLAIM_LIMIT:
        raise RequestError("a claim lasts longer than no time and at most a day", field="lasting")


def _claim(found: Queued, reviewer: str, lasting: timedelta, now: datetime, tx: Writing) -> Queued:
    open_to(reviewer, found, now)
    return _write(found, replace(found.work, claimed_by=reviewer, claimed_until=now + lasting), tx)


def _write(found: Queued, work: ReviewWork, tx: Writing) -> Queued:
    if work != found.work:
        tx.works(work)
    return replace(found, work=work)
