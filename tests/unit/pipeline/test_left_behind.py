"""A process died between the two commits of a submission: who sends a record again finishes its fact."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

import pytest

from arbiter.domain.facts import Record
from arbiter.domain.outcomes import Receipt
from arbiter.domain.vocabulary import Outcome, State
from arbiter.pipeline.arrive import Arrived
from arbiter.pipeline.compile import Compiled, compile_namespace
from arbiter.pipeline.conclude import conclude
from arbiter.pipeline.context import Context
from arbiter.pipeline.exact import identify
from arbiter.pipeline.investigate import investigate
from arbiter.pipeline.read import erase, list_facts
from arbiter.pipeline.submit import submit
from arbiter.ports import Clock, FactStore
from arbiter.testing import TableJudge
from tests.factories import START, make_record, verdict
from tests.first_commit import first_commit
from tests.unit.pipeline.conftest import DOWN, FailsOn, context_on, with_embedder

OLD = make_record("Rita lives in Bath.", subject="Rita")
NEW = make_record("Rita lives in York.", subject="Rita", at=9)


@dataclass
class House:
    """A context whose clock is moved by hand; its judge takes every pair for an update."""

    context: Context
    judge: TableJudge
    now: datetime

    def later(self, seconds: float) -> None:
        """Move the clock on."""
        self.now += timedelta(seconds=seconds)

    def arrive(self, *records: Record) -> Arrived:
        """Make the first commit, as somebody who dies, or is slow, after it."""
        drafts = identify(enumerate(records), self.context)
        return first_commit(drafts, self.context)

    def conclude(self, arrived: Arrived) -> list[Receipt]:
        """Do what is left after the first commit."""
        return conclude("default", arrived, investigate("default", arrived.fresh, self.context), self.context)

    def submit(self, record: Record) -> Receipt:
        """Submit one record."""
        (receipt,) = submit([record], self.context)
        return receipt

    def states(self) -> dict[str, State]:
        """Return where each statement stands."""
        return {view.fact.content: view.state.state for view in list_facts("default", None, self.context)}


@pytest.fixture
def house(make_store: Callable[[Clock], FactStore]) -> Iterator[House]:
    """Return a house on each kind of store, in which Rita lives in Bath."""
    made: list[House] = []
    store = make_store(lambda: made[0].now if made else START)
    judge = TableJudge(otherwise=verdict("update"))
    made.append(House(context_on(store, judge), judge, START + timedelta(days=100)))
    made[0].context = replace(made[0].context, clock=lambda: made[0].now)
    made[0].submit(OLD)
    yield made[0]
    store.close()


def test_who_sends_it_again_gets_the_receipt_that_was_never_given(house: House) -> None:
    """It is judged at once: stored, with what follows from it; from then on it is a re-read."""
    house.arrive(NEW)
    house.later(6)
    receipt = house.submit(NEW)
    old_id = house.submit(OLD).fact_id
    assert (receipt.outcome, receipt.stored, receipt.state) == (Outcome.STORED, True, State.ACTIVE)
    assert (receipt.supersedes, receipt.reason, receipt.retryable) == ((old_id,), None, False)
    assert [decision.action.value for decision in receipt.decisions] == ["supersede"]
    assert house.states() == {OLD.content: State.SUPERSEDED, NEW.content: State.ACTIVE}
    assert house.context.store.receipt("default", receipt.id)["outcome"] == "stored"
    again = house.submit(NEW)
    assert (again.outcome, again.state, again.retryable) == (Outcome.UNCHANGED, State.ACTIVE, False)
    assert len(house.judge.asked) == 1
    assert compile_namespace("default", house.context) == Compiled()


def test_what_may_be_in_other_hands_is_left_there_for_a_while(house: House) -> None:
    """The answer says that it still waits, and that to ask again helps."""
    house.arrive(NEW)
    house.later(5)
    receipt = house.submit(NEW)
    assert (receipt.outcome, receipt.state, receipt.retryable) == (Outcome.UNCHANGED, State.PENDING, True)
    assert house.judge.asked == []
    assert house.states() == {OLD.content: State.ACTIVE, NEW.content: State.PENDING}


def test_another_source_finishes_it_as_well(house: House) -> None:
    """What it says is kept as its own sighting."""
    house.arrive(NEW)
    house.later(6)
    receipt = house.submit(make_record(NEW.content, subject="Rita", at=10, source="chat:2"))
    assert (receipt.outcome, len(receipt.supersedes)) == (Outcome.STORED, 1)
    (fact,) = house.context.store.facts("default", [receipt.fact_id or ""]).values()
    assert fact.sources == ("chat:1", "chat:2")
    assert house.states()[NEW.content] is State.ACTIVE


def test_of_two_who_finish_it_at_once_one_says_stored(house: House) -> None:
    """Both took it up before either was done; the pair is judged twice, and nothing else happens twice."""
    house.arrive(NEW)
    house.later(6)
    both = [house.arrive(NEW), house.arrive(NEW)]
    receipts = [house.conclude(arrived)[0] for arrived in both]
    assert [receipt.outcome for receipt in receipts] == [Outcome.STORED, Outcome.UNCHANGED]
    assert [receipt.state for receipt in receipts] == [State.ACTIVE] * 2
    assert house.states() == {OLD.content: State.SUPERSEDED, NEW.content: State.ACTIVE}
    assert compile_namespace("default", house.context) == Compiled()


def test_a_first_writer_that_was_only_slow_may_still_conclude(house: House) -> None:
    """It gets its receipt, and finds everything as it would have left it."""
    slow = house.arrive(NEW)
    house.later(6)
    house.submit(NEW)
    (receipt,) = house.conclude(slow)
    assert (receipt.outcome, receipt.state) == (Outcome.STORED, State.ACTIVE)
    assert house.states() == {OLD.content: State.SUPERSEDED, NEW.content: State.ACTIVE}
    assert compile_namespace("default", house.context) == Compiled()


def test_it_meets_what_came_after_it(house: House) -> None:
    """A later statement was judged against it while it lay there; that pair is not asked about again."""
    house.arrive(NEW)
    last = make_record("Rita lives in Rome.", subject="Rita", at=20)
    house.submit(last)
    house.later(6)
    receipt = house.submit(NEW)
    assert (receipt.outcome, receipt.state) == (Outcome.STORED, State.SUPERSEDED)
    assert house.states() == {
        OLD.content: State.SUPERSEDED,
        NEW.content: State.SUPERSEDED,
        last.content: State.ACTIVE,
    }
    assert len(house.judge.asked) == len(set(house.judge.asked)) == 3


def test_where_no_judge_can_tell_it_is_held(house: House) -> None:
    """Like any new fact; a later re-read says that it still waits for a judge."""
    house.arrive(NEW)
    house.later(6)
    house.judge.otherwise = DOWN
    told = [house.submit(NEW) for _ in range(2)]
    assert [(receipt.outcome, receipt.state, receipt.retryable) for receipt in told] == [
        (Outcome.HELD, State.PENDING, True),
        (Outcome.UNCHANGED, State.PENDING, True),
    ]


def test_a_text_that_cannot_be_embedded_still_waits(house: House) -> None:
    """Nothing comes of it until the embedder is mended; then the next reading finishes it."""
    embedder = FailsOn("York")
    broken = with_embedder(house.context, embedder)
    submit([NEW], broken)
    house.later(6)
    (waiting,) = submit([NEW], broken)
    assert (waiting.outcome, waiting.state, waiting.retryable) == (Outcome.UNCHANGED, State.PENDING, True)
    embedder.broken = False
    (receipt,) = submit([NEW], broken)
    assert (receipt.outcome, receipt.state) == (Outcome.STORED, State.ACTIVE)


def test_an_erased_fact_is_not_finished(house: House) -> None:
    """Its words are gone, and to say them again brings nothing back."""
    house.arrive(NEW)
    house.later(6)
    (fact_id,) = (draft.sighting.fact_id for draft in identify([(0, NEW)], house.context))
    erase("default", fact_id, house.context)
    receipt = house.submit(NEW)
    assert (receipt.outcome, receipt.retryable) == (Outcome.UNCHANGED, False)
    assert house.judge.asked == []
