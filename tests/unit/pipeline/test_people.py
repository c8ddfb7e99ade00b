"""What people do: rule, take back, look back, forget, and try another policy."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from arbiter.domain.facts import Source
from arbiter.domain.policy import Policy
from arbiter.domain.vocabulary import Action, Mutability, Relation, RulingKind, SourceKind, State, StateReason
from arbiter.errors import (
    DependentDecisionError,
    NotFoundError,
    RequestError,
    StaleRulingError,
)
from arbiter.pipeline.compile import Compiled, compile_namespace, policy_diff
from arbiter.pipeline.context import Context
from arbiter.pipeline.read import as_of, erase, fading, list_facts, search, show
from arbiter.pipeline.review import undo
from arbiter.pipeline.reviews import Reviews
from arbiter.pipeline.submit import submit
from arbiter.testing import TableJudge
from tests.factories import THIRD, day, make_record, verdict

HAZARD = make_record("Allergic to penicillin.", subject="Rita")
ORDER = make_record("Prescribed amoxicillin.", subject="Rita", source="ward", kind=THIRD, ref="rx:1", at=1)
PRICES = [
    make_record(f"Water is {price} per m3.", subject="water", at=n) for n, price in enumerate((1, 2, 3))
]


def active(context: Context) -> list[str]:
    """Return the contents of the active facts, sorted."""
    return sorted(view.fact.content for view in list_facts("default", State.ACTIVE, context))


def a_contested_pair(context: Context, judge: TableJudge) -> str:
    """Submit a hazard and an order against it and return the review item's id."""
    judge.table = {(HAZARD.content, ORDER.content): verdict("contradiction", stakes="high")}
    submit([HAZARD, ORDER], context)
    return context.store.reviews("default")[0].id


def a_chain(context: Context, judge: TableJudge) -> list[str]:
    """Submit three prices that replace one another and return the ids of their decisions by age."""
    texts = [record.content for record in PRICES]
    judge.table = {(a, b): verdict("update") for a in texts for b in texts if a < b}
    receipts = [submit([record], context)[0] for record in PRICES]
    return [decision.id for receipt in receipts for decision in receipt.decisions if decision.loser]


def test_a_ruling_settles_and_survives_every_compile(context: Context, judge: TableJudge) -> None:
    """The order is ruled out; nothing is asked again, by compiles or by a second scan."""
    review_id = a_contested_pair(context, judge)
    changed = Reviews(context).rule(review_id, RulingKind.KEEP_A, reviewer="ada", reason="checked")
    assert {(s.state, s.reason, s.contested) for s in changed} == {
        (State.ACTIVE, None, False),
        (State.TOMBSTONED, StateReason.RULING, False),
    }
    assert active(context) == [HAZARD.content]
    assert context.store.reviews("default") == []
    assert compile_namespace("default", context) == Compiled()
    context.store.rebuild_views("default")
    compile_namespace("default", context)
    submit([ORDER, HAZARD], context)
    assert (active(context), context.store.reviews("default")) == ([HAZARD.content], [])
    ruling = context.store.rulings("default")[0]
    assert (ruling.kind, ruling.reviewer, ruling.reason) == (RulingKind.KEEP_A, "ada", "checked")
    assert (ruling.at, ruling.policy) == (day(100), context.policy.digest)


def test_a_settled_item_cannot_be_ruled_again(context: Context, judge: TableJudge) -> None:
    """The second reviewer hears that it is settled, and nothing changes."""
    review_id = a_contested_pair(context, judge)
    Reviews(context).rule(review_id, RulingKind.KEEP_A, reviewer="ada")
    with pytest.raises(StaleRulingError, match="no longer open"):
        Reviews(context).rule(review_id, RulingKind.KEEP_B, reviewer="bob")
    assert active(context) == [HAZARD.content]


def test_a_ruling_on_changed_text_is_refused(context: Context, judge: TableJudge) -> None:
    """The order was edited at its source after it was shown: look at the new pair."""
    review_id = a_contested_pair(context, judge)
    edited = make_record(
        "Prescribed azithromycin.", subject="Rita", source="ward", kind=THIRD, ref="rx:1", at=2
    )
    judge.table = dict(judge.table) | {(ORDER.content, edited.content): verdict("update")}
    submit([edited], context)
    with pytest.raises(StaleRulingError, match="no longer open"):
        Reviews(context).rule(review_id, RulingKind.KEEP_B, reviewer="ada")
    assert active(context) == [HAZARD.content, edited.content]


def test_a_ruling_on_what_is_known_otherwise_is_refused(context: Context, judge: TableJudge) -> None:
    """The words are the same but a source is less sure now: the digests that were seen are stale."""
    review_id = a_contested_pair(context, judge)
    item = context.store.review("default", review_id)[0]
    seen = (item.digest_a, item.digest_b)
    submit([replace(HAZARD, confidence=0.3)], context)
    with pytest.raises(StaleRulingError, match="changed since it was shown"):
        Reviews(context).rule(review_id, RulingKind.KEEP_A, reviewer="ada", seen=seen)
    Reviews(context).rule(review_id, RulingKind.KEEP_A, reviewer="ada")
    assert active(context) == [HAZARD.content]


def test_a_relabel_names_a_relation(context: Context, judge: TableJudge) -> None:
    """A relabel without a relation is refused; with one the pair follows the rule for it."""
    review_id = a_contested_pair(context, judge)
    with pytest.raises(RequestError, match="a relabel needs a relation"):
        Reviews(context).rule(review_id, RulingKind.RELABEL, reviewer="ada")
    Reviews(context).rule(review_id, RulingKind.RELABEL, reviewer="ada", relabel=Relation.COMPLEMENTARY)
    assert active(context) == [HAZARD.content, ORDER.content]
    assert context.store.reviews("default") == []


def test_unknown_ids_are_not_found(context: Context) -> None:
    """Items, decisions and facts of nowhere raise, naming nothing of others."""
    with pytest.raises(NotFoundError):
        Reviews(context).rule("rev_none", RulingKind.KEEP_A, reviewer="ada")
    with pytest.raises(NotFoundError):
        undo("default", "dec_none", "ada", context)
    with pytest.raises(NotFoundError):
        erase("default", "fact_none", context)


def test_an_undo_brings_the_loser_back(context: Context, judge: TableJudge) -> None:
    """The decision that retired the second price is taken back: both last prices are read."""
    a_chain(context, judge)
    second = next(v for v in list_facts("default", None, context) if v.fact.content == PRICES[1].content)
    changed = undo("default", second.state.decision or "", "ada", context)
    assert [(s.fact_id, s.state) for s in changed] == [(second.fact.id, State.ACTIVE)]
    assert active(context) == [PRICES[1].content, PRICES[2].content]


def test_an_undo_again_changes_nothing(context: Context, judge: TableJudge) -> None:
    """Who did not hear that it was done asks again: nothing is written, with others or without."""
    decisions = a_chain(context, judge)
    undo("default", decisions[0], "ada", context, cascade=True)
    rulings = context.store.rulings("default")
    assert undo("default", decisions[0], "ada", context) == []
    assert undo("default", decisions[0], "bob", context, cascade=True) == []
    assert context.store.rulings("default") == rulings
    assert active(context) == [record.content for record in PRICES]


def test_an_undo_that_others_rest_on_is_refused_or_taken_together(
    context: Context, judge: TableJudge
) -> None:
    """The first decision cannot be taken back alone; the error names those that came later."""
    decisions = a_chain(context, judge)
    with pytest.raises(DependentDecisionError, match="came later and rest on it") as caught:
        undo("default", decisions[0], "ada", context)
    assert set(caught.value.dependents) == set(decisions[1:])
    assert active(context) == [PRICES[2].content]
    undo("default", decisions[0], "ada", context, cascade=True)
    assert active(context) == [record.content for record in PRICES]


def test_as_of_reads_what_had_been_observed(context: Context, judge: TableJudge) -> None:
    """On the second day only two prices had been seen, and the second was current."""
    a_chain(context, judge)
    views = as_of("default", day(1.5), context)
    assert [(v.fact.content, v.state.state) for v in views] == [
        (PRICES[0].content, State.SUPERSEDED),
        (PRICES[1].content, State.ACTIVE),
    ]


def test_search_returns_current_facts_only(context: Context, judge: TableJudge) -> None:
    """The closest text is superseded, so the current one is returned; expired ones are left out."""
    a_chain(context, judge)
    submit(
        [make_record("Water was off.", subject="water", valid_from=day(3), valid_to=day(4), at=3)], context
    )
    hits = search("default", PRICES[0].content, 5, context)
    assert [hit.fact.content for hit in hits] == [PRICES[2].content]
    assert hits[0].similarity == pytest.approx(0.8, abs=0.1)


def test_erasure_takes_the_text_and_keeps_the_outcome(context: Context, judge: TableJudge) -> None:
    """The current price is forgotten: no text, not found, and the older ones stay superseded."""
    a_chain(context, judge)
    fact_id = next(v.fact.id for v in list_facts("default", State.ACTIVE, context))
    erase("default", fact_id, context)
    view = show("default", fact_id, context)
    assert (view.fact.content, view.fact.erased) == ("", True)
    assert (view.state.state, view.state.reason) == (State.TOMBSTONED, StateReason.ERASED)
    assert (active(context), search("default", "Water", 5, context)) == ([], [])
    assert compile_namespace("default", context) == Compiled()
    again = submit([PRICES[2], replace(PRICES[2], source=Source("chat:2", SourceKind.USER_STATED))], context)
    assert [(r.outcome, r.stored, r.reason and r.reason.code) for r in again] == [
        ("unchanged", False, "erased")
    ] * 2


def test_a_policy_diff_lists_the_flips_and_asks_nobody(context: Context, judge: TableJudge) -> None:
    """Under a policy that reviews every change, the two superseded prices would be read again."""
    a_chain(context, judge)
    asked = list(judge.asked)
    rules = tuple(
        replace(rule, action=Action.REVIEW, strategy=None) if rule.id == "change" else rule
        for rule in context.policy.rules
    )
    careful: Policy = replace(context.policy, rules=rules)
    flips = policy_diff("default", careful, context)
    told = {(f.content, f.before.state, f.after.state, f.after.contested) for f in flips}
    assert told == {
        (PRICES[0].content, State.SUPERSEDED, State.ACTIVE, True),
        (PRICES[1].content, State.SUPERSEDED, State.ACTIVE, True),
        (PRICES[2].content, State.ACTIVE, State.ACTIVE, True),
    }
    assert judge.asked == asked
    assert policy_diff("default", context.policy, context) == []
    assert active(context) == [PRICES[2].content]


def test_facts_fade_when_they_are_no_longer_said(context: Context) -> None:
    """Unseen for longer than the policy allows, or dropped by a source that speaks on; births never fade."""
    quick = replace(context, policy=replace(context.policy, unseen_after=timedelta(days=30)))
    born = make_record("Rita was born in Bath.", subject="Rita", mutability=Mutability.IMMUTABLE)
    submit(
        [
            born,
            make_record("Starred acme/x", source="stars", at=40),
            make_record("Starred acme/y", source="stars", at=80),
            make_record("Starred acme/x", source="mirror", at=80),
        ],
        quick,
    )
    told = [(item.fact.content, item.silent_sources) for item in fading("default", quick)]
    assert told == [("Starred acme/x", ("stars",))]
    later = replace(quick, clock=lambda: day(120))
    assert {item.fact.content for item in fading("default", later)} == {"Starred acme/x", "Starred acme/y"}
