"""The gate of the service: looks keys and sessions up, and counts what each caller sends."""

from __future__ import annotations

import logging
from contextlib import suppress
from datetime import datetime, timedelta
from functools import partial
from hmac import compare_digest
from typing import TYPE_CHECKING, Literal, TypeAlias

from fastapi import Request

from arbiter.domain.access import ApiKey, Scope, digest_of, key_id_of, starts_open
from arbiter.errors import ScopeError, StoreError, UnauthorizedError
from arbiter.web.access import OPEN, Caller, address_of, only_from_here
from arbiter.web.rates import Rates
from arbiter.web.request_log import note_caller

if TYPE_CHECKING:
    from arbiter.ports import Clock, KeyStore
    from arbiter.settings import Settings
    from arbiter.web.service import Service

MEMORY = timedelta(seconds=5)
"""How long a process goes by what it saw in the store: so long a revoked key may still be good for."""

_LOG = logging.getLogger("arbiter.web")
_NOBODY = digest_of("")
_MANY = 1000
Kind: TypeAlias = Literal["key", "session"]


class Gate:
    """Lets requests in, each as somebody. What it does not remember it asks the store, on another thread.

    Raises:
        ConfigurationError: the store has no keys, and other machines reach the service.
    """

    def __init__(self, keys: KeyStore, clock: Clock, settings: Settings) -> None:
        self._keys = keys
        self._clock = clock
        self._remembered: dict[tuple[Kind, str], tuple[ApiKey, datetime]] = {}
        self._rates = Rates(settings.serve_rate_per_s, settings.serve_rate_burst)
        self._open_until: datetime | None = None
        if starts_open(settings.serve_host, has_keys=bool(keys.all())):
            self._open_until = clock() + MEMORY
            _LOG.warning(
                "THE SERVICE IS OPEN: there are no API keys, so whoever is on this machine may do anything; "
                "`arbiter keys create` makes one, and from then on keys are asked for"
            )

    @property
    def is_open(self) -> bool:
        """Does it ask for no keys?"""
        return self._open_until is not None

    async def by_key(self, request: Request, token: str | None, scope: Scope) -> Caller:
        """Let a program in by its API key.

        Raises:
            UnauthorizedError: it sent none, or none that holds.
            ScopeError: the key does not hold ``scope``.
            ForbiddenError: the service is open and the request is not from this machine.
            RateLimitedError: it sends too much.
        """
        return await self._admit(request, token, "key", scope)

    async def by_session(self, request: Request, token: str | None, scope: Scope) -> Caller:
        """Let a person in by the session that their browser has; raises what ``by_key`` does."""
        return await self._admit(request, token, "session", scope)

    async def is_open_now(self, request: Request) -> bool:
        """Ask the store now and then whether there are keys by now; once there were it asks no more."""
        if self._open_until is not None and self._clock() >= self._open_until:
            service: Service = request.app.state.service
            has_keys = await service.run(lambda: bool(self._keys.all()))
            self._open_until = None if has_keys else self._clock() + MEMORY
        return self.is_open

    def count(self, request: Request, who: Caller | None = None) -> None:
        """Count a request of a caller, or of an address where nobody is known.

        Raises:
            RateLimitedError: they send too much.
        """
        self._rates.take((who and who.key_id) or address_of(request))

    def key_of(self, token: str) -> ApiKey | None:
        """Return the key whose token this is, if it holds.

        A token that is unknown, wrong, revoked or expired takes the same steps, hence the same time.
        """
        key, digest = self._keys.find(key_id_of(token)) or (None, _NOBODY)
        is_right = compare_digest(digest_of(token), digest)
        return self._learn("key", token, key if is_right and key is not None else None)

    def key_of_session(self, token: str) -> ApiKey | None:
        """Return the key with which the session of this token was begun, if both hold."""
        session = self._keys.session(digest_of(token))
        if session is None or session.expires_at <= self._clock():
            return None
        found = self._keys.find(session.key_id)
        return self._learn("session", token, found[0] if found else None, until=session.expires_at)

    def end_session(self, token: str) -> None:
        """Let the session of this token hold no more."""
        self._keys.end_session(digest_of(token))
        self._remembered.pop(("session", digest_of(token)), None)

    async def _admit(self, request: Request, token: str | None, kind: Kind, scope: Scope) -> Caller:
        if await self.is_open_now(request):
            only_from_here(request)
            self.count(request)
            note_caller(OPEN.name)
            return OPEN
        key = await self._known(request, token, kind) if token else None
        if key is None:
            self.count(request)
            message = "this key or session does not hold" if token else "an API key is needed"
            raise UnauthorizedError(message, sent=bool(token))
        who = Caller(key.name, key.namespace, key.scopes, key.id)
        note_caller(who.name)
        self.count(request, who)
        if scope not in who.scopes:
            raise ScopeError(f"the key does not hold the scope {scope}", scope=scope)
        return who

    async def _known(self, request: Request, token: str, kind: Kind) -> ApiKey | None:
        key, until = self._remembered.get((kind, digest_of(token)), (None, None))
        now = self._clock()
        if key is not None and until is not None and now < until and key.holds(now):
            return key
        service: Service = request.app.state.service
        look_up = self.key_of if kind == "key" else self.key_of_session
        key = await service.run(partial(look_up, token))
        if key is not None and (key.last_used is None or key.last_used < now.date()):
            service.threads.submit(self._note_use, key, now)
        return key

    def _note_use(self, key: ApiKey, now: datetime) -> None:
        # A note that could not be written is no reason to turn anybody away; the next request tries again.
        with suppress(StoreError):
            self._keys.used(key.id, now.date())

    def _learn(
        self, kind: Kind, token: str, key: ApiKey | None, until: datetime | None = None
    ) -> ApiKey | None:
        """Remember a key for a while, if it holds; what does not hold is not remembered."""
        now = self._clock()
        if key is None or not key.holds(now):
            return None
        if len(self._remembered) >= _MANY:
            self._remembered = {name: known for name, known in self._remembered.items() if now < known[1]}
        self._remembered[kind, digest_of(token)] = (key, min(until or now + MEMORY, now + MEMORY))
        return key
