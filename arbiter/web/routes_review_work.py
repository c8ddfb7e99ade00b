"""Working on the review queue together: claims, assignments, comments."""

from __future__ import annotations

from datetime import timedelta

from fastapi import APIRouter, Depends

from arbiter.domain.review_queue import Queued, QueueQuery
from arbiter.interchange.review_view_json import comment_json, queued_json, review_view_json
from arbiter.web.idempotency import OnceRoute, once
from arbiter.web.models.reviews import (
    AssignIn,
    ClaimIn,
    CommentIn,
    CommentOut,
    NextIn,
    NextOut,
    QueuedOut,
    ReviewerIn,
)
from arbiter.web.problems import WRITING, documented
from arbiter.web.routes_reviews import ReviewId, Reviewing, Served
from arbiter.web.service import Service

router = APIRouter(
    prefix="/reviews", tags=["reviews"], route_class=OnceRoute, dependencies=[Depends(once("review"))]
)
_ANY, _CALLER, _QUARTER = NextIn(), ReviewerIn(), ClaimIn()
_RESPONSES = {**WRITING, **documented(404, 409)}


@router.post(
    "/next",
    name="next",
    summary="Take the next question in hand",
    responses={**WRITING, **documented(409)},
)
async def take_next(at: Reviewing, service: Served, body: NextIn = _ANY) -> NextOut:
    """Take the most urgent item in hand that nobody else has in hand or is to look at, and show it."""
    reviews = service.arbiter.review
    query = QueueQuery(kinds=frozenset(body.kinds), stakes=body.stakes)

    def write() -> NextOut:
        taken = reviews.claim_next(
            query,
            reviewer=body.reviewer or at.caller.name,
            namespace=at.namespace,
            lasting=timedelta(minutes=body.minutes),
        )
        view = taken and reviews.view(taken.item.id, namespace=at.namespace)
        return NextOut.model_validate({"review": view and review_view_json(view)})

    return await service.run(write)


@router.post("/{review_id}/claim", summary="Take a question in hand", responses=_RESPONSES)
async def claim(review_id: ReviewId, at: Reviewing, service: Served, body: ClaimIn = _QUARTER) -> QueuedOut:
    """Take an item in hand for a while, so that nobody else answers it meanwhile; again to go on."""
    return await service.run(
        lambda: _shown(
            service,
            service.arbiter.review.claim(
                review_id,
                reviewer=body.reviewer or at.caller.name,
                namespace=at.namespace,
                lasting=timedelta(minutes=body.minutes),
            ),
        )
    )


@router.post("/{review_id}/release", summary="Let go of a question", responses=_RESPONSES)
async def release(
    review_id: ReviewId, at: Reviewing, service: Served, body: ReviewerIn = _CALLER
) -> QueuedOut:
    """Let go of an item; one that nobody has in hand stays as it is."""
    reviewer = body.reviewer or at.caller.name
    return await service.run(
        lambda: _shown(
            service,
            service.arbiter.review.release(review_id, reviewer=reviewer, namespace=at.namespace),
        )
    )


@router.post("/{review_id}/assign", summary="Give a question to a person", responses=_RESPONSES)
async def assign(review_id: ReviewId, body: AssignIn, at: Reviewing, service: Served) -> QueuedOut:
    """Say who is to look at an item, or that nobody in particular is."""
    return await service.run(
        lambda: _shown(
            service, service.arbiter.review.assign(review_id, body.assignee, namespace=at.namespace)
        )
    )


@router.post("/{review_id}/comments", summary="Note something", status_code=201, responses=_RESPONSES)
async def comment(review_id: ReviewId, body: CommentIn, at: Reviewing, service: Served) -> CommentOut:
    """Note something on an item, for those who look at it later."""
    author = body.author or at.caller.name

    def write() -> CommentOut:
        noted = service.arbiter.review.comment(review_id, body.text, author=author, namespace=at.namespace)
        return CommentOut.model_validate(comment_json(noted))

    return await service.run(write)


def _shown(service: Service, queued: Queued) -> QueuedOut:
    return QueuedOut.model_validate(queued_json(queued, service.arbiter.context.clock()))
