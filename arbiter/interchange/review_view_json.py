"""The review queue as JSON: items with everything about them, comments, counts, and what a ruling did."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from arbiter.domain.facts import iso
from arbiter.domain.outcomes import Ruling
from arbiter.domain.review_answer import Ruled
from arbiter.domain.review_queue import Comment, QueueCounts, Queued, ReviewStatus, ReviewWork
from arbiter.interchange.fact_json import fact_json
from arbiter.interchange.history import ruling_entry
from arbiter.interchange.policy_json import state_json
from arbiter.interchange.receipts import Json, cost_json, decision_json, review_json, verdict_json
from arbiter.interchange.word_marks import Run, word_marks

if TYPE_CHECKING:
    # The views are gathered above this layer; here they are only read.
    from datetime import datetime

    from arbiter.pipeline.read import FactView
    from arbiter.pipeline.review_view import QueuePage, ReviewView


def review_view_json(view: ReviewView) -> Json:
    """Return an item with all that a person needs to answer it.

    ``priority`` is the total at the moment of the view, ``priority_parts`` what it is made of. ``marks``
    holds both texts in stretches, those that the other one lacks marked. ``holding`` is the id of the ruling
    that holds, to be undone.
    """
    parts = view.priority
    marks_a, marks_b = word_marks(view.a.fact.content, view.b.fact.content)
    return {
        **queued_json(view.queued, view.now),
        "priority": parts.total,
        "priority_parts": {
            "stakes": parts.stakes,
            "urgency": parts.urgency,
            "reach": parts.reach,
            "age": parts.age,
        },
        "stale": view.stale,
        "facts": {"a": _fact(view.a), "b": _fact(view.b)},
        "marks": {"a": _runs(marks_a), "b": _runs(marks_b)},
        "evidence": None if view.judgement is None else verdict_json(None, view.judgement),
        "proposed": _proposed(view),
        "decisions": [decision_json(decision) for decision in view.decisions],
        "rulings": [ruling_json(ruling) for ruling in view.rulings],
        "holding": view.holding.id if view.holding else None,
        "comments": [comment_json(comment) for comment in view.comments],
    }


def queued_json(queued: Queued, now: datetime) -> Json:
    """Return an item with its place in the queue; no text of its facts but what a judge proposed of them.

    A claim that has ended is none.
    """
    claimant, until = queued.work.claimant(now), queued.work.claimed_until
    return {
        **review_json(queued.item, is_open=queued.status is ReviewStatus.OPEN),
        "status": queued.status.value,
        "priority": queued.priority(now).total,
        "reach": queued.item.reach,
        "opened_at": iso(queued.opened_at),
        "closed_at": iso(queued.closed_at),
        "age_s": int(queued.age(now).total_seconds()),
        "assignee": queued.work.assignee,
        "claim": None if claimant is None else {"reviewer": claimant, "until": iso(until)},
    }


def work_json(work: ReviewWork) -> Json:
    """Return who works on an item as it stands written, a claim that has ended included."""
    by = work.claimed_by
    return {
        "review_id": work.review_id,
        "assignee": work.assignee,
        "claim": None if by is None else {"reviewer": by, "until": iso(work.claimed_until)},
    }


def queue_page_json(page: QueuePage) -> Json:
    """Return a page of the queue; ``next`` is the place behind it, null at the end."""
    return {
        "items": [review_view_json(view) for view in page.items],
        "next": None if page.behind is None else str(page.behind),
    }


def queue_counts_json(counts: QueueCounts, now: datetime) -> Json:
    """Return how the queue stands; ``oldest_s`` is how long the oldest open item has waited."""
    age = None if counts.oldest is None else max(0, int((now - counts.oldest).total_seconds()))
    return {
        "open": counts.open,
        "set_aside": counts.set_aside,
        "closed": counts.closed,
        "high_stakes": counts.high_stakes,
        "claimed": counts.claimed,
        "kinds": dict(sorted(counts.kinds.items())),
        "oldest": iso(counts.oldest),
        "oldest_s": age,
    }


def ruling_json(ruling: Ruling) -> Json:
    """Return a ruling as JSON, in the words of a fact's history."""
    return dict(ruling_entry(ruling.at, ruling).detail)


def ruled_json(ruled: Ruled) -> Json:
    """Return what a ruling did: the ruling itself, the states that are others since, and what it cost."""
    return {
        "ruling": ruling_json(ruled.ruling),
        "changed": [state_json(state) for state in ruled.changed],
        "cost": cost_json(ruled.spend),
    }


def comment_json(comment: Comment) -> Json:
    """Return a comment as JSON."""
    return {
        "id": comment.id,
        "review_id": comment.review_id,
        "author": comment.author,
        "at": iso(comment.at),
        "text": comment.text,
    }


def _proposed(view: ReviewView) -> Json | None:
    """Return what the policy makes of the pair as it stands: its action, its rule and the rule's reason."""
    if not view.decisions:
        return None
    made = view.decisions[0]
    return {"action": made.action.value, "rule": made.rule, "explanation": made.explanation}


def _fact(view: FactView) -> Json:
    return fact_json(view.fact, view.state)


def _runs(runs: Iterable[Run]) -> list[Json]:
    return [{"text": run.text, "differs": run.differs} for run in runs]
