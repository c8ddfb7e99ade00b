"""Makes API keys and session tokens; the only place that draws secrets."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from secrets import token_hex, token_urlsafe

from arbiter.domain.access import ApiKey, Scope, Session, digest_of, token_of

_ID_BYTES, _SECRET_BYTES = 6, 32


@dataclass(frozen=True, slots=True)
class Made:
    """A new key with its token, which is shown once and kept nowhere."""

    key: ApiKey
    token: str

    @property
    def digest(self) -> str:
        """What is kept of the token."""
        return digest_of(self.token)


def new_key(
    name: str,
    namespace: str | None,
    scopes: Iterable[Scope],
    *,
    at: datetime,
    expires_at: datetime | None = None,
) -> Made:
    """Make a key; ``namespace`` is the only one that it reaches, None: any."""
    key = ApiKey(
        id=f"key_{token_hex(_ID_BYTES)}",
        name=name,
        namespace=namespace,
        scopes=frozenset(scopes),
        created_at=at,
        expires_at=expires_at,
    )
    return Made(key, token_of(key.id, token_urlsafe(_SECRET_BYTES)))


def new_session(key: ApiKey, *, expires_at: datetime) -> tuple[Session, str]:
    """Make a session for whoever has a key; return it with its token, which the browser alone keeps."""
    token = token_urlsafe(_SECRET_BYTES)
    return Session(digest_of(token), key.id, expires_at), token


def new_owner() -> str:
    """Return a name by which one attempt at a request is told from every other."""
    return token_hex(_SECRET_BYTES // 2)
