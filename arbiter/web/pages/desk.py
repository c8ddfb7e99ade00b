"""Where somebody who looks at the queue sits: who they are, where, and what they chose to see."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from fastapi import Depends, Path, Query

from arbiter.domain.review_queue import QueueQuery
from arbiter.pipeline.reviews import Reviews
from arbiter.ports import FactStore
from arbiter.web.access import Place
from arbiter.web.pages.filters import Chosen, chosen
from arbiter.web.service import Service, service_of
from arbiter.web.session import visit


@dataclass(frozen=True, slots=True)
class Desk:
    """A person in their namespace, with the service that they use."""

    place: Place
    chosen: Chosen
    service: Service

    @property
    def me(self) -> str:
        """The name of the person, under which they claim and rule."""
        return self.place.caller.name

    @property
    def namespace(self) -> str:
        """The namespace that they look at."""
        return self.place.namespace

    @property
    def store(self) -> FactStore:
        """What is read."""
        return self.service.arbiter.context.store

    @property
    def reviews(self) -> Reviews:
        """What is done."""
        return self.service.arbiter.review

    def now(self) -> datetime:
        """Return the time."""
        return self.service.arbiter.context.clock()

    def query(self, *, free: bool = False) -> QueueQuery:
        """Return what they chose to see; ``free``: without what others have in hand or were given."""
        return self.chosen.query(self.me, free=free)


def desk(
    at: Annotated[Place, Depends(visit("review"))],
    looking: Annotated[Chosen, Depends(chosen)],
    service: Annotated[Service, Depends(service_of)],
) -> Desk:
    """Return the desk of whoever sent a request."""
    return Desk(at, looking, service)


AtDesk = Annotated[Desk, Depends(desk)]
ReviewId = Annotated[str, Path(pattern=r"^rev_[0-9a-f]+$", max_length=100)]
RulingId = Annotated[str, Path(pattern=r"^rul_[0-9a-f]+$", max_length=100)]
Done = Annotated[str | None, Query(max_length=100)]
"""The ruling that was made, or taken back, just before."""
