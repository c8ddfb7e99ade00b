"""Working on the queue together: claims, assignments, comments."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import TypeAlias

from fastapi import APIRouter, Request, Response
from fastapi.responses import JSONResponse

from arbiter.pipeline.review_work import queued
from arbiter.web.pages.desk import AtDesk, Desk, ReviewId
from arbiter.web.pages.filters import HOME
from arbiter.web.pages.forms import sent
from arbiter.web.pages.page_route import PageRoute
from arbiter.web.pages.refusals import or_again
from arbiter.web.pages.render import HEADERS, go
from arbiter.web.pages.words import clock_time

router = APIRouter(prefix=f"{HOME}/items/{{review_id}}", include_in_schema=False, route_class=PageRoute)
Fields: TypeAlias = Mapping[str, str]
LOOKING = timedelta(minutes=5)
"""How long others are kept from an item by a page that shows it; an open page says so again in time."""


@router.post("/claim")
async def claim(request: Request, review_id: ReviewId, at: AtDesk) -> Response:
    """Take an item in hand."""

    def take(_: Fields) -> None:
        at.reviews.claim(review_id, reviewer=at.me, namespace=at.namespace)

    return await _done(request, review_id, at, take)


@router.post("/release")
async def release(request: Request, review_id: ReviewId, at: AtDesk) -> Response:
    """Let go of an item, and go back to the queue."""

    def let_go(_: Fields) -> None:
        at.reviews.release(review_id, reviewer=at.me, namespace=at.namespace)

    return await _done(request, review_id, at, let_go, onward=at.chosen.to())


@router.post("/assign")
async def assign(request: Request, review_id: ReviewId, at: AtDesk) -> Response:
    """Give an item to a person, or to nobody in particular."""

    def give(fields: Fields) -> None:
        name = fields.get("assignee", "").strip() or None
        at.reviews.assign(review_id, name, namespace=at.namespace)

    return await _done(request, review_id, at, give)


@router.post("/comments")
async def comment(request: Request, review_id: ReviewId, at: AtDesk) -> Response:
    """Note something on an item."""

    def note(fields: Fields) -> None:
        at.reviews.comment(review_id, fields.get("text", ""), author=at.me, namespace=at.namespace)

    return await _done(request, review_id, at, note, onward=f"{at.chosen.item(review_id)}#comments")


@router.post("/looking")
async def looking(review_id: ReviewId, at: AtDesk) -> Response:
    """Keep others from an item for a little while, since somebody has it before their eyes.

    A claim of theirs that lasts longer stays as it is.
    """

    def hold() -> Response:
        work, now = queued(at.namespace, review_id, at.service.arbiter.context).work, at.now()
        until = work.claimed_until
        if until is None or work.claimant(now) != at.me or until < now + LOOKING:
            held = at.reviews.claim(review_id, reviewer=at.me, namespace=at.namespace, lasting=LOOKING)
            until = held.work.claimed_until
        return JSONResponse({"until": until and clock_time(until)}, headers=HEADERS)

    return await at.service.run(hold)


@router.post("/left")
async def left(review_id: ReviewId, at: AtDesk) -> Response:
    """Let go of an item that was only looked at."""

    def let_go() -> Response:
        work, now = queued(at.namespace, review_id, at.service.arbiter.context).work, at.now()
        until = work.claimed_until
        if until is not None and work.claimant(now) == at.me and until <= now + LOOKING:
            at.reviews.release(review_id, reviewer=at.me, namespace=at.namespace)
        return Response(status_code=204, headers=HEADERS)

    return await at.service.run(let_go)


async def _done(
    request: Request, review_id: str, at: Desk, act: Callable[[Fields], None], *, onward: str | None = None
) -> Response:
    """Do what a form says and lead on, by default to the item; or show the item with the reason why not."""
    fields = await sent(request)

    def write() -> Response:
        act(fields)
        return go(onward or at.chosen.item(review_id))

    return await at.service.run(lambda: or_again(write, review_id, at, fields))
