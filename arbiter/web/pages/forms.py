"""What a form of our pages sends."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import parse_qsl

from fastapi import Request

from arbiter.errors import UnreadableError
from arbiter.web.strict import read_body, require_media_type

_KIND = "application/x-www-form-urlencoded"
_MOST = 16


async def sent(request: Request) -> Mapping[str, str]:
    """Return the fields of a form; lines end as they do in texts.

    Raises:
        MediaTypeError: it is no form.
        UnreadableError: it cannot be read, or has more fields than any of ours.
        TooLargeError: it is larger than the settings allow.
    """
    require_media_type(request, _KIND)
    body = await read_body(request)
    try:
        fields = parse_qsl(
            body.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=_MOST
        )
    except ValueError as error:
        raise UnreadableError("the form cannot be read") from error
    return {name: value.replace("\r\n", "\n") for name, value in fields}
