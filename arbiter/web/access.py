"""Who calls, what they may do, and in which namespace.

A caller sends an API key: ``Authorization: Bearer arb_…``. Without any keys the service is open, to this
machine only: a request that comes from elsewhere, or from a web page of another origin that a browser on
this machine has open, is refused.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Annotated
from urllib.parse import urlsplit

from fastapi import Depends, Query, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from arbiter.domain.access import SCOPES, Scope, is_loopback
from arbiter.domain.facts import DEFAULT_NAMESPACE
from arbiter.errors import ForbiddenError
from arbiter.interchange.record_in import Name

if TYPE_CHECKING:
    from arbiter.web.service import Service

BEARER = HTTPBearer(
    scheme_name="apiKey",
    bearerFormat="arb_…",
    description="A key made by `arbiter keys create`. A service that has no keys asks for none.",
    auto_error=False,
)
_NAMESPACE = "Tenant or store; the caller's own by default, else `default`."


@dataclass(frozen=True, slots=True)
class Caller:
    """Whoever sent a request. ``namespace`` is the only one they reach; None: any.

    ``key_id`` is that of their key; None where the service asks for none.
    """

    name: str
    namespace: str | None
    scopes: frozenset[Scope]
    key_id: str | None = None

    def within(self, namespace: str | None) -> str:
        """Return the namespace to work in: the one asked for, else the caller's own, else the default.

        Raises:
            ForbiddenError: it is not the caller's.
        """
        if self.namespace is None:
            return namespace or DEFAULT_NAMESPACE
        if namespace not in (None, self.namespace):
            raise ForbiddenError("this caller may not reach that namespace", field="namespace")
        return self.namespace

    def reach(self, namespace: str | None) -> str | None:
        """Return the namespace asked for; else the only one that the caller reaches, or None for all.

        Raises:
            ForbiddenError: it is not the caller's.
        """
        return namespace if self.namespace is None else self.within(namespace)


OPEN = Caller("local", None, frozenset(SCOPES))
"""Whoever calls a service that has no keys."""


@dataclass(frozen=True, slots=True)
class Place:
    """A caller in the namespace in which a request works."""

    caller: Caller
    namespace: str


@cache
def caller(scope: Scope) -> Callable[..., Awaitable[Caller]]:
    """Return the dependency that gives the caller, whose key holds ``scope``.

    It raises ``UnauthorizedError``, ``ScopeError``, ``ForbiddenError`` or ``RateLimitedError``; so does that
    of ``place``. Within one request it is asked once, whoever else depends on it.
    """

    async def identified(
        request: Request, sent: Annotated[HTTPAuthorizationCredentials | None, Depends(BEARER)]
    ) -> Caller:
        service: Service = request.app.state.service
        return await service.gate.by_key(request, sent.credentials if sent else None, scope)

    identified.__name__ = f"caller_{scope}"
    return identified


@cache
def place(scope: Scope) -> Callable[..., Awaitable[Place]]:
    """Return the dependency that gives the caller together with the one namespace of the request."""
    identified = Depends(caller(scope))

    async def placed(
        who: Caller = identified,
        namespace: Annotated[Name | None, Query(description=_NAMESPACE)] = None,
    ) -> Place:
        return Place(who, who.within(namespace))

    return placed


def address_of(request: Request) -> str:
    """Return the address from which a request came; where it came by a socket file, this machine's."""
    return request.client.host if request.client else "127.0.0.1"


def only_from_here(request: Request) -> None:
    """Refuse what does not come from this machine, or comes from another site by way of a browser.

    Raises:
        ForbiddenError: it does.
    """
    host = request.headers.get("host", "")
    origin = request.headers.get("origin")
    if not (is_loopback(address_of(request)) and is_loopback(_hostname(f"//{host}"))):
        raise ForbiddenError("the service has no API keys, so it answers this machine only")
    if origin is not None and not is_origin_of(origin, host):
        raise ForbiddenError("the service has no API keys, so it does not answer pages of other origins")


def is_origin_of(origin: str, host: str) -> bool:
    """Is the page of this origin one of ours? ``host`` is the name by which the request calls us."""
    return bool(host) and origin.partition("://")[2] == host


def _hostname(address: str) -> str:
    try:
        return urlsplit(address).hostname or ""
    except ValueError:
        return ""
