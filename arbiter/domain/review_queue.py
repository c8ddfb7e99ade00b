"""The review queue: where an item stands in it, who works on it, and what is asked of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from enum import StrEnum

from arbiter.domain.canonical import digest
from arbiter.domain.facts import iso
from arbiter.domain.outcomes import ReviewItem
from arbiter.domain.review import urgency
from arbiter.domain.vocabulary import Stakes
from arbiter.errors import RequestError

AGE_STEP = timedelta(days=1)
"""A question gains one point of priority for each of these that it has waited, up to ``AGE_LIMIT``."""
AGE_LIMIT = 30
_BEFORE_ALL = 2**31
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


class ReviewStatus(StrEnum):
    """Where a question stands: asked, set aside until there is other evidence, or no longer asked."""

    OPEN = "open"
    SET_ASIDE = "set_aside"
    CLOSED = "closed"


@dataclass(frozen=True, slots=True)
class ReviewWork:
    """Who works on an item. A claim names its reviewer and holds until ``claimed_until``, not longer."""

    review_id: str
    assignee: str | None = None
    claimed_by: str | None = None
    claimed_until: datetime | None = None

    def claimant(self, now: datetime) -> str | None:
        """Return who has the item in hand at a moment."""
        return self.claimed_by if self.claimed_until is not None and now < self.claimed_until else None


@dataclass(frozen=True, slots=True)
class Comment:
    """What somebody noted on an item. The text is empty once a fact of the item has been erased."""

    review_id: str
    author: str
    at: datetime
    text: str

    @property
    def id(self) -> str:
        """Derived from who noted it where and when: one person notes one thing at a time."""
        return "com_" + digest(self.review_id, self.author, iso(self.at))


@dataclass(frozen=True, slots=True)
class Priority:
    """What makes up the priority of an item at a moment; the more, the more urgent."""

    stakes: int
    urgency: int
    reach: int
    age: int

    @property
    def total(self) -> int:
        """The sum, by which the queue is ordered."""
        return self.stakes + self.urgency + self.reach + self.age


@dataclass(frozen=True, slots=True)
class Queued:
    """A review item with its place in the queue.

    ``opened_at`` is when it was asked last, ``closed_at`` when it was answered, set aside or became moot.
    """

    item: ReviewItem
    status: ReviewStatus
    opened_at: datetime
    closed_at: datetime | None
    work: ReviewWork

    def age(self, now: datetime) -> timedelta:
        """Return how long it has waited, or did before it was closed."""
        return max(timedelta(), (self.closed_at or now) - self.opened_at)

    def priority(self, now: datetime) -> Priority:
        """Return its priority at a moment."""
        stakes, _, reach = urgency(self.item.kind, self.item.stakes, self.item.reach)
        # What settling made of it counts, also where another version weighed it otherwise.
        return Priority(stakes, self.item.priority - stakes - reach, reach, age_points(self.age(now)))


@dataclass(frozen=True, slots=True)
class QueueQuery:
    """Which items are asked for; what is not named does not matter.

    ``text`` is a stretch of either statement, in any spelling of the same canonical form. ``claimed_by``
    has the item in hand, ``free_for`` leaves out what somebody else has in hand or was given.
    """

    status: ReviewStatus | None = ReviewStatus.OPEN
    kinds: frozenset[str] = frozenset()
    stakes: Stakes | None = None
    assignee: str | None = None
    claimed_by: str | None = None
    text: str | None = None
    free_for: str | None = None


@dataclass(frozen=True, slots=True)
class Place:
    """A place in the queue as it stood at a moment: behind the item of this id and total priority."""

    moment: datetime
    priority: int
    id: str

    @classmethod
    def start(cls, moment: datetime) -> Place:
        """Return the place before every item."""
        return cls(moment, _BEFORE_ALL, "")

    def __str__(self) -> str:
        return f"{(self.moment - _EPOCH) // _MICROSECOND}.{self.priority}.{self.id}"

    @classmethod
    def parse(cls, text: str) -> Place:
        """Return the place that ``str`` wrote.

        Raises:
            RequestError: it wrote no such thing.
        """
        try:
            moment, priority, review_id = text.split(".")
            return cls(_EPOCH + int(moment) * _MICROSECOND, int(priority), review_id)
        except (ValueError, OverflowError) as error:
            raise RequestError("is no place in the queue that was given out", field="after") from error


@dataclass(frozen=True, slots=True)
class QueueCounts:
    """How a queue stands: items by status, the open ones by kind, and since when the oldest one waits.

    ``high_stakes`` and ``claimed`` count open items.
    """

    open: int = 0
    set_aside: int = 0
    closed: int = 0
    high_stakes: int = 0
    claimed: int = 0
    kinds: Mapping[str, int] = field(default_factory=dict)
    oldest: datetime | None = None


def age_points(age: timedelta) -> int:
    """Return what an age adds to the priority."""
    return min(age // AGE_STEP, AGE_LIMIT)
