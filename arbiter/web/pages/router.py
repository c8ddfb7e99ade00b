"""Every page together."""

from __future__ import annotations

from fastapi import APIRouter

from arbiter.web.pages import assets, routes_dashboard, routes_item, routes_queue, routes_work

router = APIRouter()
for part in (assets, routes_queue, routes_item, routes_work, routes_dashboard):
    router.include_router(part.router)
