"""The review queue as files: taken out, answered elsewhere, and brought back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from http import HTTPStatus
from io import BytesIO
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request, Response
from fastapi.responses import JSONResponse, StreamingResponse
from pydantic import Field

from arbiter.domain.review_queue import QueueQuery
from arbiter.errors import ConfigurationError, MediaTypeError, UnreadableError
from arbiter.interchange.agreement import agreement as counted
from arbiter.interchange.record_in import Name
from arbiter.interchange.review_files import (
    MEDIA_TYPES,
    SUFFIXES,
    ImportForm,
    OpenForm,
    SettledForm,
    export_open,
    export_settled,
    read_rulings,
)
from arbiter.interchange.review_import import ImportLine, ImportStatus, apply_rulings
from arbiter.pipeline.review_exchange import queued_views, settled_pairs
from arbiter.web.idempotency import OnceRoute, once
from arbiter.web.models.review_files import AgreementOut, ImportOut
from arbiter.web.problems import READING, WRITING, documented
from arbiter.web.routes_reviews import Reviewing, Served, wanted
from arbiter.web.service import Service
from arbiter.web.stream import begun, pieces
from arbiter.web.strict import read_body, require_media_type

router = APIRouter(tags=["reviews"], route_class=OnceRoute)
_BY_MEDIA_TYPE: dict[str, ImportForm] = {"application/x-ndjson": "jsonl", "text/csv": "csv"}
_TAKEN = (*_BY_MEDIA_TYPE, "application/json")


@router.get(
    "/reviews/export",
    summary="Take the queue out as a file",
    response_class=StreamingResponse,
    responses={
        200: {
            "description": "A file to fill in.",
            "content": {media_type: {} for media_type in sorted(set(MEDIA_TYPES.values()))},
        },
        **READING,
    },
)
async def export(
    at: Reviewing,
    service: Served,
    query: Annotated[QueueQuery, Depends(wanted)],
    form: Annotated[
        OpenForm, Query(alias="format", description="How it is written, or what a tool needs beside it.")
    ] = "jsonl",
) -> Response:
    """Write items with both sides and their digests, most urgent first; the reviewer's fields are empty.

    `POST /v1/reviews/import` reads them back. No cell of a CSV can be taken for a formula.
    """
    context = service.arbiter.context
    return await _file(
        lambda: export_open(queued_views(at.namespace, query, context), form), "reviews", form, service
    )


@router.get(
    "/rulings/export",
    summary="Take settled pairs out as a file",
    response_class=StreamingResponse,
    responses={
        200: {
            "description": "Pairs with their rulings.",
            "content": {media_type: {} for media_type in ("application/x-ndjson", "text/csv")},
        },
        **READING,
    },
)
async def export_rulings(
    at: Reviewing,
    service: Served,
    form: Annotated[SettledForm, Query(alias="format", description="How it is written.")] = "jsonl",
) -> Response:
    """Write the pairs of which a person's decision stands.

    `training` has those of which it says how they relate, as `arbiter judge train` reads them.
    """
    context = service.arbiter.context
    return await _file(
        lambda: export_settled(settled_pairs(at.namespace, context), form), "rulings", form, service
    )


@router.get("/rulings/agreement", summary="Measure the judge by rulings", responses=READING)
async def agreement(at: Reviewing, service: Served) -> AgreementOut:
    """Count how far people agree with the judge: by relation, by judge and by month, with exact intervals.

    Only pairs that were put before people are counted. Those are the doubtful ones: the shares say nothing
    about what the judge settles on its own.
    """
    context = service.arbiter.context
    return await service.run(
        lambda: AgreementOut.model_validate(counted(settled_pairs(at.namespace, context)).as_json())
    )


@router.post(
    "/reviews/import",
    name="import",
    summary="Put the rulings of a file into force",
    dependencies=[Depends(once("review", reads_body=True))],
    response_model=ImportOut,
    responses={
        207: {"model": ImportOut, "description": "Some answers were refused."},
        **WRITING,
        **documented(409),
    },
    openapi_extra={
        "requestBody": {
            "required": True,
            "description": "A filled-in export.",
            "content": {media_type: {"schema": {}} for media_type in _TAKEN},
        }
    },
)
async def import_file(
    request: Request,
    at: Reviewing,
    service: Served,
    form: Annotated[
        ImportForm | None,
        Query(alias="format", description="How it is written; lines of JSON and CSV need not say it."),
    ] = None,
    reviewer: Annotated[
        Name | None, Query(description="Who decided, where an answer does not say it; else the caller.")
    ] = None,
    user: Annotated[
        list[Annotated[str, Field(pattern="^[^=]+=.+$", max_length=500)]] | None,
        Query(
            max_length=500,
            description="Who a user of a tool is, as `id=name`; repeatable. With it, nobody else answers.",
        ),
    ] = None,
) -> Response:
    """Apply each answer with the same checks as one that is given here; one that is refused harms no other.

    Answers about facts that changed since the export are stale. To import a file again changes nothing.
    """
    chosen = form or _BY_MEDIA_TYPE.get(require_media_type(request, *_TAKEN))
    if chosen is None:
        raise MediaTypeError("application/json can be of several tools; say which by format", field="format")
    users = dict(told.split("=", 1) for told in user or ())
    body = await read_body(request)

    def write() -> JSONResponse:
        arbiter = service.arbiter
        try:
            rulings = read_rulings(
                BytesIO(body), chosen, reviewer=reviewer or at.caller.name, users=users or None
            )
        except ConfigurationError as error:
            raise UnreadableError(error.message) from error
        return _told(list(apply_rulings(at.namespace, rulings, arbiter.context.store, arbiter.review)))

    return await service.run(write)


async def _file(
    write: Callable[[], Iterator[str]], name: str, form: OpenForm | SettledForm, service: Service
) -> Response:
    """Answer with a file that is written while it is sent."""
    return StreamingResponse(
        await begun(pieces(write, service)),
        media_type=MEDIA_TYPES[form],
        headers={"Content-Disposition": f'attachment; filename="{name}.{SUFFIXES[form]}"'},
    )


def _told(lines: list[ImportLine]) -> JSONResponse:
    refused = sum(line.refused for line in lines)
    answer = {
        "lines": [line.as_json() for line in lines],
        "applied": sum(line.status is ImportStatus.APPLIED for line in lines),
        "refused": refused,
        "partial": 0 < refused < len(lines),
    }
    return JSONResponse(answer, HTTPStatus.MULTI_STATUS if refused else HTTPStatus.OK)
