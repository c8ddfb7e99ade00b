"""API keys and sessions in memory."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime
from threading import Lock

from arbiter.domain.access import ApiKey, Session
from arbiter.errors import NotFoundError


class MemoryKeys:
    """Implements ``KeyStore`` in dictionaries."""

    def __init__(self) -> None:
        self._keys: dict[str, tuple[ApiKey, str]] = {}
        self._sessions: dict[str, Session] = {}
        self._changing = Lock()

    def add(self, key: ApiKey, digest: str) -> None:
        """See ``KeyStore.add``."""
        with self._changing:
            self._keys[key.id] = (key, digest)

    def find(self, key_id: str) -> tuple[ApiKey, str] | None:
        """See ``KeyStore.find``."""
        return self._keys.get(key_id)

    def all(self) -> list[ApiKey]:
        """See ``KeyStore.all``."""
        with self._changing:
            keys = [key for key, _ in self._keys.values()]
        return sorted(keys, key=lambda key: (key.created_at, key.id))

    def revoke(self, key_id: str, at: datetime) -> ApiKey:
        """See ``KeyStore.revoke``."""
        with self._changing:
            if key_id not in self._keys:
                raise NotFoundError(f"there is no API key {key_id}")
            key, digest = self._keys[key_id]
            revoked = replace(key, revoked_at=key.revoked_at or at)
            self._keys[key_id] = (revoked, digest)
        return revoked

    def used(self, key_id: str, day: date) -> None:
        """See ``KeyStore.used``."""
        with self._changing:
            if key_id in self._keys:
                key, digest = self._keys[key_id]
                self._keys[key_id] = (replace(key, last_used=max(key.last_used or day, day)), digest)

    def begin_session(self, session: Session, at: datetime) -> None:
        """See ``KeyStore.begin_session``."""
        with self._changing:
            self._sessions = {name: known for name, known in self._sessions.items() if known.expires_at > at}
            self._sessions.setdefault(session.digest, session)

    def session(self, digest: str) -> Session | None:
        """See ``KeyStore.session``."""
        return self._sessions.get(digest)

    def end_session(self, digest: str) -> None:
        """See ``KeyStore.end_session``."""
        with self._changing:
            self._sessions.pop(digest, None)
