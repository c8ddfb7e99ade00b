"""Merging two facts into one text: checked, judged, surviving compiles, and taken back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import pytest

from arbiter.domain.evidence import Judgement, RecordPair, Spend
from arbiter.domain.facts import Record
from arbiter.domain.review_answer import Answer, Ruled
from arbiter.domain.review_queue import ReviewStatus
from arbiter.domain.vocabulary import RulingKind, SourceKind, State, StateReason
from arbiter.errors import (
    DependentDecisionError,
    RequestError,
    StaleRulingError,
    UnconfirmedTextError,
)
from arbiter.pipeline.compile import Compiled, compile_namespace
from arbiter.pipeline.context import Context
from arbiter.pipeline.read import as_of, erase, list_facts, search, show
from arbiter.pipeline.review import undo
from arbiter.pipeline.reviews import Reviews
from arbiter.pipeline.submit import submit
from arbiter.testing import NoGuard, TableJudge
from tests.factories import THIRD, day, make_record, verdict
from tests.unit.pipeline.conftest import DOWN, FailsOn, with_embedder

TEN = make_record("Water is 10 per m3.", subject="water", source="crm", kind=THIRD, at=1)
TWELVE = make_record("Water is 12 per m3.", subject="water", source="web", kind=THIRD, at=2)
TEXT = "Water is 10 per m3, at night 12."


@dataclass(frozen=True)
class NamesGuard(NoGuard):
    """A guard that finds words of a proposal that it was told to look for, unless a side has them."""

    words: Sequence[str]

    def invented(self, proposal: str, a: Record, b: Record) -> tuple[str, ...]:
        """Return the words that only the proposal has."""
        return tuple(w for w in self.words if w in proposal and w not in a.content + b.content)


class Dies(TableJudge):
    """A judge at whose feet the process is killed."""

    def judge(self, pairs: Sequence[RecordPair]) -> tuple[list[Judgement], Spend]:
        """Give up everything."""
        raise KeyboardInterrupt(pairs)


def asked(context: Context, judge: TableJudge) -> str:
    """Submit two prices in conflict and return the id of the question."""
    judge.table = {(TEN.content, TWELVE.content): verdict("contradiction", stakes="high")}
    submit([TEN, TWELVE], context)
    return context.store.reviews("default")[0].id


def merged(
    context: Context, review_id: str, text: str = TEXT, *, by: str = "ada", confirmed: bool = False
) -> Ruled:
    """Let a reviewer merge both sides of a question into a text."""
    answer = Answer(RulingKind.MERGE, by, text=text, confirmed=confirmed, reason="both tariffs")
    return Reviews(context).answer(review_id, answer)


def stands(context: Context) -> dict[str, tuple[str, str | None]]:
    """Return state and reason of every fact by content."""
    views = list_facts("default", None, context)
    return {v.fact.content: (v.state.state.value, v.state.reason and v.state.reason.value) for v in views}


MERGED = {
    TEN.content: ("superseded", "ruling"),
    TWELVE.content: ("superseded", "ruling"),
    TEXT: ("active", None),
}


def test_the_text_becomes_a_fact_that_stands_for_both(context: Context, judge: TableJudge) -> None:
    """It is told by its reviewer, found by search, and both old facts lead to it."""
    ruled = merged(context, asked(context, judge))
    assert stands(context) == MERGED
    view = show("default", ruled.ruling.merged or "", context)
    (sighting,) = view.fact.sightings
    assert (sighting.source.id, sighting.source.kind) == ("reviewer:ada", SourceKind.THIRD_PARTY)
    assert (sighting.id, sighting.first_seen) == (ruled.ruling.sighting, day(2))
    successors = {state.fact_id: state.successor for state in ruled.changed if state.successor}
    assert successors == dict.fromkeys(ruled.ruling.key, view.fact.id)
    assert [hit.fact.content for hit in search("default", TEXT, 5, context)] == [TEXT]
    assert (ruled.ruling.reason, ruled.ruling.policy) == ("both tariffs", context.policy.digest)
    assert context.store.reviews("default") == []


def test_a_merge_survives_compiles_and_new_scans(context: Context, judge: TableJudge) -> None:
    """Compiling changes nothing, from scratch gives the same, and nothing is asked when all is sent again."""
    merged(context, asked(context, judge))
    states = dict(context.store.states("default", context.store.fact_ids("default")))
    assert compile_namespace("default", context) == Compiled()
    context.store.rebuild_views("default")
    compile_namespace("default", context)
    assert context.store.states("default", context.store.fact_ids("default")) == states
    submit([TWELVE, TEN], context)
    assert (stands(context), context.store.reviews("default")) == (MERGED, [])


def test_the_same_merge_again_changes_nothing(context: Context, judge: TableJudge) -> None:
    """A reviewer whose answer was lost gets the same ruling; another text or another reviewer is too late."""
    review_id = asked(context, judge)
    first = merged(context, review_id)
    again = merged(context, review_id, TEXT.upper())
    assert (again.ruling, again.changed) == (first.ruling, ())
    assert len(context.store.rulings("default")) == 1
    assert len(list(context.store.fact_ids("default"))) == 3
    for text, by in (("Water is 10 or 12.", "ada"), (TEXT, "bob")):
        with pytest.raises(StaleRulingError, match="no longer open"):
            merged(context, review_id, text, by=by)
    assert stands(context) == MERGED


def test_the_same_merge_again_finishes_what_was_interrupted(context: Context, judge: TableJudge) -> None:
    """The process died before the text was judged: to ask again, a while later, judges it."""
    review_id = asked(context, judge)
    answer = Answer(RulingKind.MERGE, "ada", text=TEXT, reason="both tariffs")
    with pytest.raises(KeyboardInterrupt):
        Reviews(replace(context, judge=Dies())).answer(review_id, answer)
    (left,) = context.store.unfinished("default")
    soon, later = (replace(context, clock=lambda at=at: at) for at in (day(100), day(101)))
    merged(soon, review_id)
    assert context.store.unfinished("default") == [left]
    merged(later, review_id)
    assert context.store.unfinished("default") == []
    assert (stands(context), len(context.store.rulings("default"))) == (MERGED, 1)
    assert compile_namespace("default", context) == Compiled()


def test_what_neither_side_names_must_be_confirmed(context: Context, judge: TableJudge) -> None:
    """The text is refused with what it invents, and nothing is stored, until the reviewer confirms it."""
    careful = replace(context, guard=NamesGuard(["15", "12", "Bonn"]))
    review_id = asked(careful, judge)
    text = "Water is 12 per m3, in Bonn 15."
    with pytest.raises(UnconfirmedTextError, match="neither side has 15, Bonn") as caught:
        merged(careful, review_id, text)
    assert (caught.value.invented, caught.value.field) == (("15", "Bonn"), "text")
    assert len(list(context.store.fact_ids("default"))) == 2
    merged(careful, review_id, text, confirmed=True)
    assert stands(context)[text] == ("active", None)


def test_a_text_may_name_what_both_are_about(context: Context, judge: TableJudge) -> None:
    """The subject is known of a fact beside its words."""
    careful = replace(context, guard=NamesGuard(["water", "15"]))
    merged(careful, asked(careful, judge), "It is 10 per m3 of water, at night 12.")
    assert stands(context)["It is 10 per m3 of water, at night 12."] == ("active", None)


def test_the_text_is_judged_like_any_fact(context: Context, judge: TableJudge) -> None:
    """What it contradicts is found at once, and both are asked about."""
    free = make_record("Water is free.", subject="water", source="blog", at=3)
    submit([free], context)
    review_id = asked(context, judge)
    judge.table = dict(judge.table) | {(TEXT, free.content): verdict("contradiction", stakes="high")}
    ruled = merged(context, review_id)
    (item,) = context.store.reviews("default")
    assert ruled.ruling.merged in (item.a, item.b)
    assert [s.contested for s in ruled.changed if s.fact_id == ruled.ruling.merged] == [True]


def test_a_text_that_cannot_be_judged_or_embedded_yet_is_kept(context: Context, judge: TableJudge) -> None:
    """The merge stands at once; a compile finishes what was left."""
    embedder = FailsOn("night")
    broken = with_embedder(context, embedder)
    review_id = asked(broken, judge)
    ruled = merged(broken, review_id)
    assert stands(broken) == MERGED
    assert context.store.unfinished("default") == [ruled.ruling.merged]
    embedder.broken = False
    judge.otherwise = DOWN
    assert compile_namespace("default", broken).resumed == 1
    assert (context.store.unfinished("default"), stands(broken)) == ([], MERGED)


def test_an_undone_ruling_was_never_made(context: Context, judge: TableJudge) -> None:
    """The text is withdrawn, the question is open again, and other rulings are possible."""
    review_id = asked(context, judge)
    before = stands(context)
    ruled = merged(context, review_id)
    back = Reviews(context).undo(ruled.ruling.id, reviewer="bob")
    assert stands(context) == before | {TEXT: ("tombstoned", "withdrawn")}
    assert {state.fact_id for state in back.changed} == ruled.ruling.facts
    assert [item.id for item in context.store.reviews("default")] == [review_id]
    assert (back.ruling.kind, back.ruling.retracts) == (RulingKind.RETRACT, ruled.ruling.id)
    with pytest.raises(StaleRulingError, match="does not hold any more"):
        Reviews(context).undo(ruled.ruling.id, reviewer="bob")
    merged(context, review_id)
    assert stands(context) == MERGED
    assert len(list(context.store.fact_ids("default"))) == 3


def test_an_undone_decision_leaves_both_and_asks_no_more(context: Context, judge: TableJudge) -> None:
    """Taking back what the merge decided keeps both facts; that is a ruling, too."""
    review_id = asked(context, judge)
    merged(context, review_id)
    decision = next(
        d for d in context.store.decisions("default", context.store.fact_ids("default")) if d.loser
    )
    undo("default", decision.id, "bob", context)
    assert stands(context)[TEXT] == ("tombstoned", "withdrawn")
    assert [stands(context)[r.content] for r in (TEN, TWELVE)] == [("active", None)] * 2
    assert context.store.reviews("default") == []


def test_a_merge_that_others_rest_on_is_undone_with_them(context: Context, judge: TableJudge) -> None:
    """The text was merged on: alone the first merge cannot be taken back, together both are gone."""
    first = merged(context, asked(context, judge))
    sunday = make_record("Water is free on Sundays.", subject="water", source="leaflet", at=3)
    judge.table = dict(judge.table) | {(TEXT, sunday.content): verdict("contradiction", stakes="high")}
    submit([sunday], context)
    (item,) = context.store.reviews("default")
    merged(context, item.id, "Water is 10 per m3, at night 12, on Sundays free.")
    with pytest.raises(DependentDecisionError, match="ruling-merge") as caught:
        Reviews(context).undo(first.ruling.id, reviewer="ada")
    assert len(caught.value.dependents) == 1
    Reviews(context).undo(first.ruling.id, reviewer="ada", cascade=True)
    active = [content for content, state in stands(context).items() if state == ("active", None)]
    assert sorted(active) == sorted([TEN.content, TWELVE.content, sunday.content])


def test_what_was_erased_is_not_written_again(context: Context, judge: TableJudge) -> None:
    """A text that was forgotten cannot come back by a merge; an erased text goes on standing for both."""
    review_id = asked(context, judge)
    ruled = merged(context, review_id)
    erase("default", ruled.ruling.merged or "", context)
    states = context.store.states("default", ruled.ruling.key)
    assert {(s.state, s.reason, s.successor) for s in states.values()} == {
        (State.SUPERSEDED, StateReason.RULING, ruled.ruling.merged)
    }
    Reviews(context).undo(ruled.ruling.id, reviewer="ada")
    with pytest.raises(RequestError, match="was erased"):
        merged(context, review_id)
    found = context.store.queued("default", [review_id])[review_id]
    assert found.status is ReviewStatus.OPEN


def test_the_past_does_not_know_the_text(context: Context, judge: TableJudge) -> None:
    """Before the ruling only the two facts had been there, though the text is dated like them."""
    merged(context, asked(context, judge))
    then = [(v.fact.content, v.state.contested) for v in as_of("default", day(99), context)]
    assert then == [(TEN.content, True), (TWELVE.content, True)]
    now = {v.fact.content: v.state.state for v in as_of("default", day(101), context)}
    assert now == {TEN.content: State.SUPERSEDED, TWELVE.content: State.SUPERSEDED, TEXT: State.ACTIVE}
