"""What people are told where something they sent did not come into force."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from fastapi import Response

from arbiter.errors import ClaimedError, RequestError, StaleRulingError, UnconfirmedTextError
from arbiter.web.pages.item_page import Refused, item_page
from arbiter.web.pages.words import clock_time

if TYPE_CHECKING:
    from arbiter.web.pages.desk import Desk


def or_again(write: Callable[[], Response], review_id: str, at: Desk, fields: Mapping[str, str]) -> Response:
    """Do it; where it is refused, show the item again with the reason and with what was typed."""
    try:
        return write()
    except (StaleRulingError, ClaimedError) as error:
        return item_page(review_id, at, status=409, refused=_overtaken(error, fields))
    except RequestError as error:
        return item_page(review_id, at, status=422, refused=_faulty(error, fields))


def _overtaken(error: StaleRulingError | ClaimedError, fields: Mapping[str, str]) -> Refused:
    if isinstance(error, ClaimedError) and error.until is not None:
        detail = f"{error.claimant} has it in hand until {clock_time(error.until)}. Nothing was written."
        return Refused("Somebody else is working on this", detail, fields=fields)
    detail = "Nothing was written. Below is how it stands now; look at the pair again."
    return Refused("This changed while you looked at it", detail, fields=fields)


def _faulty(error: RequestError, fields: Mapping[str, str]) -> Refused:
    if isinstance(error, UnconfirmedTextError):
        title = "The text says more than the two sides"
        detail = "Neither side has what is listed below. Take it out, or confirm that it is meant."
        return Refused(title, detail, error.field, error.invented, fields)
    return Refused("This cannot be taken as it is", error.message, error.field, fields=fields)
