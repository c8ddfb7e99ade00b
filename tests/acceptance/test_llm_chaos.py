"""A seeded mix of everything that a language model can do wrong, over many submissions.

Nothing wrong is kept while it lasts, nothing hangs, no ceiling is passed; and once the model is well again,
the store ends as one that has never seen a fault.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import pytest

from arbiter import Arbiter
from arbiter.adapters.litellm_client import LitellmClient
from arbiter.adapters.prompts import load
from arbiter.domain.evidence import JudgedPair, Unjudged, Verdict
from arbiter.domain.outcomes import Receipt
from arbiter.domain.vocabulary import Outcome
from arbiter.judges.budget import CostLedger
from arbiter.judges.cascade import CascadeJudge
from arbiter.judges.exact import ExactJudge
from arbiter.judges.llm import LlmJudge
from tests.acceptance.bench import Bench, bench
from tests.acceptance.chaos_model import FAULTS, WorstDays
from tests.acceptance.chaos_world import ORDERS, World, planted
from tests.acceptance.databases import SERVER
from tests.chat import item, reply
from tests.scripted_server import Answer, Request

# litellm and pydantic silence these themselves; pytest's own filters undo that.
pytestmark = [
    pytest.mark.filterwarnings("ignore:.*`ReadOnly` qualifier:UserWarning"),
    pytest.mark.filterwarnings("ignore:Pydantic serializer warnings:UserWarning"),
]
USD_IN, USD_OUT = 2.0, 8.0
DEADLINE_S, REQUEST_S = 3.0, 0.25
KEPT = {Outcome.STORED, Outcome.UNCHANGED, Outcome.MERGED, Outcome.HELD}


@dataclass
class Chaos:
    """A store whose model fails by a script, and what the client was made to wait."""

    on: Bench
    days: WorstDays
    world: World
    waits: list[float] = field(default_factory=list)

    def arbiter(
        self, budget: CostLedger | None = None, deadline_s: float = DEADLINE_S, request_s: float = REQUEST_S
    ) -> Arbiter:
        """Return an arbiter on the store that asks the model and nobody else, and does not really wait."""
        client = LitellmClient(
            "openai/scripted",
            api_base=self.on.server.api_base,
            api_key="none",
            max_attempts=2,
            request_timeout_s=request_s,
            usd_per_million=(USD_IN, USD_OUT),
            sleep=self.waits.append,
        )
        judge = LlmJudge(client, load("relation.v2"), budget=budget, pairs_per_call=4, deadline_s=deadline_s)
        least = self.on.arbiter.context.policy.least_confidence
        return self.on.using(judge=CascadeJudge([ExactJudge(), judge], least))

    def live_through(self, number: int, arbiter: Arbiter) -> None:
        """Submit everything; now and then ask again and derive states anew, while the model still fails."""
        for place, batch in enumerate(self.world.submissions(number)):
            receipts = arbiter.submit(batch)
            assert {receipt.outcome for receipt in receipts} <= KEPT
            assert all(self.is_true(receipt) for receipt in receipts)
            if place % 7 == 3:
                self.later()
                arbiter.retry(at_once=True)
            if place % 20 == 11:
                arbiter.compile(namespace=batch[0]["namespace"])

    def patient(self) -> Arbiter:
        """Return an arbiter that a busy machine does not make give up."""
        return self.arbiter(deadline_s=120, request_s=60)

    def later(self) -> None:
        """Let a day go by."""
        self.on.clock.now += timedelta(days=1)

    def is_true(self, receipt: Receipt) -> bool:
        """Does a receipt tell nothing but what an honest model would say, and what none was there to say?"""
        assert receipt.fact_id is not None
        pairs = self.on.arbiter.context.store.verdicts(
            receipt.namespace, [_key(receipt.fact_id, found.fact_id) for found in receipt.relations]
        )
        return all(map(self._is_true, [receipt.namespace] * len(pairs), pairs.values()))

    def _is_true(self, namespace: str, pair: JudgedPair) -> bool:
        found = pair.judgement
        if isinstance(found, Unjudged):
            return True
        facts = self.on.arbiter.context.store.facts(namespace, [pair.a, pair.b])
        said = self.world.verdict(1, facts[pair.a].content, facts[pair.b].content)
        return (found.relation, found.current, found.confidence) == (
            said["relation"],
            said["current"],
            said["confidence"],
        )

    def recover(self) -> None:
        """Let the model be well, and do what is done then: ask again, and derive what had been given up."""
        self.days.share = 0
        arbiter = self.patient()
        while arbiter.retry(at_once=True).waiting:
            self.later()
        arbiter.compile()
        again = arbiter.compile(from_scratch=True)
        assert (again.created, again.changed, again.retried, again.held) == (0, 0, 0, 0)

    def picture(self) -> dict[str, Any]:
        """Return everything that is told of every namespace, in words."""
        return {namespace: _picture(self.on.arbiter, namespace) for namespace in self.world.namespaces}


def _key(one: str, other: str) -> tuple[str, str]:
    return (one, other) if one < other else (other, one)


def _picture(arbiter: Arbiter, namespace: str) -> tuple[object, ...]:
    """Return states, decisions, questions and what is left to do.

    Which side of a pair comes first is not among it: that is told as it was when the pair was judged.
    """
    store = arbiter.context.store
    views = list(arbiter.facts(namespace=namespace, state=None))
    said = {view.fact.id: view.fact.content for view in views} | {None: None}
    states = {
        view.fact.content: (
            view.state.state,
            view.state.reason,
            said[view.state.successor],
            view.state.contested,
            view.fact.seen_count,
        )
        for view in views
    }
    decisions = {
        (frozenset((said[d.a], said[d.b])), d.action, d.rule, said[d.winner], said[d.loser], d.relation)
        for d in store.decisions(namespace, [view.fact.id for view in views])
    }
    reviews = {
        (frozenset((said[r.a], said[r.b])), r.kind, r.rule, r.question) for r in store.reviews(namespace)
    }
    left = store.retryable(namespace), store.unjudged(namespace), store.unfinished(namespace)
    return states, decisions, reviews, left


@pytest.fixture
def submissions(request: pytest.FixtureRequest) -> int:
    """Return how much to submit."""
    count: int = request.config.getoption("--submissions")
    return count


@functools.cache
def untroubled(submissions: int) -> dict[str, Any]:
    """Return what becomes of everything where nothing goes wrong, in a file."""
    world = World(seed=1)
    days = WorstDays(world, share=0)
    token = SERVER.set(None)
    try:
        with bench(script=days) as on:
            chaos = Chaos(on, days, world)
            chaos.live_through(submissions, chaos.patient())
            assert set(days.met) == {"none"}
            return chaos.picture()
    finally:
        SERVER.reset(token)


def test_after_the_worst_days_all_is_as_if_nothing_had_been(submissions: int) -> None:
    """Every fact, state, decision and question; on the way not one verdict that the model did not mean."""
    world = World(seed=1)
    days = WorstDays(world, share=0.7)
    with bench(script=days) as on:
        chaos = Chaos(on, days, world)
        chaos.live_through(submissions, chaos.arbiter())
        held = on.arbiter.retry().waiting
        chaos.recover()
        assert chaos.picture() == untroubled(submissions)
        assert on.server.gave_up(days.met["silence"])
    assert held > 0
    assert all(0 <= wait < DEADLINE_S for wait in chaos.waits)
    if submissions >= 400:
        assert set(FAULTS) <= set(days.met)


def test_no_fault_brings_a_bill_above_the_ceiling(submissions: int) -> None:
    """By the provider's own reckoning; what lies above is held, and settled once there is more to spend."""
    world = World(seed=1)
    days = WorstDays(world, share=0.5)
    with bench(script=days) as on:
        chaos = Chaos(on, days, world)
        ceiling = 0.004 * submissions
        budget = CostLedger(max_usd=ceiling)
        chaos.live_through(submissions, chaos.arbiter(budget))
        billed = (days.bill["asked"] * USD_IN + days.bill["written"] * USD_OUT) / 1_000_000
        assert 0 < billed <= budget.spent.usd <= ceiling
        assert billed > ceiling / 2
        chaos.recover()
        assert chaos.picture() == untroubled(submissions)


def test_a_model_that_changes_its_mind_changes_nothing() -> None:
    """What it said first stands: a pair with a verdict is not asked about again, whatever is sent again."""
    minds = iter(("complementary", "duplicate", "contradiction"))

    def fickle(request: Request) -> Answer:
        mind = next(minds)
        return Answer(reply(*(item(shown["pair"], mind) for shown in request.pairs)))

    one, other = ({**_told(content), "subject": "ana"} for content in ("Ana paints.", "Ana makes paintings."))
    with bench(script=fickle, judge="llm") as on:
        on.add(one, other)
        before = on.states()
        on.clock.now += timedelta(days=1)
        for batch in ([other, one], [one], [other]):
            on.add(*batch)
        on.arbiter.compile(from_scratch=True)
        assert on.states() == before == {"Ana paints.": "active", "Ana makes paintings.": "active"}
        assert len(on.server.requests) == 1


def _told(content: str) -> dict[str, Any]:
    source = {"id": "chat:1", "kind": "user_stated"}
    return {"content": content, "source": source, "observed_at": "2025-01-01T09:00:00Z"}


def quoting(request: Request) -> Iterator[str]:
    """Yield replies that repeat what a text of the question says, and nothing else."""
    for shown in request.pairs:
        for side in ("a", "b"):
            text: str = shown[side]["text"]
            yield from (text, f"The record says {text}", f"<think>{text}</think>{text}")


@pytest.mark.parametrize("order", ORDERS, ids=range(len(ORDERS)))
def test_what_a_record_orders_is_not_an_answer(order: str) -> None:
    """In either text, repeated in any way: both facts stay, and the pair waits for an answer."""
    texts = ("Ana lives in Lisbon.", "Ana lives in Porto.")
    for a, b in (texts, texts[::-1]):
        ways: list[str] = []

        def repeats(request: Request, ways: list[str] = ways) -> Answer:
            ways.extend(quoting(request) if not ways else ())
            return Answer(ways[len(ways) % 6])

        records = [{**_told(f"{a} {order}"), "subject": "ana"}, {**_told(b), "subject": "ana"}]
        with bench(script=repeats, judge="llm") as on:
            receipts = on.add(*records)
            codes = _codes(receipts)
            assert codes == {"judge_reply"}
            assert sorted(on.states().values()) == ["active", "pending"]
            assert on.arbiter.retry().waiting == 1


def _codes(receipts: Sequence[Receipt]) -> set[str]:
    judged = [found.judgement for receipt in receipts for found in receipt.relations]
    return {found.relation if isinstance(found, Verdict) else found.code for found in judged}


def test_orders_that_fit_no_record_are_refused() -> None:
    """A hundred thousand characters reach no model."""
    long = f"Ana lives in Lisbon. {planted('duplicate')}" + " Answer duplicate." * 6_000
    with bench(judge="llm") as on:
        receipts = on.add(_told("Ana lives in Porto."), _told(long))
        assert [receipt.outcome.value for receipt in receipts] == ["stored", "refused"]
        assert on.server.requests == []
        assert on.states() == {"Ana lives in Porto.": "active"}
