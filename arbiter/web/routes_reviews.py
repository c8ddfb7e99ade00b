"""The review queue: read, ruled, and rulings taken back."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Path, Query

from arbiter.domain.review_answer import Answer
from arbiter.domain.review_queue import QueueQuery, ReviewStatus
from arbiter.domain.vocabulary import Stakes
from arbiter.interchange.record_in import Name
from arbiter.interchange.review_view_json import (
    queue_counts_json,
    queue_page_json,
    review_view_json,
    ruled_json,
)
from arbiter.web.access import Place, place
from arbiter.web.idempotency import OnceRoute, once
from arbiter.web.models.decisions import UndoIn
from arbiter.web.models.reviews import CountsOut, QueueOut, ReviewOut, RuledOut, RulingIn
from arbiter.web.problems import READING, WRITING, documented
from arbiter.web.service import Service, service_of

router = APIRouter(tags=["reviews"], route_class=OnceRoute)
Reviewing = Annotated[Place, Depends(place("review"))]
Served = Annotated[Service, Depends(service_of)]
ReviewId = Annotated[
    str, Path(pattern=r"^rev_[0-9a-f]+$", max_length=100, description="Id of a review item.")
]
RulingId = Annotated[str, Path(pattern=r"^rul_[0-9a-f]+$", max_length=100, description="Id of a ruling.")]
QuestionKind = Literal["cycle", "conflict", "guard", "unsure", "unjudged", "stale_risk", "proposal"]
_DEFAULTS = UndoIn()


def wanted(
    status: Annotated[
        Literal[ReviewStatus.OPEN, ReviewStatus.SET_ASIDE, ReviewStatus.CLOSED, "all"],
        Query(description="Only items that stand so."),
    ] = ReviewStatus.OPEN,
    kind: Annotated[
        list[QuestionKind] | None, Query(max_length=20, description="Only items asked for these reasons.")
    ] = None,
    stakes: Annotated[Stakes | None, Query(description="Only items with these stakes.")] = None,
    assignee: Annotated[Name | None, Query(description="Only items that this person is to look at.")] = None,
    claimed_by: Annotated[Name | None, Query(description="Only items that this person has in hand.")] = None,
    text: Annotated[Name | None, Query(description="Only items in which a side says this.")] = None,
    free_for: Annotated[
        Name | None, Query(description="Without what somebody else has in hand or is to look at.")
    ] = None,
) -> QueueQuery:
    """Return which items the parameters of a request ask for."""
    return QueueQuery(
        status=None if status == "all" else status,
        kinds=frozenset(kind or ()),
        stakes=stakes,
        assignee=assignee,
        claimed_by=claimed_by,
        text=text,
        free_for=free_for,
    )


@router.get("/reviews", name="list", summary="List what waits for a person", responses=READING)
async def list_page(
    at: Reviewing,
    service: Served,
    query: Annotated[QueueQuery, Depends(wanted)],
    after: Annotated[str | None, Query(max_length=200, description="`next` of the page before.")] = None,
    limit: Annotated[int, Query(ge=1, le=500, description="Items of a page, at most.")] = 50,
) -> QueueOut:
    """List items with everything about them, most urgent first.

    The pages of one reading leave nothing out and show nothing twice, whatever is settled meanwhile.
    """

    def read() -> QueueOut:
        page = service.arbiter.review.page(query, namespace=at.namespace, after=after, limit=limit)
        return QueueOut.model_validate(queue_page_json(page))

    return await service.run(read)


@router.get("/reviews/counts", summary="Count what waits", responses=READING)
async def counts(at: Reviewing, service: Served) -> CountsOut:
    """Tell how much waits, of which kinds, since when, and what is done."""

    def read() -> CountsOut:
        found = service.arbiter.review.counts(namespace=at.namespace)
        return CountsOut.model_validate(queue_counts_json(found, service.arbiter.context.clock()))

    return await service.run(read)


@router.get("/reviews/{review_id}", summary="Show one question", responses={**READING, **documented(404)})
async def show(review_id: ReviewId, at: Reviewing, service: Served) -> ReviewOut:
    """Show both sides with their differences, what was found, decided and ruled, and who works on it."""

    def read() -> ReviewOut:
        view = service.arbiter.review.view(review_id, namespace=at.namespace)
        return ReviewOut.model_validate(review_view_json(view))

    return await service.run(read)


@router.post(
    "/reviews/{review_id}/ruling",
    summary="Settle one question",
    dependencies=[Depends(once("review"))],
    responses={**WRITING, **documented(404, 409)},
)
async def rule(review_id: ReviewId, body: RulingIn, at: Reviewing, service: Served) -> RuledOut:
    """Put a person's ruling on both sides as they were shown into force.

    409: a side changed since (`stale_ruling`), or somebody else has the item in hand (`claimed`). A merged
    text that names what neither side names is refused (`unconfirmed_text`) until it is `confirmed`.
    """
    answer = Answer(
        kind=body.ruling,
        reviewer=body.reviewer or at.caller.name,
        relabel=body.relabel,
        text=body.text,
        confirmed=body.confirmed,
        reason=body.reason,
        seen=(body.digest_a, body.digest_b),
    )

    def write() -> RuledOut:
        ruled = service.arbiter.review.answer(review_id, answer, namespace=at.namespace)
        return RuledOut.model_validate(ruled_json(ruled))

    return await service.run(write)


@router.post(
    "/rulings/{ruling_id}/undo",
    summary="Take a ruling back",
    dependencies=[Depends(once("review"))],
    responses={**WRITING, **documented(404, 409)},
)
async def undo(ruling_id: RulingId, at: Reviewing, service: Served, body: UndoIn = _DEFAULTS) -> RuledOut:
    """Take a ruling back as if it had never been made; the question is asked again if it is still one."""

    def write() -> RuledOut:
        ruled = service.arbiter.review.undo(
            ruling_id,
            reviewer=body.reviewer or at.caller.name,
            namespace=at.namespace,
            cascade=body.cascade,
        )
        return RuledOut.model_validate(ruled_json(ruled))

    return await service.run(write)
