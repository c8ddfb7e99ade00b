"""Asking again what no judge could tell: when, how often, by whom, and at what cost."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

import pytest

from arbiter.domain.evidence import Judgement, RecordPair, Spend, Unjudged
from arbiter.domain.outcomes import Receipt
from arbiter.domain.vocabulary import State
from arbiter.errors import StoreUnavailableError
from arbiter.judges.budget import CostLedger
from arbiter.judges.llm import LlmJudge
from arbiter.pipeline.context import Context
from arbiter.pipeline.exact import identify
from arbiter.pipeline.read import list_facts
from arbiter.pipeline.retry import WORK, Retried, RetryPlan, retry
from arbiter.pipeline.submit import submit
from arbiter.ports import Clock, FactStore
from arbiter.testing import TableJudge
from tests.chat import PROMPT, Client, all_unrelated
from tests.factories import START, make_record, verdict
from tests.first_commit import first_commit
from tests.unit.pipeline.conftest import DOWN, FailsOn, context_on, with_embedder

PLAN = RetryPlan()
NAMES = [f"{first}{second}" for first in "ABCDEFGH" for second in ("da", "eo", "im", "ul", "yn")]


class Failing(TableJudge):
    """Stands for a store that fails while the judges are asked."""

    def judge(self, pairs: Sequence[RecordPair]) -> tuple[list[Judgement], Spend]:  # noqa: ARG002
        """Raise."""
        raise StoreUnavailableError


@dataclass
class Desk:
    """A context whose clock is moved by hand, and its judge."""

    context: Context
    judge: TableJudge
    now: datetime

    def later(self, **time: float) -> None:
        """Move the clock on."""
        self.now += timedelta(**time)

    def hold(self, number: int, namespace: str = "default") -> list[Receipt]:
        """Submit that many pairs of facts while the judge is down."""
        known = self.judge.otherwise
        self.judge.otherwise = DOWN
        records = [
            make_record(f"{who} is {how}.", subject=who, at=at, namespace=namespace)
            for who in NAMES[:number]
            for at, how in ((0, "new here"), (9, "at home here"))
        ]
        receipts = submit(records, self.context)
        self.judge.otherwise = known
        self.judge.asked.clear()
        return receipts

    def retry(self, owner: str = "ada", plan: RetryPlan = PLAN, **fields: object) -> Retried:
        """Make one pass."""
        return retry(self.context, plan, owner, **fields)  # type: ignore[arg-type]


@pytest.fixture
def desk(make_store: Callable[[Clock], FactStore]) -> Iterator[Desk]:
    """Return a desk on each kind of store; its judge takes every pair for an update."""
    made: list[Desk] = []
    store = make_store(lambda: made[0].now if made else START)
    judge = TableJudge(otherwise=verdict("update"))
    context = replace(context_on(store, judge), clock=lambda: made[0].now)
    made.append(Desk(context, judge, START + timedelta(days=100)))
    yield made[0]
    store.close()


def active(desk: Desk, namespace: str = "default") -> list[str]:
    """Return what is current."""
    return [view.fact.content for view in list_facts(namespace, State.ACTIVE, desk.context)]


def test_where_nothing_waits_nothing_is_done(desk: Desk) -> None:
    """No judge is asked and no lease is taken."""
    submit([make_record("Rita lives in Bath.", subject="Rita")], desk.context)
    assert desk.retry() == Retried()
    now = desk.now
    assert desk.context.store.leases.take(WORK, "ben", now, now) is not None


def test_a_held_pair_is_settled_once_the_judge_is_back(desk: Desk) -> None:
    """Not before it is due; then it is asked about, settled, and asked about no more."""
    _, held = desk.hold(1)
    assert (held.outcome.value, held.state, held.retryable) == ("held", State.PENDING, True)
    desk.later(seconds=14)
    assert desk.retry() == Retried(waiting=1)
    desk.later(seconds=16)
    assert desk.retry() == Retried(asked=1, answered=1, changed=2)
    assert active(desk) == ["Ada is at home here."]
    assert desk.context.store.reviews("default") == []
    desk.later(days=1)
    assert desk.retry() == Retried()
    assert len(desk.judge.asked) == 1


def test_a_pair_is_asked_about_less_and_less_often(desk: Desk) -> None:
    """In a day in which the judge never knows one pair it is asked about some thirty times, not thousands."""
    desk.hold(1)
    desk.judge.otherwise = DOWN
    for _ in range(24 * 120):
        desk.later(seconds=30)
        desk.retry()
    assert 24 <= len(desk.judge.asked) <= 60
    (held,) = desk.context.store.backlog.held()
    assert held.attempts == len(desk.judge.asked) + 1


def test_an_outage_costs_a_few_questions_now_and_then(desk: Desk) -> None:
    """Of forty pairs eight are asked about; then the work rests, longer each time, up to five minutes."""
    desk.hold(40)
    desk.judge.otherwise = DOWN
    desk.later(minutes=10)
    assert desk.retry() == Retried(asked=8, waiting=40, outage=True)
    assert desk.retry() == Retried(waiting=40, busy=True)
    for _ in range(12):
        desk.later(minutes=5)
        assert desk.retry().asked == 8
    assert len(desk.judge.asked) == 8 * 13
    asked_first = desk.judge.asked[:40]
    assert len(set(asked_first)) == 40
    desk.later(minutes=2)
    assert desk.retry().busy is True
    desk.judge.otherwise = verdict("update")
    desk.later(hours=1)
    assert desk.retry() == Retried(asked=40, answered=40, changed=80)


def test_pairs_that_never_find_a_judge_do_not_stop_the_others(desk: Desk) -> None:
    """Nine hopeless pairs come up together; the others are settled all the same."""
    desk.hold(20)
    no_verdict = Unjudged("judge_reply", "no verdict", retryable=True)
    desk.judge.table = {(f"{who} is new here.", f"{who} is at home here."): no_verdict for who in NAMES[:9]}
    for _ in range(4):
        desk.later(hours=1)
        desk.retry()
    assert desk.retry().waiting == 9
    assert len(active(desk)) == 9 + 11


def test_what_will_never_have_an_answer_is_no_outage(desk: Desk) -> None:
    """A failure that stays one ends the waiting of its pair; a person is asked."""
    desk.hold(1)
    desk.judge.otherwise = Unjudged("too_long", "too long", retryable=False)
    desk.later(minutes=1)
    assert desk.retry() == Retried(asked=1, answered=1)
    assert [item.kind for item in desk.context.store.reviews("default")] == ["unjudged"]
    desk.later(days=1)
    assert desk.retry() == Retried()


def test_the_ceiling_of_costs_holds_for_retries(desk: Desk) -> None:
    """The same ledger is charged: a long outage and its end together stay below the ceiling."""
    ledger = CostLedger(max_usd=3.0)
    client = Client(lambda _: Unjudged("judge_unavailable", "down", retryable=True))
    judge = LlmJudge(client, PROMPT, budget=ledger, pairs_per_call=4)
    desk.hold(40)
    asking = replace(desk.context, judge=judge)
    for _ in range(20):
        desk.later(hours=1)
        retry(asking, PLAN, "ada")
    assert (len(client.asked), ledger.spent.usd) == (6, 3.0)
    client.answer = all_unrelated
    desk.later(hours=1)
    assert retry(asking, PLAN, "ada") == Retried(asked=8, waiting=40, outage=True)
    assert ledger.spent.usd == 3.0
    with_more = replace(asking, judge=LlmJudge(client, PROMPT, budget=CostLedger(max_usd=100.0)))
    desk.later(hours=1)
    done = retry(with_more, PLAN, "ada")
    assert (done.answered, done.spend) == (40, Spend(5, 250, 50, 2.5))


def test_two_processes_never_ask_at_once(desk: Desk) -> None:
    """Whoever comes while another one is at it goes away again."""
    desk.hold(2)
    desk.later(hours=1)
    seen: list[Retried] = []

    def while_at_it() -> bool:
        seen.append(desk.retry("ben", at_once=True))
        return True

    assert desk.retry("ada", going_on=while_at_it) == Retried(asked=2, answered=2, changed=4)
    assert seen == [Retried(waiting=2, busy=True)]
    assert len(desk.judge.asked) == 2


def test_what_another_process_did_meanwhile_is_not_done_again(desk: Desk) -> None:
    """A pass that loses its lease stops; what was due is looked up once more under the new lease."""
    desk.hold(9)
    desk.later(hours=1)
    calls: list[Retried] = []

    def slow() -> bool:
        if not calls:
            desk.later(minutes=6)
            calls.append(desk.retry("ben"))
        return True

    assert desk.retry("ada", going_on=slow) == Retried()
    assert calls == [Retried(asked=9, answered=9, changed=18)]
    assert len(desk.judge.asked) == 9


def test_a_pass_can_be_stopped(desk: Desk) -> None:
    """It ends after the questions at hand, others may go on at once, and nothing counts as a failure."""
    desk.hold(20)
    desk.later(hours=1)
    going = iter([True, False])
    assert desk.retry("ada", going_on=lambda: next(going)) == Retried(
        asked=8, answered=8, changed=16, waiting=12
    )
    assert desk.retry("ada", going_on=lambda: False) == Retried(waiting=12)
    assert desk.retry("ben") == Retried(asked=12, answered=12, changed=24)


def test_at_once_asks_about_everything(desk: Desk) -> None:
    """Due or not, at rest or not: a person who asks for it gets it, in one namespace if they say so."""
    desk.hold(2)
    desk.hold(1, "other")
    desk.judge.otherwise = DOWN
    assert desk.retry(at_once=True).outage is True
    assert desk.retry().busy is True
    desk.judge.otherwise = verdict("update")
    assert desk.retry(at_once=True, namespace="other") == Retried(asked=1, answered=1, changed=2)
    assert desk.retry(at_once=True) == Retried(asked=2, answered=2, changed=4)
    assert active(desk, "other") == ["Ada is at home here."]


def test_abandoned_facts_are_finished(desk: Desk) -> None:
    """A process died between the commits: its facts wait for five minutes, then somebody else goes on."""
    old = make_record("Rita lives in Bath.", subject="Rita")
    new = make_record("Rita lives in York.", subject="Rita", at=9)
    submit([old], desk.context)
    first_commit(identify([(0, new)], desk.context), desk.context)
    desk.later(minutes=4)
    assert desk.retry() == Retried()
    assert active(desk) == [old.content]
    desk.later(minutes=2)
    assert desk.retry() == Retried(finished=1, changed=2)
    assert active(desk) == [new.content]


def test_an_outage_stops_the_finishing_too(desk: Desk) -> None:
    """Of thirty abandoned facts eight are looked at; their pairs are held, and the work rests."""
    told = [f"{who} is {how}." for who in NAMES[:15] for how in ("new here", "at home here")]
    records = [make_record(text, subject=text.split()[0]) for text in told]
    first_commit(identify(enumerate(records), desk.context), desk.context)
    desk.judge.otherwise = DOWN
    desk.later(hours=1)
    done = desk.retry()
    assert (done.finished, done.outage) == (8, True)
    assert desk.retry().busy is True


def test_a_text_that_cannot_be_embedded_is_tried_less_often(desk: Desk) -> None:
    """Where nothing comes of a pass the work rests, and is done when the embedder is mended."""
    embedder = FailsOn("mites")
    broken = with_embedder(desk.context, embedder)
    submit([make_record("Hive B has mites.", subject="B")], broken)
    desk.later(hours=1)
    assert retry(broken, PLAN, "ada") == Retried()
    assert retry(broken, PLAN, "ada") == Retried(busy=True)
    embedder.broken = False
    desk.later(hours=1)
    assert retry(broken, PLAN, "ada") == Retried(finished=1, changed=1)


def test_a_store_that_fails_leaves_the_pairs_held(desk: Desk) -> None:
    """The error is told, the lease is free after a rest, and the next pass does the work."""
    desk.hold(1)
    desk.later(hours=1)

    with pytest.raises(StoreUnavailableError):
        retry(replace(desk.context, judge=Failing()), PLAN, "ada")
    assert desk.retry("ben") == Retried(waiting=1, busy=True)
    desk.later(minutes=1)
    assert desk.retry("ben") == Retried(asked=1, answered=1, changed=2)
