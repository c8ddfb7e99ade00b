"""The review queue of a fact store: what waits, in which order, and how items move through it."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from arbiter.domain.outcomes import ReviewItem
from arbiter.domain.review_queue import (
    Place,
    QueueCounts,
    Queued,
    QueueQuery,
    ReviewStatus,
    ReviewWork,
)
from arbiter.domain.vocabulary import Relation, RulingKind, Stakes
from arbiter.errors import NotFoundError
from arbiter.ports import FactStore
from tests.contracts.fact_store_cases import (
    HERE,
    TickingClock,
    active,
    apply,
    keep,
    review,
    ruling,
    settled,
)
from tests.factories import day, make_sighting

A, B, C, D = "fact_a", "fact_b", "fact_c", "fact_d"
EVERYONE = active(A, B, C, D)
AB, AC, AD = review(A, B, priority=50), review(A, C, priority=70), review(A, D, priority=50)
OPEN, EVERYTHING = QueueQuery(), QueueQuery(status=None)


def asked(store: FactStore, *items: ReviewItem, aside: tuple[ReviewItem, ...] = ()) -> None:
    """Let a settlement ask these items and no others."""
    apply(store, settled(*EVERYONE, reviews=items, aside=aside))


def works(store: FactStore, *work: ReviewWork, namespace: str = HERE) -> None:
    """Write who works on items."""
    with store.writing(namespace) as tx:
        for one in work:
            tx.works(one)


def read(store: FactStore, behind: Place, query: QueueQuery = OPEN, limit: int = 10) -> list[str]:
    """Return the ids of the items behind a place."""
    return [queued.item.id for queued in store.queue(HERE, query, behind=behind, limit=limit)]


def test_the_queue_has_everything_about_a_place_in_it(store: FactStore, clock: TickingClock) -> None:
    """The item as it was settled, since when it waits, and who works on it."""
    full = replace(AB, reach=7, evidence="e1", stakes=Stakes.HIGH, proposal="both", relation=None)
    asked(store, full)
    work = ReviewWork(
        AB.id, assignee="ada", claimed_by="bob", claimed_until=day(3) + timedelta(microseconds=1)
    )
    works(store, replace(work, assignee="kim"), work)
    expected = Queued(full, ReviewStatus.OPEN, clock.shown, None, work)
    (found,) = store.queue(HERE, QueueQuery(), behind=Place.start(clock.shown), limit=1)
    assert replace(found, opened_at=expected.opened_at) == expected
    assert store.queued(HERE, [AB.id, "rev_unknown"]) == {AB.id: found}


def test_the_queue_is_in_order_of_priority_and_age(store: FactStore, clock: TickingClock) -> None:
    """A point a day, up to thirty; of equals the smaller id comes first."""
    asked(store, AB)
    opened = store.queued(HERE, [AB.id])[AB.id].opened_at
    clock.wait(10)
    asked(store, AB, AC, AD)
    assert read(store, Place.start(opened + timedelta(days=10, seconds=9))) == [AC.id, AB.id, AD.id]
    assert read(store, Place.start(opened + timedelta(days=29))) == [AC.id, AB.id, AD.id]
    late = Place.start(opened + timedelta(days=400))
    assert read(store, late) == [AC.id, *sorted([AB.id, AD.id])]
    early = Place.start(opened - timedelta(days=9))
    assert read(store, early) == [AC.id, *sorted([AB.id, AD.id])]
    totals = [
        queued.priority(late.moment).total for queued in store.queue(HERE, QueueQuery(), behind=late, limit=9)
    ]
    assert totals == [100, 80, 80]


def test_pages_leave_nothing_out_and_show_nothing_twice(store: FactStore, clock: TickingClock) -> None:
    """Each page goes on behind the last item of the one before, whatever was closed meanwhile."""
    sides = [f"fact_{n}" for n in range(8)]
    items = [review(A, side, priority=10 * (n % 3)) for n, side in enumerate(sides)]
    states = active(A, *sides)
    apply(store, settled(*states, reviews=items))
    behind = Place.start(clock.shown + timedelta(days=1))
    seen: list[str] = []
    while page := store.queue(HERE, QueueQuery(), behind=behind, limit=3):
        seen += [queued.item.id for queued in page]
        last = page[-1]
        behind = Place(behind.moment, last.priority(behind.moment).total, last.item.id)
        apply(store, settled(*states, reviews=[item for item in items if item.id not in seen[:2]]))
    assert seen == [item.id for item in sorted(items, key=lambda item: (-item.priority, item.id))]


def test_items_are_found_by_what_is_asked_for(store: FactStore, clock: TickingClock) -> None:
    """Kind, stakes, assignee, claimant and text each leave out the rest, and all of them together do."""
    bath = make_sighting("Rita was born in  BATH, España.", at=1)
    bonn = make_sighting("Rita was born in Bonn.", at=2)
    keep(store, bath, bonn)
    birth = review(bath.fact_id, bonn.fact_id, kind="cycle", stakes=Stakes.HIGH)
    apply(store, settled(*EVERYONE, *active(bath.fact_id, bonn.fact_id), reviews=[AB, AC, birth]))
    held = ReviewWork(AC.id, assignee="ada", claimed_by="kim", claimed_until=clock.shown + timedelta(hours=1))
    ended = ReviewWork(birth.id, assignee="bob", claimed_by="kim", claimed_until=clock.shown)
    works(store, held, ended)
    now = Place.start(clock.shown)
    for query, expected in (
        (QueueQuery(kinds=frozenset({"cycle", "guard"})), [birth.id]),
        (QueueQuery(kinds=frozenset({"conflict"})), [AC.id, AB.id]),
        (QueueQuery(stakes=Stakes.HIGH), [birth.id]),
        (QueueQuery(stakes=Stakes.NORMAL), [AC.id, AB.id]),
        (QueueQuery(assignee="ada"), [AC.id]),
        (QueueQuery(assignee="nobody"), []),
        (QueueQuery(claimed_by="kim"), [AC.id]),
        (QueueQuery(claimed_by="ada"), []),
        (QueueQuery(claimed_by="kim", assignee="bob"), []),
        (QueueQuery(text="born in bath, ESPAÑA"), [birth.id]),
        (QueueQuery(text="Bonn."), [birth.id]),
        (QueueQuery(text="%"), []),
        (QueueQuery(text="bath", stakes=Stakes.HIGH, assignee="bob", kinds=frozenset({"cycle"})), [birth.id]),
        (QueueQuery(text="bath", assignee="ada"), []),
    ):
        assert read(store, now, query) == expected, query


def test_what_is_free_for_somebody_is_neither_claimed_nor_given_to_another(
    store: FactStore, clock: TickingClock
) -> None:
    """A claim that has ended frees the item; one's own claims and assignments stay in view."""
    asked(store, AB, AC, AD)
    until = clock.shown + timedelta(hours=1)
    works(
        store,
        ReviewWork(AB.id, claimed_by="ada", claimed_until=until),
        ReviewWork(AC.id, assignee="ada"),
        ReviewWork(AD.id, assignee="bob", claimed_by="bob", claimed_until=until),
    )
    early, late = Place.start(until - timedelta(seconds=1)), Place.start(until)
    assert read(store, early, QueueQuery(free_for="ada")) == [AC.id, AB.id]
    assert read(store, early, QueueQuery(free_for="bob")) == [AD.id]
    assert set(read(store, late, QueueQuery(free_for="bob"))) == {AB.id, AD.id}
    assert read(store, early, QueueQuery(free_for="kim")) == []
    assert read(store, late, QueueQuery(free_for="kim")) == [AB.id]


def test_items_move_between_open_set_aside_and_closed(store: FactStore, clock: TickingClock) -> None:
    """What is set aside is closed until it is asked again, and begins to wait anew; nothing else moves."""

    def stands() -> tuple[ReviewStatus, bool, bool]:
        """Return the status, whether it has just begun to wait, and whether it was closed just now."""
        found = store.queued(HERE, [AB.id])[AB.id]
        return (
            found.status,
            found.opened_at > before,
            found.closed_at is not None and found.closed_at > before,
        )

    asked(store, AB)
    before = clock.shown
    clock.wait(1)
    asked(store, aside=(AB,))
    assert stands() == (ReviewStatus.SET_ASIDE, False, True)
    assert store.review(HERE, AB.id) == (AB, False)
    before = clock.shown
    clock.wait(1)
    urgent = replace(AB, priority=99)
    asked(store, aside=(urgent,))
    assert stands() == (ReviewStatus.SET_ASIDE, False, False)
    assert store.queued(HERE, [AB.id])[AB.id].item == urgent
    asked(store, urgent)
    assert stands() == (ReviewStatus.OPEN, True, False)
    before = clock.shown
    asked(store)
    assert stands() == (ReviewStatus.CLOSED, False, True)
    clock.wait(1)
    asked(store, aside=(AB,))
    assert stands() == (ReviewStatus.SET_ASIDE, True, True)
    before = clock.shown
    asked(store)
    assert stands() == (ReviewStatus.CLOSED, False, True)


def test_items_are_found_by_their_status(store: FactStore, clock: TickingClock) -> None:
    """Each status has its items; without one all are returned, settled ones too."""
    asked(store, AB, AC, AD)
    asked(store, AB, aside=(AC,))
    now = Place.start(clock.shown)
    found = {status: read(store, now, QueueQuery(status=status)) for status in ReviewStatus}
    assert found == {
        ReviewStatus.OPEN: [AB.id],
        ReviewStatus.SET_ASIDE: [AC.id],
        ReviewStatus.CLOSED: [AD.id],
    }
    assert read(store, now, EVERYTHING) == [AC.id, *sorted([AB.id, AD.id])]


def test_the_queue_is_counted(store: FactStore, clock: TickingClock) -> None:
    """Items by status and kind, those of high stakes, those in hand, and since when the oldest waits."""
    assert store.queue_counts(HERE, clock.shown) == QueueCounts()
    urgent = replace(AB, stakes=Stakes.HIGH, kind="cycle")
    asked(store, urgent, review(C, D))
    oldest = store.queued(HERE, [AB.id])[AB.id].opened_at
    clock.wait(1)
    asked(store, urgent, AC, AD, aside=(review(B, C),))
    until = clock.shown + timedelta(hours=1)
    works(
        store,
        ReviewWork(AC.id, claimed_by="ada", claimed_until=until),
        ReviewWork(AD.id, assignee="ada"),
        ReviewWork(review(C, D).id, claimed_by="ada", claimed_until=until),
    )
    expected = QueueCounts(
        open=3,
        set_aside=1,
        closed=1,
        high_stakes=1,
        claimed=1,
        kinds={"cycle": 1, "conflict": 2},
        oldest=oldest,
    )
    assert store.queue_counts(HERE, clock.shown) == expected
    assert store.queue_counts(HERE, until) == replace(expected, claimed=0)


def test_rulings_are_found_by_pair_and_by_id(store: FactStore) -> None:
    """Every field of a ruling survives; those on other pairs are left out."""
    first = ruling(B, A, name="rul_2", at=1, kind=RulingKind.MERGE, merged=C, sighting="sight_1", reason="r")
    later = ruling(A, B, name="rul_1", at=2, kind=RulingKind.RETRACT, retracts="rul_2")
    skip = ruling(A, C, name="rul_3", kind=RulingKind.SKIP, evidence="e1")
    with store.writing(HERE) as tx:
        for one in (later, skip, first):
            tx.ruled(one)
    assert store.rulings_on(HERE, [(A, B), (B, D)]) == [first, later]
    assert store.rulings_on(HERE, [(A, C), (A, B)]) == [skip, first, later]
    assert store.rulings_on(HERE, []) == []
    assert store.ruling(HERE, "rul_3") == skip
    with pytest.raises(NotFoundError, match="rul_unknown"):
        store.ruling(HERE, "rul_unknown")


def test_a_rebuild_leaves_the_queue_as_it_is(store: FactStore, clock: TickingClock) -> None:
    """Items, who works on them and what was noted are no views."""
    asked(store, AB, aside=(AC,))
    works(store, ReviewWork(AB.id, assignee="ada"))
    before = store.queue(HERE, EVERYTHING, behind=Place.start(clock.shown), limit=9)
    store.rebuild_views(HERE)
    assert store.queue(HERE, EVERYTHING, behind=Place.start(before[0].opened_at), limit=9) == before


def test_nothing_of_one_namespace_is_in_another(store: FactStore, clock: TickingClock) -> None:
    """The same pair in two namespaces is two items, with their own workers."""
    asked(store, AB)
    apply(store, settled(*EVERYONE, aside=[AB]), namespace="other")
    works(store, ReviewWork(AB.id, assignee="ada"))
    works(store, ReviewWork(AB.id, assignee="bob"), namespace="other")
    assert store.queued(HERE, [AB.id])[AB.id].work.assignee == "ada"
    other = store.queued("other", [AB.id])[AB.id]
    assert (other.status, other.work.assignee) == (ReviewStatus.SET_ASIDE, "bob")
    assert store.queue_counts("third", clock.shown) == QueueCounts()
    assert store.queue("third", EVERYTHING, behind=Place.start(clock.shown), limit=9) == []
    assert [q.item.relation for q in store.queued(HERE, [AB.id]).values()] == [Relation.CONTRADICTION]
