"""Many answers at once come to the same as one after the other."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from datetime import timedelta
from random import Random

import pytest

from arbiter.api import Arbiter
from arbiter.domain.evidence import JudgedPair, Unjudged
from arbiter.domain.facts import Fact
from arbiter.domain.outcomes import ReviewItem, Ruling
from arbiter.domain.review_answer import Answer, Ruled
from arbiter.domain.review_queue import Queued
from arbiter.domain.vocabulary import Relation, RulingKind
from arbiter.errors import ArbiterError, ClaimedError, NotFoundError, RequestError, StaleRulingError
from arbiter.pipeline import review_batch
from arbiter.pipeline.review_batch import Given, Outcome
from arbiter.settings import Settings
from tests.factories import make_fact, pair
from tests.stored import keep

KINDS = tuple(
    kind for kind in RulingKind if kind not in (RulingKind.MERGE, RulingKind.UNDO, RulingKind.RETRACT)
)
NAMES = "ABCDEFGHKJ"
FACTS = {name: make_fact(f"The door of {name} is shut.", at=place) for place, name in enumerate(NAMES)}
A, B, C, D, E, F, G, H, K, J = FACTS.values()
JUDGED = (
    # A chain, in which what becomes of one pair changes what is asked of the next.
    pair(A, B, "contradiction", confidence=0.5),
    pair(B, C, "contradiction", confidence=0.5),
    pair(C, D, "update", confidence=0.3),
    # A pair by itself, one that nobody could judge beside another, and a doubt between two pairs.
    pair(E, F, "contradiction", stakes="high"),
    JudgedPair(F.id, G.id, Unjudged("judge_unavailable", "down", retryable=True)),
    pair(H, K, "duplicate", confidence=0.4),
    pair(G, H, "complementary", stale_risk="a"),
    pair(K, J, "complementary"),
    pair(A, J, "unrelated"),
)


@pytest.fixture
def doors() -> Iterator[list[Arbiter]]:
    """Yield two stores that ask the same."""
    with ExitStack() as stack:
        made = [stack.enter_context(Arbiter.open(":memory:", Settings(judge="none"))) for _ in range(2)]
        for arbiter in made:
            keep(arbiter, list(FACTS.values()), JUDGED)
        yield made


def always(answer: Answer) -> review_batch.Giving:
    """Return what gives this answer to whatever is asked."""
    return lambda _queued, _holding: answer


def one_by_one(arbiter: Arbiter, given: list[tuple[str, Answer]]) -> list[Outcome]:
    """Answer one after the other."""
    outcomes: list[Outcome] = []
    for review_id, answer in given:
        try:
            outcomes.append(arbiter.review.answer(review_id, answer))
        except ArbiterError as error:
            outcomes.append(error)
    return outcomes


def told(outcomes: list[Outcome]) -> list[object]:
    """Return what became of each: the changed states, or the error."""
    return [
        {(s.fact_id, s.state, s.reason, s.contested) for s in outcome.changed}
        if isinstance(outcome, Ruled)
        else (type(outcome), outcome.message.partition(" until ")[0] if outcome else None)
        for outcome in outcomes
    ]


def stand(arbiter: Arbiter) -> tuple[object, ...]:
    """Return everything that answers change: states, open questions, rulings, claims."""
    facts = {view.fact.id: view.state for view in arbiter.facts(state=None)}
    queue = [view.queued for view in arbiter.review.page().items]
    rulings = [(r.a, r.b, r.kind, r.relabel, r.reviewer) for r in arbiter.context.store.rulings("default")]
    return (
        {
            fact_id: (state.state, state.reason, state.successor, state.contested)
            for fact_id, state in facts.items()
        },
        [(found.item.id, found.work.claimed_by) for found in queue],
        sorted(rulings, key=str),
    )


@pytest.mark.parametrize("seed", range(12))
def test_a_batch_is_the_same_as_one_after_the_other(doors: list[Arbiter], seed: int) -> None:
    """The same outcomes and the same store, also where answers bear on one another or are refused."""
    first, second = doors
    random = Random(seed)
    items = first.review.items()
    assert [item.id for item in items] == [item.id for item in second.review.items()]
    for arbiter in doors:
        arbiter.review.claim(items[seed % len(items)].id, reviewer="kim", lasting=timedelta(hours=1))
    given = [answer_of(random, random.choice(items)) for _ in range(14)]
    alone = one_by_one(first, given)
    together = second.review.answer_all([(review_id, always(answer)) for review_id, answer in given])
    assert told(together) == told(alone)
    assert stand(second) == stand(first)
    assert any(isinstance(outcome, Ruled) for outcome in alone)
    assert any(isinstance(outcome, StaleRulingError) for outcome in alone)


def answer_of(random: Random, item: ReviewItem) -> tuple[str, Answer]:
    """Return some answer to an item."""
    kind = random.choice(KINDS)
    relabel = random.choice(list(Relation)) if kind is RulingKind.RELABEL else None
    seen = random.choice([None, None, None, (item.digest_a, "another")])
    return item.id, Answer(kind, random.choice(["kim", "lee"]), relabel=relabel, reason="why", seen=seen)


def item_of(arbiter: Arbiter, a: Fact, b: Fact) -> str:
    """Return the id of the question about two facts."""
    (found,) = (item.id for item in arbiter.review.items() if {item.a, item.b} == {a.id, b.id})
    return found


def test_each_answer_is_checked_by_itself(doors: list[Arbiter]) -> None:
    """What is refused says why and harms no other; what says nothing does nothing."""
    arbiter, _ = doors
    keeping = Answer(RulingKind.KEEP_A, "kim")
    arbiter.review.claim(item_of(arbiter, H, K), reviewer="lee", lasting=timedelta(hours=1))
    outcomes = arbiter.review.answer_all(
        [
            (item_of(arbiter, A, B), always(keeping)),
            ("rev_unknown", always(keeping)),
            (item_of(arbiter, E, F), always(Answer(RulingKind.SKIP, "kim"))),
            (item_of(arbiter, E, F), lambda _queued, _holding: None),
            (item_of(arbiter, H, K), always(keeping)),
            (item_of(arbiter, E, F), always(Answer(RulingKind.MERGE, "kim", text="Shut."))),
            (item_of(arbiter, E, F), always(replace(keeping, seen=("x", "y")))),
        ]
    )
    assert [type(outcome) for outcome in outcomes] == [
        Ruled,
        NotFoundError,
        RequestError,
        type(None),
        ClaimedError,
        RequestError,
        StaleRulingError,
    ]
    assert [(r.a, r.kind) for r in arbiter.context.store.rulings("default")] == [(A.id, RulingKind.KEEP_A)]


def test_what_is_asked_is_shown_as_it_stands(doors: list[Arbiter]) -> None:
    """A later answer to the same question sees the ruling of the earlier one."""
    arbiter, _ = doors
    met: list[tuple[bool, str | None]] = []

    def look(queued: Queued, holding: Ruling | None) -> Answer | None:
        met.append((queued.status == "open", holding.reviewer if holding else None))
        return Answer(RulingKind.SKIP, "kim", reason="why") if holding is None else None

    given: list[Given] = [(item_of(arbiter, E, F), look)] * 2
    ruled, nothing = arbiter.review.answer_all(given)
    assert isinstance(ruled, Ruled)
    assert nothing is None
    assert met == [(True, None), (False, "kim")]
    assert arbiter.review.answer_all([]) == []
