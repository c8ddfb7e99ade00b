"""For those who run the service: is it alive, can it work, what does it do."""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Request, Response
from fastapi.responses import JSONResponse
from fastapi.security import HTTPAuthorizationCredentials
from pydantic import BaseModel, Field

from arbiter.errors import ForbiddenError
from arbiter.web.access import BEARER, caller
from arbiter.web.problems import Problem, answer, documented
from arbiter.web.service import Service, service_of

router = APIRouter(tags=["operations"])
Served = Annotated[Service, Depends(service_of)]


class Health(BaseModel):
    """The process answers."""

    status: Literal["ok"] = "ok"


class PartOut(BaseModel):
    """One part of the service."""

    status: Literal["ok", "busy", "failed"] = Field(
        description="`busy`: it has not answered yet. A store that is busy is being written, and works."
    )
    code: str | None = Field(None, description="What is wrong, for programs.")
    detail: str | None = Field(None, description="What is wrong, for people; the log says more.")


class Parts(BaseModel):
    """What the service needs in order to work."""

    store: PartOut = Field(description="Can it be read and written?")
    index: PartOut = Field(description="Can texts be embedded and searched?")
    judges: PartOut = Field(description="Can they compute? A language model is not asked.")


_ACCESS = Field(description="`open`: there are no API keys, so whoever is on this machine may do anything.")


class Ready(Health):
    """The service can work."""

    access: Literal["keys", "open"] = _ACCESS
    parts: Parts


class NotReady(Problem):
    """The service cannot work now; the parts say why."""

    access: Literal["keys", "open"] = _ACCESS
    parts: Parts


# Some who watch services ask for the head alone.
@router.head("/healthz", include_in_schema=False)
@router.get("/healthz", summary="Is the process alive?")
async def healthz() -> Health:
    """Answer without touching anything."""
    return Health()


@router.head("/readyz", include_in_schema=False)
@router.get(
    "/readyz",
    summary="Can it work?",
    response_model=Ready,
    responses={503: {"model": NotReady, "description": "Not now; `parts` tells which part, and why."}},
)
async def readyz(service: Served) -> Response:
    """Try the store, the index and the judges; what was found holds for five seconds.

    Where a part needs longer, under load, what was found before holds, for up to a minute.
    """
    found = await service.readiness.findings()
    parts = Parts.model_validate(dict(found), from_attributes=True)
    access: Literal["keys", "open"] = "open" if service.gate.is_open else "keys"
    if parts.store.status == "failed" or any(part.status != "ok" for part in (parts.index, parts.judges)):
        return answer(_problem(parts), more={"access": access, "parts": parts.model_dump()})
    return JSONResponse(Ready(access=access, parts=parts).model_dump())


@router.get(
    "/metrics",
    summary="What it does, in numbers",
    response_class=Response,
    responses={
        200: {"content": {"text/plain": {"schema": {"type": "string"}}}},
        **documented(401, 403, 429, 503),
    },
)
async def metrics(
    request: Request,
    service: Served,
    sent: Annotated[HTTPAuthorizationCredentials | None, Depends(BEARER)],
) -> Response:
    """Answer a Prometheus server, whose key holds `admin` and reaches every namespace."""
    if not service.settings.serve_metrics_public:
        who = await caller("admin")(request, sent)
        if who.namespace is not None:
            raise ForbiddenError("these numbers are of all namespaces, and this key reaches one")
    accept = request.headers.get("accept", "")
    body, media_type = await service.run(lambda: service.telemetry.metrics.exposed(accept, service.figures))
    return Response(body, headers={"Content-Type": media_type})


def _problem(parts: Parts) -> Problem:
    named: dict[str, Any] = dict(parts)
    wrong = [f"{name} ({part.code})" for name, part in named.items() if part.status != "ok"]
    status = HTTPStatus.SERVICE_UNAVAILABLE
    return Problem(
        title=status.phrase,
        status=status,
        code="not_ready",
        detail=f"cannot work now: {', '.join(wrong)}",
        retryable=True,
    )
