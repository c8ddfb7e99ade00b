"""Where API keys and the sessions begun with them are kept; only digests of their secrets are."""

from __future__ import annotations

from datetime import date, datetime
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from arbiter.domain.access import ApiKey, Session


class KeyStore(Protocol):
    """Keeps API keys for ever, revoked and expired ones too, and sessions until they expire.

    Every method raises ``StoreUnavailableError`` where the store is locked, full or unreadable.
    """

    def add(self, key: ApiKey, digest: str) -> None:
        """Keep a key together with the digest of its token."""
        ...

    def find(self, key_id: str) -> tuple[ApiKey, str] | None:
        """Return a key, whether it still holds or not, and the digest of its token."""
        ...

    def all(self) -> list[ApiKey]:
        """Return every key that was ever made, oldest first."""
        ...

    def revoke(self, key_id: str, at: datetime) -> ApiKey:
        """Let a key hold no more and return it; one that was revoked before stays as it is.

        Raises:
            NotFoundError: there is no such key.
        """
        ...

    def used(self, key_id: str, day: date) -> None:
        """Note the day on which a key was used; days only move forward."""
        ...

    def begin_session(self, session: Session, at: datetime) -> None:
        """Keep a session, and forget those that have expired by now."""
        ...

    def session(self, digest: str) -> Session | None:
        """Return the session with the digest of this token, expired or not."""
        ...

    def end_session(self, digest: str) -> None:
        """Forget a session; one that is not known is ignored."""
        ...
