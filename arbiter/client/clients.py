"""The two clients: the calls of ``Requests``, carried out at once or awaited."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator
from functools import wraps
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Self, TypedDict, TypeVar

import httpx

from arbiter.client.requests import Requests
from arbiter.client.retries import Course, Retries
from arbiter.errors import ConfigurationError

if TYPE_CHECKING:
    from types import TracebackType

    from arbiter.client.calls import Call, Page

P = ParamSpec("P")
T = TypeVar("T")

TIMEOUT_S = 130.0
"""A little more than a request may take by the service's own default."""
_CONNECT_S = 10.0
_DEFAULTS = Retries()


class _Options(TypedDict):
    base_url: str
    headers: dict[str, str]
    timeout: httpx.Timeout


def _call(build: Callable[Concatenate[Requests, P], Call[T]]) -> Callable[Concatenate[Client, P], T]:
    @wraps(build)
    def method(self: Client, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return self.carry_out(build(self.requests, *args, **kwargs))

    return method


def _each(
    build: Callable[Concatenate[Requests, P], Iterator[Call[Page[T]]]],
) -> Callable[Concatenate[Client, P], Iterator[T]]:
    @wraps(build)
    def method(self: Client, /, *args: P.args, **kwargs: P.kwargs) -> Iterator[T]:
        for call in build(self.requests, *args, **kwargs):
            page = self.carry_out(call)
            yield from page.items
            while page.next is not None:
                page = self.carry_out(call.behind(page.next))
                yield from page.items

    return method


def _call_async(
    build: Callable[Concatenate[Requests, P], Call[T]],
) -> Callable[Concatenate[AsyncClient, P], Coroutine[Any, Any, T]]:
    @wraps(build)
    async def method(self: AsyncClient, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await self.carry_out(build(self.requests, *args, **kwargs))

    return method


def _each_async(
    build: Callable[Concatenate[Requests, P], Iterator[Call[Page[T]]]],
) -> Callable[Concatenate[AsyncClient, P], AsyncIterator[T]]:
    @wraps(build)
    async def method(self: AsyncClient, /, *args: P.args, **kwargs: P.kwargs) -> AsyncIterator[T]:
        for call in build(self.requests, *args, **kwargs):
            page = await self.carry_out(call)
            for item in page.items:
                yield item
            while page.next is not None:
                page = await self.carry_out(call.behind(page.next))
                for item in page.items:
                    yield item

    return method


class Client:
    """Calls an arbiter service; threads may share it. Close it, or use ``with``.

    Every method raises the error that the service answers with (``arbiter.errors``), ``UnreachableError``
    where the service cannot be reached, and ``ServiceError`` where no arbiter answers. Batches are answered
    item by item, also where every item was refused.

    Args:
        url: address of the service, such as ``http://127.0.0.1:8000``.
        api_key: key that ``arbiter keys create`` made; None where the service asks for none.
        namespace: of everything that does not name one; None: the service's choice.
        timeout_s: seconds to wait for anything to arrive.
        retries: how much patience it has.
        transport: how requests are sent; None: as httpx does.
        sleep: waits.
        clock: counts seconds.
    """

    def __init__(
        self,
        url: str,
        *,
        api_key: str | None = None,
        namespace: str | None = None,
        timeout_s: float = TIMEOUT_S,
        retries: Retries = _DEFAULTS,
        transport: httpx.BaseTransport | None = None,
        sleep: Callable[[float], object] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.requests = Requests(namespace)
        self._http = httpx.Client(**_options(url, api_key, timeout_s), transport=transport)
        self._retries, self._sleep, self._clock = retries, sleep, clock

    def carry_out(self, call: Call[T]) -> T:
        """Send a call, again where that is safe and may help, and return its result."""
        course = Course(call, self._retries, self._clock)
        while True:
            try:
                response = self._http.request(
                    call.method, call.path, params=call.params, content=call.content, headers=call.headers
                )
            except httpx.TransportError as error:
                self._sleep(course.broke_off(error))
                continue
            if (pause := course.answered(response)) is None:
                return call.result(response)
            self._sleep(pause)

    def close(self) -> None:
        """Let go of the connections."""
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    submit = _call(Requests.submit)
    submit_all = _each(Requests.submit_all)
    receipt = _call(Requests.receipt)
    classify = _call(Requests.classify)
    facts = _each(Requests.facts)
    fact = _call(Requests.fact)
    history = _call(Requests.history)
    unseen = _call(Requests.unseen)
    search = _call(Requests.search)
    erase = _call(Requests.erase)
    compile = _call(Requests.compile)
    decision = _call(Requests.decision)
    undo = _call(Requests.undo)
    policy = _call(Requests.policy)
    policy_diff = _call(Requests.policy_diff)
    reviews = _each(Requests.reviews)
    review = _call(Requests.review)
    review_counts = _call(Requests.review_counts)
    rule = _call(Requests.rule)
    undo_ruling = _call(Requests.undo_ruling)
    claim = _call(Requests.claim)
    claim_next = _call(Requests.claim_next)
    release = _call(Requests.release)
    assign = _call(Requests.assign)
    comment = _call(Requests.comment)
    export_reviews = _call(Requests.export_reviews)
    export_rulings = _call(Requests.export_rulings)
    import_reviews = _call(Requests.import_reviews)
    ready = _call(Requests.ready)


class AsyncClient:
    """Calls an arbiter service from asyncio, like ``Client``. Close it, or use ``async with``."""

    def __init__(
        self,
        url: str,
        *,
        api_key: str | None = None,
        namespace: str | None = None,
        timeout_s: float = TIMEOUT_S,
        retries: Retries = _DEFAULTS,
        transport: httpx.AsyncBaseTransport | None = None,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.requests = Requests(namespace)
        self._http = httpx.AsyncClient(**_options(url, api_key, timeout_s), transport=transport)
        self._retries, self._sleep, self._clock = retries, sleep, clock

    async def carry_out(self, call: Call[T]) -> T:
        """Send a call, again where that is safe and may help, and return its result."""
        course = Course(call, self._retries, self._clock)
        while True:
            try:
                response = await self._http.request(
                    call.method, call.path, params=call.params, content=call.content, headers=call.headers
                )
            except httpx.TransportError as error:
                await self._sleep(course.broke_off(error))
                continue
            if (pause := course.answered(response)) is None:
                return call.result(response)
            await self._sleep(pause)

    async def close(self) -> None:
        """Let go of the connections."""
        await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    submit = _call_async(Requests.submit)
    submit_all = _each_async(Requests.submit_all)
    receipt = _call_async(Requests.receipt)
    classify = _call_async(Requests.classify)
    facts = _each_async(Requests.facts)
    fact = _call_async(Requests.fact)
    history = _call_async(Requests.history)
    unseen = _call_async(Requests.unseen)
    search = _call_async(Requests.search)
    erase = _call_async(Requests.erase)
    compile = _call_async(Requests.compile)
    decision = _call_async(Requests.decision)
    undo = _call_async(Requests.undo)
    policy = _call_async(Requests.policy)
    policy_diff = _call_async(Requests.policy_diff)
    reviews = _each_async(Requests.reviews)
    review = _call_async(Requests.review)
    review_counts = _call_async(Requests.review_counts)
    rule = _call_async(Requests.rule)
    undo_ruling = _call_async(Requests.undo_ruling)
    claim = _call_async(Requests.claim)
    claim_next = _call_async(Requests.claim_next)
    release = _call_async(Requests.release)
    assign = _call_async(Requests.assign)
    comment = _call_async(Requests.comment)
    export_reviews = _call_async(Requests.export_reviews)
    export_rulings = _call_async(Requests.export_rulings)
    import_reviews = _call_async(Requests.import_reviews)
    ready = _call_async(Requests.ready)


def _options(url: str, api_key: str | None, timeout_s: float) -> _Options:
    """Return what both kinds of connections are made with.

    Raises:
        ConfigurationError: the address or the key cannot be used.
    """
    try:
        address = httpx.URL(url)
    except (httpx.InvalidURL, TypeError) as error:
        raise ConfigurationError("url: is no address of a service", field="url") from error
    if address.scheme not in ("http", "https") or not address.host:
        message = "url: has to begin with http:// or https:// and name a host"
        raise ConfigurationError(message, field="url")
    if api_key is not None and not (api_key.isascii() and api_key.isprintable() and api_key.strip()):
        raise ConfigurationError("api_key: is no key", field="api_key")
    headers = {"User-Agent": f"arbiter-client/{version('arbiter')}"}
    if api_key is not None:
        headers["Authorization"] = f"Bearer {api_key}"
    timeout = httpx.Timeout(timeout_s, connect=min(timeout_s, _CONNECT_S))
    return {"base_url": url, "headers": headers, "timeout": timeout}
