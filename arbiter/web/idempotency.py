"""Idempotency-Key, as draft-ietf-httpapi-idempotency-key-header has it.

A router of the class ``OnceRoute`` and a route that depends on ``once(scope)`` carry a request with the
header out once: sent again, by the same caller and with the same content, it gets the answer that was kept
(``Idempotent-Replayed`` says so). Every POST that changes something is such a route; to one that only reads
the header means nothing. Answers of success are kept, for ``serve_answers_h``; a request that failed may be
sent again under its key, changed too. Where the process dies meanwhile, the key is free again after ``LOCK``.
A stream takes no key (``no_key`` refuses it): its records are told apart by derived event keys, which never
expire.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from datetime import timedelta
from functools import cache, partial
from hashlib import sha256
from typing import Annotated, Any

from fastapi import Depends, Header, Request, Response

from arbiter.adapters.secret_tokens import new_owner
from arbiter.domain.access import Scope
from arbiter.domain.answers import Answer, Claim, Known
from arbiter.errors import (
    ArbiterError,
    IdempotencyKeyBusyError,
    IdempotencyKeyReusedError,
    RequestError,
    StoreError,
    TimeLimitError,
    UnreadableError,
)
from arbiter.interchange.request_digests import RequestDigests, first_difference
from arbiter.web.access import Caller, caller
from arbiter.web.service import Service, service_of
from arbiter.web.strict import StrictRoute, read_body, sent_json

HEADER = "Idempotency-Key"
LOCK = timedelta(seconds=15)
"""How long a request counts as being carried out after its process was last heard of."""
RENEWAL = LOCK / 3
MAX_CHARS = 255
# A string of RFC 9651, or the same without quotes as most clients send it.
_QUOTED = re.compile(r'"((?:[ !#-\[\]-~]|\\["\\])*)"')
_BARE = re.compile(r"[!#-+\--~]*")
_DESCRIPTION = (
    "A text of your own, such as a UUID, of up to 255 characters. Sent again under the same key, the same "
    "request gets the same answer and is not carried out again; another request under it is refused (422). "
    "Answers are kept for 24 hours, unless the service is set otherwise; from then on the ids of the events "
    "themselves keep records from being counted as new."
)


class _Replayed(Exception):  # noqa: N818  no error: it carries the kept answer out of a dependency
    def __init__(self, answer: Answer) -> None:
        super().__init__()
        headers = {"Idempotent-Replayed": "true"}
        self.response = Response(answer.body, answer.status, headers, media_type="application/json")


class OnceRoute(StrictRoute):
    """A route that keeps the answers to requests that ``once`` has claimed."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return what handles a request to this route."""
        handle = super().get_route_handler()

        async def carry_out(request: Request) -> Response:
            try:
                response = await handle(request)
                if (work := _work_of(request)) is not None:
                    await work.keep(response)
            except _Replayed as known:
                return known.response
            except Exception as error:
                # What took too long may go on unattended; the lock ends by itself.
                if (work := _work_of(request)) is not None and not isinstance(error, TimeLimitError):
                    await work.let_go()
                raise
            finally:
                if (work := _work_of(request)) is not None:
                    work.end()
            return response

        return carry_out


def _work_of(request: Request) -> _Work | None:
    work: _Work | None = getattr(request.state, "once", None)
    return work


@cache
def once(scope: Scope, *, reads_body: bool = False) -> Callable[..., Awaitable[None]]:
    """Return the dependency that claims a request with the header for its caller, whose key holds ``scope``.

    ``reads_body`` is for a route that takes another body than JSON, and reads it itself. The dependency
    raises ``RequestError`` where the header is no key, ``IdempotencyKeyReusedError`` where another request
    came under it, and ``IdempotencyKeyBusyError`` while the same one is being carried out.
    """
    identified = Depends(caller(scope))

    async def claimed(
        request: Request,
        who: Caller = identified,
        _: Annotated[str | None, Header(alias=HEADER, description=_DESCRIPTION)] = None,
    ) -> None:
        lines = request.headers.getlist(HEADER)
        if lines:
            body = sha256(await read_body(request)).hexdigest() if reads_body else sent_json(request)
            await _claim(request, who, key_of(lines), body)

    claimed.__name__ = f"once_{scope}"
    return claimed


async def no_key(request: Request) -> None:
    """Refuse the header where it would promise what is not kept: a dependency of streams.

    Raises:
        RequestError: it was sent.
    """
    if HEADER in request.headers:
        raise RequestError(
            f"{HEADER}: a stream takes none; to send it again is safe without, or send batches of records",
            field=HEADER,
        )


def key_of(lines: list[str]) -> str:
    """Return the key that the lines of the header give.

    Raises:
        RequestError: they give none, or more than one.
    """
    quoted, bare = _QUOTED.fullmatch(lines[0].strip()), _BARE.fullmatch(lines[0].strip())
    key = re.sub(r"\\(.)", r"\1", quoted[1]) if quoted else bare[0] if bare else ""
    if len(lines) > 1 or not 1 <= len(key) <= MAX_CHARS:
        raise RequestError(
            f"{HEADER}: has to be one string of 1 to {MAX_CHARS} printable ASCII characters", field=HEADER
        )
    return key


async def _claim(request: Request, who: Caller, key: str, body: object) -> None:
    service, query = service_of(request), request.query_params
    namespace = who.within(query.get("namespace"))
    sent = {
        "method": request.method,
        "path": request.url.path,
        "query": {name: query.getlist(name) for name in query},
        "body": body,
    }
    claim = await service.run(partial(_claim_stored, service, who, key, sent))
    request.state.once = _Work(service, claim, namespace)


def _claim_stored(service: Service, who: Caller, key: str, sent: dict[str, object]) -> Claim:
    digests = RequestDigests(key)
    now = service.arbiter.context.clock()
    try:
        claim = Claim(
            id=sha256(f"{who.key_id or ''}\n{key}".encode()).hexdigest(),
            owner=new_owner(),
            fingerprint=digests.whole(sent),
            fields=digests.parts(sent),
            at=now,
            locked_until=now + LOCK,
            keep_until=now + timedelta(hours=service.settings.serve_answers_h),
        )
    except RecursionError as error:
        raise UnreadableError("nested too deeply to be read") from error
    known = service.arbiter.context.store.answers.claim(claim)
    if known is None:
        return claim
    if known.fingerprint != claim.fingerprint:
        raise _reused(known, claim)
    if known.answer is None:
        raise IdempotencyKeyBusyError
    raise _Replayed(known.answer)


def _reused(known: Known, claim: Claim) -> ArbiterError:
    path = first_difference(known.fields, claim.fields) or ()
    inside = path[1:] if path[:1] in (("body",), ("query",)) else path
    field = ".".join(inside or path) or None
    message = "another request came under this Idempotency-Key; take a new one"
    return IdempotencyKeyReusedError(f"{field}: differs; {message}" if field else message, field=field)


class _Work:
    """A claimed request while it is being carried out: its lock is renewed until the work ends."""

    def __init__(self, service: Service, claim: Claim, namespace: str) -> None:
        self._service = service
        self._answers = service.arbiter.context.store.answers
        self._claim = claim
        self._namespace = namespace
        self._renewing = asyncio.create_task(self._renew())

    async def keep(self, response: Response) -> None:
        """Keep the answer, unless it tells of a failure."""
        if response.status_code >= 300:
            await self.let_go()
            return
        answer = Answer(response.status_code, bytes(response.body))
        await self._note(partial(self._answers.finish, self._claim, answer, self._namespace))

    async def let_go(self) -> None:
        """Let the request be sent again under its key."""
        await self._note(partial(self._answers.release, self._claim))

    def end(self) -> None:
        """Renew the lock no more."""
        self._renewing.cancel()

    async def _note(self, change: Callable[[], object]) -> None:
        # The caller gets what there is to say all the same; the lock ends by itself.
        with suppress(StoreError, TimeLimitError):
            await self._service.run(change)

    async def _renew(self) -> None:
        clock = self._service.arbiter.context.clock
        while True:
            await asyncio.sleep(RENEWAL.total_seconds())
            with suppress(StoreError):
                await asyncio.to_thread(self._answers.renew, self._claim, clock() + LOCK)
