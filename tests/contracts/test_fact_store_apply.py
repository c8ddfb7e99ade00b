"""Settlements in a fact store: only changes are written, and what ended stays readable."""

from __future__ import annotations

from dataclasses import replace

import pytest

from arbiter.domain.evidence import Spend
from arbiter.domain.outcomes import FactState, Receipt
from arbiter.domain.vocabulary import Action, Outcome, Relation, Stakes, State, StateReason, Strategy
from arbiter.errors import NotFoundError
from arbiter.interchange.receipts import receipt_json
from arbiter.ports import FactStore
from tests.contracts.fact_store_cases import (
    HERE,
    active,
    apply,
    both_stay,
    decision,
    facts_in,
    review,
    ruling,
    settled,
)

A, B, C, D = "fact_a", "fact_b", "fact_c", "fact_d"
RETIRED = FactState(A, State.SUPERSEDED, StateReason.UPDATE, B, decision="dec_1")


def test_only_changed_states_are_returned(store: FactStore) -> None:
    """Applying returns what is other now, by fact id; applying again returns nothing."""
    first = settled(*active(B, A))
    assert apply(store, first) == active(A, B)
    assert apply(store, first) == []
    assert apply(store, settled(RETIRED, *active(B))) == [RETIRED]
    contested = replace(RETIRED, contested=True)
    assert apply(store, settled(contested, *active(B))) == [contested]
    assert store.states(HERE, [A, B, C]) == {A: contested, B: active(B)[0]}


def test_facts_are_listed_by_state(store: FactStore) -> None:
    """One state or all, oldest first; what was not settled yet has no state."""
    one, two, three, four = (fact.id for fact in facts_in(store, 4))
    held = FactState(two, State.PENDING, StateReason.UNJUDGED)
    apply(store, settled(*active(four, one), held))
    assert list(store.fact_ids(HERE, state=State.ACTIVE)) == [one, four]
    assert list(store.fact_ids(HERE, state=State.PENDING)) == [two]
    assert list(store.fact_ids(HERE, state=State.TOMBSTONED)) == []
    assert list(store.fact_ids(HERE)) == [one, two, three, four]


def test_every_field_of_a_decision_survives(store: FactStore) -> None:
    """What is read back equals what was decided, in either orientation."""
    full = decision(
        B,
        A,
        reason=StateReason.AUTHORITY,
        strategy=Strategy.AUTHORITY,
        stakes=Stakes.HIGH,
        judge="llm/x",
        scores={"challenger_votes": 0.1 + 0.2, "other_votes": 3.0},
        asks=True,
    )
    bare = both_stay(A, C, relation=Relation.UNRELATED)
    held = replace(bare, b=B, relation=None, action=Action.HOLD)
    apply(store, settled(*active(A, B, C), decisions=[full, bare, held]))
    assert [store.decision(HERE, d.id) for d in (full, bare, held)] == [full, bare, held]
    assert store.decisions(HERE, [B]) == [full, held]
    assert store.decisions(HERE, [C, B, A]) == [full, bare, held]
    assert store.decisions(HERE, [D]) == []


def test_a_decision_that_is_gone_stays_readable(store: FactStore) -> None:
    """What is no longer decided is not in force any more, yet can be looked up."""
    old, new = decision(A, B), decision(A, B, rule="r2")
    apply(store, settled(*active(A, B), decisions=[old]))
    apply(store, settled(*active(A, B), decisions=[new]))
    assert store.decisions(HERE, [A]) == [new]
    assert store.decision(HERE, old.id) == old
    with pytest.raises(NotFoundError, match="dec_unknown"):
        store.decision(HERE, "dec_unknown")


def test_the_same_decision_with_other_numbers_is_the_same(store: FactStore) -> None:
    """New scores are written where the decision stands; it does not come into force again."""
    early, late = decision(A, B, scores={"votes": 1.0}), decision(B, C)
    apply(store, settled(*active(A, B, C), decisions=[early, late]))
    again = replace(early, scores={"votes": 2.0})
    apply(store, settled(*active(A, B, C), decisions=[again, late]))
    assert store.decision(HERE, early.id) == again
    assert store.later_decisions(HERE, early.id) == [late]
    assert store.later_decisions(HERE, late.id) == []


def test_later_decisions_rest_on_an_earlier_one(store: FactStore) -> None:
    """Later, in force, retiring a fact, and about one of the two facts: only those."""
    base = decision(A, B)
    apply(store, settled(*active(A, B), decisions=[base]))
    kept = both_stay(B, D, relation=Relation.UPDATE)
    rests, ended = decision(B, C), decision(A, C)
    apply(store, settled(*active(A, B, C, D), decisions=[base, rests, ended, kept, decision(C, D)]))
    apply(store, settled(*active(A, B, C, D), decisions=[base, rests, kept, decision(C, D)]))
    assert store.later_decisions(HERE, base.id) == [rests]
    assert store.later_decisions(HERE, rests.id) == [decision(C, D)]
    with pytest.raises(NotFoundError):
        store.later_decisions(HERE, "dec_unknown")


def test_a_decision_that_returns_is_later_than_what_stayed(store: FactStore) -> None:
    """Coming into force again counts from then."""
    returns, stays = decision(A, B), decision(B, C)
    for decisions in ([returns, stays], [stays], [stays, returns]):
        apply(store, settled(*active(A, B, C), decisions=decisions))
    assert store.later_decisions(HERE, stays.id) == [returns]
    assert store.later_decisions(HERE, returns.id) == []
    assert store.decisions(HERE, [B]) == [stays, returns]


def test_a_settlement_ends_nothing_outside_itself(store: FactStore) -> None:
    """Facts that are apart are not settled together, so one of them alone says nothing of the pair."""
    far, apart, joined = decision(C, D), both_stay(A, B), decision(B, C)
    question = review(A, B, relation=Relation.COMPLEMENTARY, kind="stale_risk")
    asked = review(B, C)
    apply(
        store,
        settled(*active(A, B, C, D), decisions=[far, apart, joined], reviews=[question, asked]),
    )
    apply(store, settled(*active(B)))
    assert store.decisions(HERE, [A, B, C, D]) == [far, apart]
    assert store.reviews(HERE) == [question]
    apply(store, settled(*active(A, B)))
    assert store.decisions(HERE, [A, B, C, D]) == [far]
    assert store.reviews(HERE) == []


def test_reviews_are_most_urgent_first(store: FactStore) -> None:
    """Higher priority first, then by id; closed ones only when asked for."""
    items = [review(A, B, priority=10), review(A, C, priority=70), review(A, D, priority=10)]
    apply(store, settled(*active(A, B, C, D), reviews=items))
    by_id = sorted([items[0], items[2]], key=lambda item: item.id)
    assert store.reviews(HERE) == [items[1], *by_id]
    apply(store, settled(*active(A, B, C, D), reviews=by_id))
    assert store.reviews(HERE) == by_id
    assert store.reviews(HERE, open_only=False) == [items[1], *by_id]
    assert store.review(HERE, items[1].id) == (items[1], False)
    assert store.review(HERE, items[0].id) == (items[0], True)
    with pytest.raises(NotFoundError, match="rev_unknown"):
        store.review(HERE, "rev_unknown")


def test_a_review_item_is_kept_up_to_date_and_can_open_again(store: FactStore) -> None:
    """One pair is one item: it changes in place, closes, and opens with what is asked then."""
    first = review(B, A, stakes=Stakes.HIGH, proposal="both")
    apply(store, settled(*active(A, B), reviews=[first]))
    urgent = replace(first, priority=99, proposal=None, relation=None)
    apply(store, settled(*active(A, B), reviews=[urgent]))
    assert store.reviews(HERE) == [urgent]
    apply(store, settled(*active(A, B)))
    assert store.reviews(HERE) == []
    apply(store, settled(*active(A, B), reviews=[first]))
    assert store.review(HERE, first.id) == (first, True)


def test_rulings_are_kept_once_and_oldest_first(store: FactStore) -> None:
    """A ruling id that is known is left as it is; order is by the time of the ruling."""
    late = ruling(
        A, B, name="rul_1", at=5, relabel=Relation.UPDATE, reason="why", policy="p", decision="dec_1"
    )
    early = ruling(B, C, name="rul_2", at=1)
    with store.writing(HERE) as tx:
        for one in (late, early, replace(late, reason="other")):
            tx.ruled(one)
    assert store.rulings(HERE) == [early, late]


def test_receipts_are_kept_as_json(store: FactStore) -> None:
    """A stored receipt is what users get; the newest one of an id stays."""
    told = Receipt(3, HERE, Outcome.STORED, stored=True, fact_id=A, event_key="chat:1:x", state=State.ACTIVE)
    newer = replace(told, cost=Spend(llm_calls=1, usd=0.25))
    with store.writing(HERE) as tx:
        tx.receipts([told])
        tx.receipts([newer])
    assert newer.id == told.id
    assert store.receipt(HERE, told.id) == receipt_json(newer)
    with pytest.raises(NotFoundError, match="rcpt_unknown"):
        store.receipt(HERE, "rcpt_unknown")
