"""The queue as a page: what waits, most urgent first."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Response

from arbiter.domain.review_queue import Place
from arbiter.web.pages.desk import AtDesk, Desk, Done
from arbiter.web.pages.filters import HOME
from arbiter.web.pages.neighbours import MOST
from arbiter.web.pages.page_route import PageRoute
from arbiter.web.pages.render import go, page
from arbiter.web.pages.shell import shell, told

router = APIRouter(include_in_schema=False, route_class=PageRoute)
SHOWN = 25
"""Items of a page."""


@router.get(HOME)
async def queue(
    at: AtDesk,
    after: Annotated[str | None, Query(max_length=200)] = None,
    first: Annotated[int, Query(ge=1, le=1_000_000_000)] = 1,
    done: Done = None,
    back: Done = None,
) -> Response:
    """Show a page of the queue. ``first`` is the number of its first item."""

    def show() -> Response:
        found = at.reviews.page(at.query(), namespace=at.namespace, after=after, limit=SHOWN)
        around = shell("queue", at)
        return page(
            "queue.html.j2",
            shell=around,
            items=found.items,
            first=first,
            total=_count(at) if at.chosen.narrow else around.counts.open,
            most=MOST,
            next=found.behind and at.chosen.to(after=found.behind, first=first + SHOWN),
            done=told(done, at),
            back=told(back, at),
            now=at.now(),
        )

    return await at.service.run(show)


@router.get(f"{HOME}/next")
async def start(at: AtDesk) -> Response:
    """Lead to the most urgent item that is free."""

    def find() -> Response:
        begin = Place.start(at.now())
        found = at.store.queue(at.namespace, at.query(free=True), behind=begin, limit=1)
        return go(at.chosen.item(found[0].item.id) if found else at.chosen.to())

    return await at.service.run(find)


def _count(at: Desk) -> int:
    """Return how many items are chosen, up to one more than are counted."""
    return len(at.store.queue(at.namespace, at.query(), behind=Place.start(at.now()), limit=MOST + 1))
