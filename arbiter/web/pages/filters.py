"""Which part of the queue somebody looks at: in the address of every page, so that it stays chosen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal, TypeAlias
from urllib.parse import urlencode

from fastapi import Query
from pydantic import BeforeValidator

from arbiter.domain.review_queue import QueueQuery, ReviewStatus
from arbiter.domain.vocabulary import Stakes
from arbiter.interchange.record_in import Name

HOME = "/review"
Who: TypeAlias = Literal["free", "me", "mine"]
Status: TypeAlias = Literal["set_aside", "closed", "all"]
# A form sends what was left open as an empty text.
_OPTIONAL = BeforeValidator(lambda value: value or None)


@dataclass(frozen=True, slots=True)
class Chosen:
    """What is chosen; None: it does not matter. ``status`` None is what waits.

    ``who``: what is free for the person who looks, was given to them, or is in their hands. ``namespace``
    is named only where the address named it.
    """

    namespace: str | None = None
    kind: str | None = None
    stakes: Stakes | None = None
    who: Who | None = None
    assignee: str | None = None
    claimed_by: str | None = None
    status: Status | None = None
    text: str | None = None

    @property
    def narrow(self) -> bool:
        """Is anything left out of what waits?"""
        named = (self.kind, self.stakes, self.who, self.assignee, self.claimed_by, self.status, self.text)
        return any(named)

    @property
    def home(self) -> str:
        """The address of the whole queue."""
        return Chosen(self.namespace).to()

    @property
    def aside(self) -> str:
        """The address of what was set aside."""
        return Chosen(self.namespace, status="set_aside").to()

    @property
    def dashboard(self) -> str:
        """The address of the dashboard."""
        return Chosen(self.namespace).to(f"{HOME}/dashboard")

    def query(self, me: str, *, free: bool = False) -> QueueQuery:
        """Return what it asks of the queue; ``free``: without what others have in hand or were given."""
        everything = self.status == "all"
        status = ReviewStatus(self.status or "open") if not everything else None
        return QueueQuery(
            status=status,
            kinds=frozenset({self.kind} if self.kind else ()),
            stakes=self.stakes,
            assignee=me if self.who == "me" else self.assignee,
            claimed_by=me if self.who == "mine" else self.claimed_by,
            text=self.text,
            free_for=me if free or self.who == "free" else None,
        )

    def to(self, path: str = HOME, **more: object) -> str:
        """Return the address of a page with what is chosen, and ``more`` where it is not None."""
        named = {
            "namespace": self.namespace,
            "kind": self.kind,
            "stakes": self.stakes,
            "who": self.who,
            "assignee": self.assignee,
            "claimed_by": self.claimed_by,
            "status": self.status,
            "text": self.text,
            **more,
        }
        told = urlencode({name: value for name, value in named.items() if value is not None})
        return f"{path}?{told}" if told else path

    def item(self, review_id: str, **more: object) -> str:
        """Return the address of an item within what is chosen."""
        return self.to(f"{HOME}/items/{review_id}", **more)

    def undo(self, ruling_id: str) -> str:
        """Return the address to which the wish to take a ruling back is sent."""
        return self.to(f"{HOME}/rulings/{ruling_id}/undo")

    def act(self, review_id: str, action: str) -> str:
        """Return the address to which something is sent that is to be done to an item."""
        return self.to(f"{HOME}/items/{review_id}/{action}")


def chosen(
    *,
    namespace: Annotated[Name | None, _OPTIONAL, Query()] = None,
    kind: Annotated[Name | None, _OPTIONAL, Query()] = None,
    stakes: Annotated[Stakes | None, _OPTIONAL, Query()] = None,
    who: Annotated[Who | None, _OPTIONAL, Query()] = None,
    assignee: Annotated[Name | None, _OPTIONAL, Query()] = None,
    claimed_by: Annotated[Name | None, _OPTIONAL, Query()] = None,
    status: Annotated[Status | None, _OPTIONAL, Query()] = None,
    text: Annotated[Name | None, _OPTIONAL, Query()] = None,
) -> Chosen:
    """Return what the address of a page names."""
    return Chosen(namespace, kind, stakes, who, assignee, claimed_by, status, text)
