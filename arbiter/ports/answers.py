"""Where the answers to requests with an Idempotency-Key are kept."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from arbiter.domain.answers import Answer, Claim, Known


class AnswerStore(Protocol):
    """Lets one request under a key be carried out, and keeps its answer for those that come again.

    All processes on one store see the same. Erasing a fact takes what may quote it out of the answers, those
    to come included. Every method raises ``StoreUnavailableError`` where the store is locked, full or
    unreadable.
    """

    def claim(self, claim: Claim) -> Known | None:
        """Return what is known under the claim's id, or None: the request is to be carried out by this owner.

        None as well where what was known is to be forgotten by now, and where the same request was being
        carried out by an owner that is gone; its place is taken. A few others that are to be forgotten go.
        """
        ...

    def renew(self, claim: Claim, until: datetime) -> bool:
        """Say that the owner is still at work; False if its place was taken."""
        ...

    def finish(self, claim: Claim, answer: Answer, namespace: str) -> bool:
        """Keep the answer; False, and nothing kept, if the owner's place was taken.

        ``namespace`` is that of the facts in it, where they do not name their own.
        """
        ...

    def release(self, claim: Claim) -> None:
        """Forget a request that came to nothing, unless the owner's place was taken."""
        ...

    def purge(self, before: datetime) -> int:
        """Forget what is to be forgotten by then; return how many requests that were."""
        ...
