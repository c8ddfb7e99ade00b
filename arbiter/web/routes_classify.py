"""Pairs in, verdicts out; nothing is stored."""

from __future__ import annotations

from collections.abc import Sequence
from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Depends, Response
from fastapi.responses import JSONResponse

from arbiter.domain.evidence import Unjudged
from arbiter.domain.facts import Record
from arbiter.errors import InvalidRecordError, TooLargeError
from arbiter.interchange.receipts import Json, cost_json, verdict_json
from arbiter.interchange.record_in import parse_pair
from arbiter.web.access import Caller, caller
from arbiter.web.intake import Unreadable
from arbiter.web.models.verdicts import PairsIn, VerdictsOut
from arbiter.web.problems import WRITING, Problem, answer
from arbiter.web.service import Service, service_of
from arbiter.web.strict import StrictRoute

router = APIRouter(tags=["classify"], route_class=StrictRoute)
_NO_VERDICT = Unjudged("", "", retryable=False)


@router.post(
    "/classify",
    name="pairs",
    summary="Say how pairs of records relate",
    response_model=VerdictsOut,
    responses={
        **WRITING,
        207: {"model": VerdictsOut, "description": "Some pairs are not valid; the others were judged."},
        422: {"model": Problem, "description": "Not a batch, or no pair is valid (`verdicts` tells why)."},
    },
)
async def classify(
    body: PairsIn,
    who: Annotated[Caller, Depends(caller("classify"))],  # noqa: ARG001  it may do that; no more is needed
    service: Annotated[Service, Depends(service_of)],
) -> Response:
    """Judge each pair by the same judges and guards as stored facts, without a store.

    To exchange the sides cannot change the answer.
    """
    limit = service.settings.serve_max_pairs
    if len(body.pairs) > limit:
        raise TooLargeError(f"{len(body.pairs):,} pairs; {limit:,} are allowed", field="pairs")
    return await service.run(lambda: _answered(body.pairs, service))


def _answered(pairs: Sequence[object], service: Service) -> JSONResponse:
    checked = [_checked(pair, service) for pair in pairs]
    valid = [found for found in checked if not isinstance(found, InvalidRecordError)]
    judgements, spend = service.arbiter.classify_with_cost(valid)
    waiting = iter(judgements)
    verdicts = [
        _refused(_id_of(pair), found)
        if isinstance(found, InvalidRecordError)
        else {**verdict_json(_id_of(pair), next(waiting)), "error": None}
        for pair, found in zip(pairs, checked, strict=True)
    ]
    refused = len(pairs) - len(valid)
    body = {
        "verdicts": verdicts,
        "refused": refused,
        "partial": 0 < refused < len(pairs),
        "cost": cost_json(spend),
    }
    first = checked[0]
    if not valid and isinstance(first, InvalidRecordError):
        return answer(_none_valid(first), more=body)
    return JSONResponse(body, HTTPStatus.MULTI_STATUS if refused else HTTPStatus.OK)


def _checked(pair: object, service: Service) -> tuple[Record, Record] | InvalidRecordError:
    if isinstance(pair, Unreadable):
        return InvalidRecordError(pair.reason.message, field=pair.reason.field)
    try:
        checked = parse_pair(pair, service.arbiter.context.clock())
    except InvalidRecordError as error:
        return error
    if _id_of(pair) is None and isinstance(pair, dict) and pair.get("id") is not None:
        return InvalidRecordError("id: is not a text of at most 500 characters", field="id")
    return checked


def _id_of(pair: object) -> str | None:
    """Return the id that a caller gave to a pair, where it is one that can be given back."""
    found = pair.get("id") if isinstance(pair, dict) else None
    if not isinstance(found, str) or len(found) > 500:
        return None
    return None if any("\ud800" <= char <= "\udfff" for char in found) else found


def _refused(pair_id: str | None, error: InvalidRecordError) -> Json:
    told = {"code": error.code, "message": error.message, "field": error.field}
    return {**verdict_json(pair_id, _NO_VERDICT), "unjudged": None, "error": told}


def _none_valid(first: InvalidRecordError) -> Problem:
    return Problem(
        title=HTTPStatus.UNPROCESSABLE_ENTITY.phrase,
        status=HTTPStatus.UNPROCESSABLE_ENTITY,
        code=first.code,
        detail=f"no pair is valid; the first: {first.message}",
        field=f"pairs.0.{first.field}" if first.field else "pairs.0",
    )
