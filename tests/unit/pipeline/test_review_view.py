"""Review items as people read them, one by one and page by page."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from arbiter.domain.evidence import GuardFinding
from arbiter.domain.review_queue import Place, Priority, QueueQuery
from arbiter.domain.vocabulary import Action, RulingKind
from arbiter.pipeline.context import Context
from arbiter.pipeline.reviews import Reviews
from arbiter.pipeline.submit import submit
from arbiter.testing import TableJudge
from tests.factories import day, make_record, verdict

GUARD = GuardFinding("name", "Porto", "Faro")
CONFLICT = verdict("contradiction", stakes="high", guards=(GUARD,), reason="two places")
PLACES = [
    make_record(f"Rita was born in {name}.", subject="Rita", at=n) for n, name in enumerate(("Porto", "Faro"))
]


def born(context: Context, judge: TableJudge) -> str:
    """Submit two places of birth, the later one first, and return the id of the question."""
    judge.table = {(PLACES[0].content, PLACES[1].content): CONFLICT}
    submit([PLACES[1]], context)
    submit([PLACES[0]], context)
    return context.store.reviews("default")[0].id


def test_a_view_has_everything_about_the_question(context: Context, judge: TableJudge) -> None:
    """Both sides, the judgement in their order, what the policy makes of it, and since when it waits."""
    later = replace(context, clock=lambda: day(103))
    view = Reviews(later).view(born(context, judge))
    assert [side.fact.content for side in (view.a, view.b)] == [place.content for place in PLACES]
    assert [side.state.contested for side in (view.a, view.b)] == [True, True]
    assert view.judgement == CONFLICT
    assert [(d.action, d.rule) for d in view.decisions] == [(Action.REVIEW, "high-stakes-contradiction")]
    assert (view.priority, view.age) == (Priority(stakes=100, urgency=50, reach=2, age=3), timedelta(days=3))
    assert (view.rulings, view.holding, view.comments, view.claimant) == ((), None, (), None)
    assert not view.stale


def test_sides_that_changed_places_keep_their_judgement(context: Context, judge: TableJudge) -> None:
    """An earlier reading turns up and exchanges the sides: the evidence is turned with them."""
    review_id = born(context, judge)
    submit([replace(PLACES[1], observed_at=day(-3), source=replace(PLACES[1].source, id="crm"))], context)
    view = Reviews(context).view(review_id)
    asked = view.queued.item
    assert (view.a.fact.id, view.b.fact.id) == (asked.a, asked.b)
    names = {GUARD.a: view.a.fact.content, GUARD.b: view.b.fact.content}
    assert view.judgement is not None
    (guard,) = view.judgement.guards
    assert guard.a in view.a.fact.content
    assert guard.b in view.b.fact.content
    assert len(names) == 2


def test_earlier_rulings_stay_in_view(context: Context, judge: TableJudge) -> None:
    """All are shown, oldest first; the newest that nobody took back is the one to undo."""
    review_id = born(context, judge)
    reviews = Reviews(context)
    reviews.rule(review_id, RulingKind.KEEP_A, reviewer="ada", reason="passport")
    first = reviews.view(review_id).holding
    assert first is not None
    assert first.reason == "passport"
    reviews.undo(first.id, reviewer="bob")
    reviews.rule(review_id, RulingKind.KEEP_B, reviewer="bob")
    view = reviews.view(review_id)
    assert [(r.kind, r.reviewer) for r in view.rulings] == [
        (RulingKind.KEEP_A, "ada"),
        (RulingKind.RETRACT, "bob"),
        (RulingKind.KEEP_B, "bob"),
    ]
    assert view.holding == view.rulings[-1]


def test_a_side_that_changed_is_told(context: Context, judge: TableJudge) -> None:
    """Until it is settled again the item is that of before; the view says that a side has moved on."""
    review_id = born(context, judge)
    fact_id = context.store.reviews("default")[0].a
    known = context.store.facts("default", [fact_id])[fact_id].sightings[0]
    unsure = replace(known, id="sight_unsure", record=replace(known.record, confidence=0.1))
    with context.store.writing("default") as tx:
        tx.arrive([unsure], {}, {})
    assert Reviews(context).view(review_id).stale


def test_some_items_are_viewed_together(context: Context, judge: TableJudge) -> None:
    """In the order asked for, each once, without those that are not there."""
    review_id = born(context, judge)
    views = Reviews(context).views(["rev_0", review_id, review_id])
    assert [view.queued.item.id for view in views] == [review_id]


def test_the_pages_of_one_reading_are_of_one_moment(context: Context, judge: TableJudge) -> None:
    """The place carries the moment, so that what ages meanwhile neither moves nor repeats."""
    texts = [f"The fee of desk {n} is {n}." for n in range(3)]
    others = [f"The fee of desk {n} is 9{n}." for n in range(3)]
    judge.table = {pair: verdict("contradiction", stakes="high") for pair in zip(texts, others, strict=True)}
    for n in range(3):
        submit(
            [make_record(texts[n], subject=f"d{n}", at=n), make_record(others[n], subject=f"d{n}", at=9)],
            context,
        )
    first = Reviews(context).page(limit=2)
    assert first.behind is not None
    assert (first.behind.moment, first.behind.priority) == (day(100), 152)
    later = Reviews(replace(context, clock=lambda: day(130)))
    second = later.page(limit=2, after=str(first.behind))
    assert second.behind is None
    assert {view.now for view in second.items} == {day(100)}
    read = [view.queued.item.id for view in (*first.items, *second.items)]
    assert read == sorted(item.id for item in context.store.reviews("default"))
    assert [view.priority.total for view in later.page().items] == [182] * 3
    nothing = later.page(QueueQuery(text="no such text"))
    assert (nothing.items, nothing.behind) == ((), None)
    assert later.page(after=str(Place(day(100), 0, ""))).items == ()
    assert later.counts().open == 3
