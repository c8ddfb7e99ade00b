"""Leases in memory."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from threading import Lock

from arbiter.domain.leases import Lease


class MemoryLeases:
    """Implements ``LeaseStore`` in dictionaries."""

    def __init__(self) -> None:
        self._held: dict[str, Lease] = {}
        self._rests: dict[str, tuple[int, datetime]] = {}
        self._changing = Lock()

    def take(
        self, name: str, owner: str, at: datetime, until: datetime, *, rested: bool = True
    ) -> Lease | None:
        """See ``LeaseStore.take``."""
        with self._changing:
            held = self._held.get(name)
            if held is not None and held.owner != owner and held.until > at:
                return None
            failures, rest_until = self._rests.get(name, (0, at))
            if rested and rest_until > at:
                return None
            self._held[name] = Lease(name, owner, until, failures)
            return self._held[name]

    def renew(self, lease: Lease, until: datetime) -> bool:
        """See ``LeaseStore.renew``."""
        with self._changing:
            if not self._owns(lease):
                return False
            self._held[lease.name] = replace(lease, until=until)
            return True

    def give_back(self, lease: Lease, *, failures: int, rest_until: datetime) -> None:
        """See ``LeaseStore.give_back``."""
        with self._changing:
            if self._owns(lease):
                del self._held[lease.name]
                self._rests[lease.name] = (failures, rest_until)

    def _owns(self, lease: Lease) -> bool:
        held = self._held.get(lease.name)
        return held is not None and held.owner == lease.owner
