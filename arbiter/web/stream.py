"""Streams of records: lines in, lines out, in bounded memory whatever their number."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Sequence
from contextlib import aclosing
from functools import partial
from itertools import islice
from tempfile import TemporaryFile
from typing import BinaryIO

from fastapi import Request

from arbiter.domain.outcomes import Receipt
from arbiter.errors import ArbiterError, OverloadedError
from arbiter.interchange.json_reader import json_line_items
from arbiter.interchange.outputs import json_line
from arbiter.interchange.receipts import receipt_json
from arbiter.pipeline.batches import batches
from arbiter.web.access import Caller
from arbiter.web.counts import Counts
from arbiter.web.intake import Unreadable
from arbiter.web.problems import problem_of
from arbiter.web.service import Service
from arbiter.web.strict import receive

BATCH = 500
"""Records of a stream that are arbitrated together."""
_PAUSE_S = 0.05


async def received(request: Request, limit: int) -> BinaryIO:
    """Take in a whole body of lines, on disk, and return it to be read from its beginning.

    An answer begins only when all is in: a client that first sends and then reads could wait for ever else.

    Raises:
        TooLargeError: it has more than ``limit`` bytes.
        TimeLimitError: it stopped arriving.
    """
    kept = TemporaryFile()  # noqa: SIM115  closed with the answer, or below
    try:
        await receive(request, limit, kept.write)
        kept.seek(0)
    except BaseException:
        kept.close()
        raise
    return kept


async def begun(lines: AsyncGenerator[bytes]) -> AsyncIterator[bytes]:
    """Return the lines once there is a first one: an error before it can still be an answer of its own."""
    first = await anext(lines)

    async def every_line() -> AsyncIterator[bytes]:
        async with aclosing(lines):
            yield first
            async for line in lines:
                yield line

    return every_line()


async def pieces(write: Callable[[], Iterator[str]], service: Service) -> AsyncGenerator[bytes]:
    """Yield what is written, a handful of pieces at a time; the first handful comes even if it is empty."""
    written = await service.run(write)
    yield await service.run(lambda: "".join(islice(written, BATCH)).encode())
    while piece := await service.run(lambda: "".join(islice(written, BATCH))):
        yield piece.encode()


async def receipt_lines(stream: BinaryIO, service: Service, caller: Caller) -> AsyncGenerator[bytes]:
    """Arbitrate lines batch after batch and yield the answer to each; the stream is closed in the end.

    Raises:
        ArbiterError: the first batch failed. A later failure is told in the last line.
    """
    counts, problem = Counts(), None
    with stream:
        waiting = batches(_items(stream), BATCH)
        try:
            while items := await service.run(lambda: next(waiting, [])):
                receipts = await _submitted(items, counts.records, service, caller)
                yield await service.run(partial(_written, receipts))
                counts += Counts.of(receipts)
        except ArbiterError as error:
            if not counts.records:
                raise
            problem = problem_of(error).model_dump(exclude_none=True)
    yield json_line({"end": True, **counts.as_json(), "problem": problem}).encode()


def _items(stream: BinaryIO) -> Iterator[object]:
    for _, data, reason in json_line_items(stream):
        yield data if reason is None else Unreadable(reason)


async def _submitted(
    items: Sequence[object], first_index: int, service: Service, caller: Caller
) -> list[Receipt]:
    """Submit a batch; where too many records wait already, wait as well."""
    patience = asyncio.get_running_loop().time() + service.settings.serve_timeout_s
    while True:
        try:
            return await service.submit(items, caller, first_index=first_index)
        except OverloadedError:
            if asyncio.get_running_loop().time() > patience:
                raise
            await asyncio.sleep(_PAUSE_S)


def _written(receipts: Sequence[Receipt]) -> bytes:
    return "".join(json_line(receipt_json(receipt)) for receipt in receipts).encode()
