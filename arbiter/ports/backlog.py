"""What waits, over all namespaces, and who is at work on it."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from arbiter.domain.backlog import HeldPair, Waiting
    from arbiter.domain.leases import Lease


class Backlog(Protocol):
    """Reads what waits. It is for those who run the service: no caller gets to see other namespaces."""

    def held(self, namespace: str | None = None) -> list[HeldPair]:
        """Return the pairs of one namespace, or all, whose newest judgement is an unjudged to try again.

        The one longest not tried comes first, ties by namespace and ids. Pairs with an erased side lack.
        """
        ...

    def held_count(self, namespace: str | None = None) -> int:
        """Return how many pairs ``held`` would return."""
        ...

    def abandoned(
        self, before: datetime, namespace: str | None = None, among: Iterable[str] | None = None
    ) -> list[tuple[str, str]]:
        """Return (namespace, fact id) of facts that arrived before a moment and were never finished.

        ``among`` names the fact ids to look at; all, if it is not given.
        """
        ...

    def waiting(self) -> list[Waiting]:
        """Return how long the queues are, by namespace, queue and kind; empty ones lack."""
        ...


class LeaseStore(Protocol):
    """Keeps leases, the same for all processes on one store.

    Every method raises ``StoreUnavailableError`` where the store is locked, full or unreadable.
    """

    def take(
        self, name: str, owner: str, at: datetime, until: datetime, *, rested: bool = True
    ) -> Lease | None:
        """Return a lease, or None: another owner has it at this moment, or the work is to rest.

        With ``rested`` False it is given though the work is to rest.
        """
        ...

    def renew(self, lease: Lease, until: datetime) -> bool:
        """Hold a lease for longer; False if it ran out and was taken by somebody else."""
        ...

    def give_back(self, lease: Lease, *, failures: int, rest_until: datetime) -> None:
        """End a lease; the work is to rest until a moment. One that somebody else took stays theirs."""
        ...
