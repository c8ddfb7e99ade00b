"""Places in the review queue: priority, age, claims."""

from __future__ import annotations

from datetime import timedelta

import pytest

from arbiter.domain.outcomes import ReviewItem
from arbiter.domain.review_queue import Comment, Place, Priority, Queued, ReviewStatus, ReviewWork
from arbiter.domain.vocabulary import Stakes
from arbiter.errors import RequestError
from tests.factories import day

ITEM = ReviewItem("a", "b", "conflict", "r", "Which?", 155, "x", "y", stakes=Stakes.HIGH, reach=5)


def waiting(*, until: float | None = None) -> Queued:
    """Return the item, asked on the first day and closed on another one, or not at all."""
    status = ReviewStatus.OPEN if until is None else ReviewStatus.CLOSED
    return Queued(ITEM, status, day(0), None if until is None else day(until), ReviewWork(ITEM.id))


def test_the_priority_is_made_of_stakes_urgency_reach_and_age() -> None:
    """A point for each whole day that it has waited, up to thirty; the rest stays as it was settled."""
    assert waiting().priority(day(0.99)) == Priority(stakes=100, urgency=50, reach=5, age=0)
    assert [waiting().priority(day(at)).total for at in (1, 2.5, 30, 400)] == [156, 157, 185, 185]


def test_what_is_closed_does_not_grow_older() -> None:
    """The age of a closed item is how long it had waited; a clock that went back makes no negative age."""
    assert waiting(until=3).age(day(9)) == timedelta(days=3)
    assert waiting(until=3).priority(day(9)).age == 3
    assert waiting().age(day(-2)) == timedelta()
    assert waiting().priority(day(-2)).age == 0


def test_a_claim_holds_until_its_end_and_no_longer() -> None:
    """At the very end it is over."""
    work = ReviewWork(ITEM.id, claimed_by="ada", claimed_until=day(1))
    assert [work.claimant(day(at)) for at in (0, 0.999, 1, 2)] == ["ada", "ada", None, None]
    assert ReviewWork(ITEM.id).claimant(day(0)) is None


def test_a_place_survives_being_written() -> None:
    """What was written is read as the same place, to the microsecond."""
    place = Place(day(1) + timedelta(microseconds=7), -3, ITEM.id)
    assert Place.parse(str(place)) == place


@pytest.mark.parametrize("text", ["", "1.2", "x.1.rev_1", "1.x.rev_1", "1.2.3.4", f"{10**30}.1.rev_1"])
def test_what_is_no_place_is_refused(text: str) -> None:
    """A place that was never given out names its field."""
    with pytest.raises(RequestError, match="no place in the queue") as caught:
        Place.parse(text)
    assert caught.value.field == "after"


def test_comments_of_one_moment_are_told_apart_by_their_authors() -> None:
    """The id follows from item, author and time; the text, which can be erased, plays no part."""
    one = Comment(ITEM.id, "ada", day(1), "Look at the passport.")
    assert one.id == Comment(ITEM.id, "ada", day(1), "").id
    assert one.id != Comment(ITEM.id, "bob", day(1), one.text).id
