"""API keys and sessions: who may call the service, what for, and in which namespace."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from hashlib import sha256
from ipaddress import ip_address
from typing import Literal, TypeAlias, get_args

from arbiter.errors import ConfigurationError

Scope: TypeAlias = Literal["classify", "submit", "read", "review", "admin"]
SCOPES: tuple[Scope, ...] = get_args(Scope)

_TOKEN_PREFIX = "arb_"  # noqa: S105  how a key is told from other secrets, by people and by scanners


@dataclass(frozen=True, slots=True)
class ApiKey:
    """What is known about a key; the key itself is with its owner, and only its digest with us.

    ``namespace`` is the only one that it reaches; None: any. ``last_used`` is coarse: the day, in UTC.
    """

    id: str
    name: str
    namespace: str | None
    scopes: frozenset[Scope]
    created_at: datetime
    expires_at: datetime | None = None
    revoked_at: datetime | None = None
    last_used: date | None = None

    def holds(self, at: datetime) -> bool:
        """Is it good for anything at this moment?"""
        return self.revoked_at is None and (self.expires_at is None or at < self.expires_at)


@dataclass(frozen=True, slots=True)
class Session:
    """A browser in which somebody signed in with a key; it ends with the key at the latest.

    ``digest`` is that of the token that the browser has.
    """

    digest: str
    key_id: str
    expires_at: datetime


def token_of(key_id: str, secret: str) -> str:
    """Return what the owner of a key sends: ``secret`` are 32 random bytes in base64url."""
    return f"{_TOKEN_PREFIX}{key_id.removeprefix('key_')}_{secret}"


def key_id_of(token: str) -> str:
    """Return the id of the key that a token claims to be; some id that no key has where it is no token."""
    return "key_" + token.removeprefix(_TOKEN_PREFIX).partition("_")[0]


def digest_of(token: str) -> str:
    """Return what is kept of a token. A fast digest will do: nobody guesses 256 random bits."""
    return sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def starts_open(host: str, *, has_keys: bool) -> bool:
    """Say whether a service that listens on ``host`` asks for no keys.

    It has none then, and only this machine reaches it. Keys that were revoked count: whoever takes the last
    one back does not open the door.

    Raises:
        ConfigurationError: it has no keys, and other machines reach it.
    """
    if not has_keys and not is_loopback(host):
        raise ConfigurationError(
            f"serve_host: other machines reach {host}, and there are no API keys; make one with "
            "`arbiter keys create`, or listen on 127.0.0.1",
            field="serve_host",
        )
    return not has_keys


def is_loopback(host: str) -> bool:
    """Is this an address, or the name, by which a machine reaches itself?"""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
