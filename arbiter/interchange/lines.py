"""Lines of a byte stream, of bounded length each, so that no file can fill the memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO, TypeAlias

from arbiter.domain.outcomes import Reason

MAX_RECORD_BYTES = 1_000_000
"""Longest line, or element of a JSON array, that is read as a record."""

TOO_LONG = Reason("too_long", f"longer than {MAX_RECORD_BYTES:,} bytes; not read")

Item: TypeAlias = tuple[int, object | None, Reason | None]
"""One record as a reader of a format gives it: line number, data, and why it could not be read."""

_UTF8_BOM = b"\xef\xbb\xbf"


def numbered_lines(stream: BinaryIO) -> Iterator[tuple[int, bytes | None]]:
    """Yield the number and the bytes of each line, its end included; None for one that is too long.

    A byte order mark at the beginning is left out.
    """
    number = 0
    while line := stream.readline(MAX_RECORD_BYTES + 1):
        number += 1
        if number == 1:
            line = line.removeprefix(_UTF8_BOM)
        if len(line) <= MAX_RECORD_BYTES:
            yield number, line
            continue
        rest = line
        while rest and not rest.endswith(b"\n"):
            rest = stream.readline(MAX_RECORD_BYTES)
        yield number, None
