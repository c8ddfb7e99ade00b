"""The dashboard: how a namespace and its queue stand, as pictures."""

from __future__ import annotations

from fastapi import APIRouter, Response

from arbiter.web.pages.dashboard import DAYS, dashboard
from arbiter.web.pages.desk import AtDesk
from arbiter.web.pages.filters import HOME
from arbiter.web.pages.page_route import PageRoute
from arbiter.web.pages.render import page
from arbiter.web.pages.shell import shell

router = APIRouter(include_in_schema=False, route_class=PageRoute)


@router.get(f"{HOME}/dashboard")
async def show(at: AtDesk) -> Response:
    """Show it."""

    def draw() -> Response:
        around = shell("dashboard", at)
        return page(
            "dashboard.html.j2", shell=around, found=dashboard(at, around.counts), days=DAYS, now=at.now()
        )

    return await at.service.run(draw)
