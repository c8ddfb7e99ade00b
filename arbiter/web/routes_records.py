"""Records in, receipts out: a batch at once, or as a stream of lines."""

from __future__ import annotations

from collections.abc import Sequence
from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Depends, Path, Request, Response
from fastapi.responses import JSONResponse, StreamingResponse

from arbiter.domain.outcomes import Receipt
from arbiter.errors import InvalidRecordError, TooLargeError
from arbiter.interchange.receipts import Json, receipt_json
from arbiter.web.access import Caller, Place, caller, place
from arbiter.web.counts import Counts
from arbiter.web.idempotency import OnceRoute, no_key, once
from arbiter.web.models.records import KeptReceiptOut, RecordsIn, RecordsOut
from arbiter.web.problems import READING, WRITING, Problem, answer, documented
from arbiter.web.service import Service, service_of
from arbiter.web.stream import begun, receipt_lines, received
from arbiter.web.strict import NDJSON, require_media_type

router = APIRouter(tags=["records"], route_class=OnceRoute)
ReceiptId = Annotated[str, Path(pattern=r"^rcpt_[0-9a-f]+$", max_length=100, description="Id of a receipt.")]
_EVERY_LINE = "A record a line in; a receipt a line out, and a last line that says how many there were."


@router.post(
    "/records",
    summary="Arbitrate records and keep them",
    dependencies=[Depends(once("submit"))],
    response_model=RecordsOut,
    responses={
        207: {
            "model": RecordsOut,
            "description": "Some records were refused or deferred; the others are kept.",
        },
        422: {
            "model": Problem,
            "description": "Not a batch, or every record was refused (`receipts` tells why).",
        },
        **WRITING,
        **documented(409),
    },
)
async def submit(
    body: RecordsIn,
    who: Annotated[Caller, Depends(caller("submit"))],
    service: Annotated[Service, Depends(service_of)],
) -> Response:
    """Answer for every record what it is, what follows and why.

    To send the same again is safe: what was said before is counted, and kept once. Under an `Idempotency-Key`
    it gets the same receipts again and is not even counted.
    """
    limit = service.settings.serve_max_records
    if len(body.records) > limit:
        message = f"{len(body.records):,} records; {limit:,} are allowed, or any number at /v1/records/stream"
        raise TooLargeError(message, field="records")
    receipts = await service.submit(body.records, who)
    return await service.run(lambda: _answered(receipts))


@router.post(
    "/records/stream",
    summary="Arbitrate any number of records",
    dependencies=[Depends(no_key)],
    response_class=StreamingResponse,
    responses={
        200: {"description": _EVERY_LINE, "content": {NDJSON: {"schema": {"type": "string"}}}},
        **WRITING,
    },
    openapi_extra={
        "requestBody": {
            "required": True,
            "description": "Records as JSON Lines.",
            "content": {NDJSON: {"schema": {"type": "string"}}},
        }
    },
)
async def stream(
    request: Request,
    who: Annotated[Caller, Depends(caller("submit"))],
    service: Annotated[Service, Depends(service_of)],
) -> StreamingResponse:
    """Take in all lines first, then answer line by line while records are arbitrated, batch after batch.

    A line that cannot be read is refused like a record that is not valid. An answer without the last line was
    cut off; to send everything again is safe. There is no `Idempotency-Key` for streams.
    """
    require_media_type(request, NDJSON)
    lines = await received(request, service.settings.serve_max_stream_bytes)
    answers = receipt_lines(lines, service, who)
    return StreamingResponse(await begun(answers), media_type=NDJSON)


@router.get(
    "/receipts/{receipt_id}",
    summary="Read a receipt again",
    responses={404: {"model": Problem}, **READING},
)
async def receipt(
    receipt_id: ReceiptId,
    at: Annotated[Place, Depends(place("read"))],
    service: Annotated[Service, Depends(service_of)],
) -> KeptReceiptOut:
    """Answer with the receipt as it was given and, under `now`, with what has become of the record since.

    What was held while a judge was down is settled later; `now` tells how. Receipts of what changed nothing,
    was refused or deferred are not kept.
    """
    found = await service.run(lambda: service.arbiter.receipt(receipt_id, namespace=at.namespace))
    return KeptReceiptOut.model_validate(found)


def _answered(receipts: Sequence[Receipt]) -> JSONResponse:
    counts = Counts.of(receipts)
    body = {**counts.as_json(), "receipts": [receipt_json(receipt) for receipt in receipts]}
    if counts.refused == counts.records:
        return _all_refused(receipts[0], body)
    return JSONResponse(body, HTTPStatus.MULTI_STATUS if counts.partial else HTTPStatus.OK)


def _all_refused(first: Receipt, body: Json) -> JSONResponse:
    reason = first.reason
    field = f"records.0.{reason.field}" if reason and reason.field else "records.0"
    problem = Problem(
        title=HTTPStatus.UNPROCESSABLE_ENTITY.phrase,
        status=HTTPStatus.UNPROCESSABLE_ENTITY,
        code=reason.code if reason else InvalidRecordError.code,
        detail=f"no record was taken; the first: {reason.message if reason else ''}",
        field=field,
    )
    return answer(problem, more=body)
