"""Puts the service together. ``create`` is what an ASGI server starts: ``arbiter.web.app:create``."""

from __future__ import annotations

import gc
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from importlib.metadata import version
from typing import Any

from fastapi import FastAPI
from fastapi.concurrency import run_in_threadpool
from fastapi.telemetry import TelemetryConfig

from arbiter.settings import Settings
from arbiter.web import (
    openapi,
    problems,
    routes_classify,
    routes_decisions,
    routes_docs,
    routes_facts,
    routes_operations,
    routes_policy,
    routes_records,
    routes_review_files,
    routes_review_work,
    routes_reviews,
    session,
)
from arbiter.web.pages import router as pages
from arbiter.web.request_log import RequestLog
from arbiter.web.service import Service

DESCRIPTION = """\
Arbitrates facts that repeat, replace or contradict one another, in front of any memory or knowledge base.

Every error is `application/problem+json` with a `code` and, where one is to blame, a `field`. Batches answer
item by item: status 207 and `partial` say that some, but not all, were refused. To send a record again is
always safe.
"""
# FastAPI's own would send what callers sent, and the words of errors, wherever the environment says.
_NO_TELEMETRY = TelemetryConfig(
    tracing=False, metrics=False, logs=False, operation_spans=False, auto_configure=False
)
_ROUTES = (
    routes_classify,
    routes_records,
    routes_facts,
    # What is named outright comes before what has an id in its place.
    routes_review_files,
    routes_review_work,
    routes_reviews,
    routes_decisions,
    routes_policy,
)


class App(FastAPI):
    """The app, with an OpenAPI document of its own making."""

    def openapi(self) -> dict[str, Any]:
        """Return the OpenAPI document."""
        if not self.openapi_schema:
            self.openapi_schema = openapi.document(self)
        return self.openapi_schema


def create() -> FastAPI:
    """Return the app, set up from the environment.

    Raises:
        ConfigurationError: the settings have faults.
    """
    return build(Settings(), _open_for_good)


def _open_for_good(settings: Settings) -> Service:
    """Open the service of a process that serves and does nothing else."""
    service = Service.open(settings)
    # Models and libraries are some 300,000 objects that stay until the end. A full collection would walk
    # through them all while a request waits, and find nothing.
    gc.collect()
    gc.freeze()
    return service


def build(settings: Settings, opened: Callable[[Settings], Service] = Service.open) -> FastAPI:
    """Return an app; its service is opened when it starts and closed when it has ended."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        app.state.service = await run_in_threadpool(opened, settings)
        try:
            yield
        finally:
            await run_in_threadpool(app.state.service.close)

    app = App(
        title="arbiter",
        version=version("arbiter"),
        description=DESCRIPTION,
        license_info={"name": "Apache-2.0", "identifier": "Apache-2.0"},
        lifespan=lifespan,
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        generate_unique_id_function=openapi.operation_id,
        telemetry=_NO_TELEMETRY,
    )
    problems.install(app)
    app.add_middleware(RequestLog)
    app.mount("/docs/assets", routes_docs.assets)
    app.include_router(routes_docs.router)
    app.include_router(routes_operations.router)
    app.include_router(session.router)
    app.include_router(pages.router)
    for routes in _ROUTES:
        app.include_router(routes.router, prefix="/v1")
    return app
