"""Asking again what no judge could tell, with growing waits, by one process at a time.

Pairs are held when a judge fails, and facts stay unfinished when a process dies between the two commits of a
submission. One pass takes up what is due by now. It begins with a few pairs: where none of them is answered
the judges are taken to be down, and the work rests, so that an outage costs a few questions now and then and
not one for every pair. Questions go through the same judges as any other, hence under the same ceilings.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import partial
from itertools import chain
from typing import TypeVar

from arbiter.domain.backlog import HeldPair
from arbiter.domain.backoff import Backoff
from arbiter.domain.evidence import Spend
from arbiter.domain.leases import Lease
from arbiter.pipeline.batches import batches
from arbiter.pipeline.compile import Compiled, ask_again, finish_facts
from arbiter.pipeline.context import Context

T = TypeVar("T")

WORK = "retry"
"""The lease under which it is done."""
PAIR_WAIT = Backoff(timedelta(seconds=30), timedelta(hours=1))
OUTAGE_REST = Backoff(timedelta(seconds=30), timedelta(minutes=5))


@dataclass(frozen=True, slots=True)
class RetryPlan:
    """How what waits is tried again.

    ``pair`` is the wait between two attempts at one pair, ``outage`` the rest after attempts in which no
    judge answered anything. Judges count as down when ``probe`` pairs in a row found none; before there is an
    answer no more are asked at once, then ``batch``. One question takes less than ``lease``. A fact that is
    not finished after ``abandoned_after`` is taken to be nobody's.
    """

    pair: Backoff = PAIR_WAIT
    outage: Backoff = OUTAGE_REST
    probe: int = 8
    batch: int = 32
    lease: timedelta = timedelta(minutes=5)
    abandoned_after: timedelta = timedelta(minutes=5)

    def due(self, pair: HeldPair) -> datetime:
        """Return from when on a pair may be asked about again."""
        return pair.last + self.pair.wait(pair.attempts, f"{pair.namespace} {pair.a} {pair.b}")


@dataclass(frozen=True, slots=True)
class Retried:
    """What a pass did.

    ``asked`` pairs were put before the judges, ``answered`` of them need not be asked any more, ``finished``
    facts had been abandoned, ``changed`` states are others now. ``waiting`` pairs are held still. ``busy``
    says that nothing was done, since another process is at it or the judges are being left in peace;
    ``outage`` that the pass ended early, since the judges seem to be down.
    """

    asked: int = 0
    answered: int = 0
    finished: int = 0
    changed: int = 0
    waiting: int = 0
    busy: bool = False
    outage: bool = False
    spend: Spend = Spend()


def retry(
    context: Context,
    plan: RetryPlan,
    owner: str,
    *,
    namespace: str | None = None,
    at_once: bool = False,
    going_on: Callable[[], bool] = lambda: True,
) -> Retried:
    """Take up what is due, in one namespace or all, and settle what follows.

    ``at_once`` takes up everything that waits, due or not. The pass ends after the questions at hand when
    ``going_on`` says no. ``owner`` tells this process from others.

    Raises:
        StoreUnavailableError: the store could not be read or written; what was settled before stays.
    """
    store, now = context.store, context.clock()
    before = now - plan.abandoned_after
    waiting = store.backlog.held_count(namespace)
    if not waiting and not store.backlog.abandoned(before, namespace):
        return Retried()
    lease = store.leases.take(WORK, owner, now, now + plan.lease, rested=not at_once)
    if lease is None:
        return Retried(waiting=waiting, busy=True)
    work = _Pass(context, plan, lease, going_on)
    try:
        due = [pair for pair in store.backlog.held(namespace) if at_once or plan.due(pair) <= now]
        done = work.through(due, store.backlog.abandoned(before, namespace))
    finally:
        work.end()
    return replace(done, waiting=store.backlog.held_count(namespace))


@dataclass(slots=True)
class _Pass:
    """One pass under a lease; ``vain`` counts the pairs in a row that found no judge."""

    context: Context
    plan: RetryPlan
    lease: Lease
    going_on: Callable[[], bool]
    done: Compiled = field(default_factory=Compiled)
    questions: int = 0
    answered: int = 0
    vain: int = 0

    def through(self, pairs: Sequence[HeldPair], facts: Sequence[tuple[str, str]]) -> Retried:
        """Ask question after question, until there are no more, the judges are down or it is time to stop."""
        for question in chain(self._about_pairs(pairs), self._about_facts(facts)):
            if self.vain >= self.plan.probe or not self.going_on() or not self._renewed():
                break
            self.questions += 1
            made = question()
            in_vain = made.held >= max(made.retried, 1)
            self.vain = self.vain + made.held if in_vain else 0
            self.answered += max(made.retried - made.held, 0)
            self.done += made
        return Retried(
            asked=self.done.retried,
            answered=self.answered,
            finished=self.done.resumed,
            changed=self.done.changed,
            outage=self.vain >= self.plan.probe or (self.vain > 0 and not self.answered),
            spend=self.done.spend,
        )

    def end(self) -> None:
        """Give the lease back; where nothing came of the questions let the work rest, longer each time."""
        failures = 0 if self.answered or self.done.resumed else self.lease.failures
        rest_until = self.context.clock()
        if self.questions and (not (self.answered or self.done.resumed) or self.vain >= self.plan.probe):
            failures += 1
            rest_until += self.plan.outage.wait(failures, self.lease.owner)
        self.context.store.leases.give_back(self.lease, failures=failures, rest_until=rest_until)

    def _renewed(self) -> bool:
        until = self.context.clock() + self.plan.lease
        return self.context.store.leases.renew(self.lease, until)

    def _about_pairs(self, pairs: Sequence[HeldPair]) -> Iterator[Callable[[], Compiled]]:
        """Yield the questions: few pairs each until there is an answer; each keeps to one namespace."""
        rest = deque(pairs)
        while rest:
            size = self.plan.batch if self.answered else self.plan.probe
            window = [rest.popleft() for _ in range(min(size, len(rest)))]
            for namespace, asked in _by_namespace((pair.namespace, pair.key) for pair in window):
                yield partial(ask_again, namespace, asked, self.context)

    def _about_facts(self, facts: Sequence[tuple[str, str]]) -> Iterator[Callable[[], Compiled]]:
        for window in batches(facts, self.plan.probe):
            for namespace, fact_ids in _by_namespace(window):
                yield partial(finish_facts, namespace, fact_ids, self.context)


def _by_namespace(things: Iterable[tuple[str, T]]) -> Iterator[tuple[str, list[T]]]:
    found: dict[str, list[T]] = {}
    for namespace, thing in things:
        found.setdefault(namespace, []).append(thing)
    yield from found.items()
