"""One pass over the store after a scan: every fact written out, everything counted, the cases to show."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import nlargest
from typing import TextIO

from arbiter.api import Arbiter
from arbiter.domain.evidence import Unjudged
from arbiter.domain.facts import Fact
from arbiter.domain.outcomes import Decision, ReviewItem
from arbiter.domain.vocabulary import Action, Stakes, State, StateReason
from arbiter.interchange.fact_json import write_facts
from arbiter.interchange.outputs import write_reviews
from arbiter.interchange.report import Section
from arbiter.interchange.report_cards import Case
from arbiter.pipeline.batches import batches
from arbiter.pipeline.read import FactView
from arbiter.pipeline.review_view import as_asked

SHOWN_CASES = 100
SHOWN_REPEATS = 15
_BATCH = 500


@dataclass(slots=True)
class Survey:
    """What the store holds, and the cases that a report shows.

    ``statements`` counts the records of this scan by the fact that stands for them; its size grows with
    the facts.
    """

    facts: Counter[str] = field(default_factory=lambda: Counter({state.value: 0 for state in State}))
    merged: int = 0
    corrected: int = 0
    contested: int = 0
    relations: Counter[str] = field(default_factory=Counter)
    judges: Counter[str] = field(default_factory=Counter)
    unjudged: Counter[str] = field(default_factory=Counter)
    statements: Counter[str] = field(default_factory=Counter)
    to_review: int = 0
    to_review_high_stakes: int = 0
    repeated: list[Fact] = field(default_factory=list)
    queue: Section = field(default_factory=Section)
    superseded: Section = field(default_factory=Section)
    tombstoned: Section = field(default_factory=Section)
    merges: Section = field(default_factory=Section)


def survey(arbiter: Arbiter, copies: Mapping[str, int], facts_out: TextIO, review_out: TextIO) -> Survey:
    """Write out and count every namespace. ``copies`` are the records of this scan by fact id."""
    found = Survey()
    chosen: dict[State | None, _Best] = {s: _Best() for s in (State.SUPERSEDED, State.TOMBSTONED, None)}
    queue: list[tuple[str, ReviewItem]] = []
    for namespace in arbiter.context.store.namespaces():
        for views in batches(arbiter.facts(namespace=namespace, state=None), _BATCH):
            write_facts(((view.fact, view.state) for view in views), facts_out)
            decisions = arbiter.context.store.decisions(namespace, [view.fact.id for view in views])
            _count_facts(views, copies, found)
            _count_pairs(namespace, views, decisions, arbiter, found)
            _choose(views, {decision.id: decision for decision in decisions}, chosen)
        items = arbiter.review.items(namespace=namespace)
        for some in batches(items, _BATCH):
            facts = arbiter.context.store.facts(namespace, {i for item in some for i in (item.a, item.b)})
            judged = arbiter.context.store.verdicts(namespace, [item.key for item in some])
            rows = (
                (item, facts[item.a], facts[item.b], as_asked(item, judged.get(item.key))) for item in some
            )
            write_reviews(rows, review_out)
        found.to_review += len(items)
        found.to_review_high_stakes += sum(item.stakes is Stakes.HIGH for item in items)
        queue += [(namespace, item) for item in items[:SHOWN_CASES]]
    queue.sort(key=lambda entry: -entry[1].priority)
    asked = [_asked(namespace, item, arbiter) for namespace, item in queue[:SHOWN_CASES]]
    found.queue = Section(found.to_review, tuple(case for case in asked if case))
    found.superseded = _section(chosen[State.SUPERSEDED], arbiter)
    found.tombstoned = _section(chosen[State.TOMBSTONED], arbiter)
    found.merges = _section(chosen[None], arbiter)
    return found


class _Best:
    """Decisions about the facts that were seen most often, and how many facts there were."""

    def __init__(self) -> None:
        self.total = 0
        self._kept: dict[str, tuple[int, str, Decision]] = {}

    def add(self, fact: Fact, decision: Decision) -> None:
        self.total += 1
        self._kept[decision.id] = (fact.seen_count, fact.namespace, decision)
        if len(self._kept) > 2 * SHOWN_CASES:
            self._kept = {decision.id: entry for entry in self.entries() for decision in entry[2:]}

    def entries(self) -> list[tuple[int, str, Decision]]:
        return nlargest(SHOWN_CASES, self._kept.values(), key=lambda entry: entry[0])


def _count_facts(views: Sequence[FactView], copies: Mapping[str, int], found: Survey) -> None:
    for view in views:
        fact, state = view.fact, view.state
        is_merged = state.reason is StateReason.DUPLICATE
        found.facts[state.state.value] += 1
        found.merged += is_merged
        found.corrected += state.reason is StateReason.CORRECTION
        found.contested += state.contested
        if fact.id in copies:
            found.statements[state.successor if is_merged and state.successor else fact.id] += copies[fact.id]
    often = (view.fact for view in views if view.fact.seen_count > 1 and not view.fact.erased)
    found.repeated = nlargest(SHOWN_REPEATS, [*found.repeated, *often], key=lambda fact: fact.seen_count)


def _count_pairs(
    namespace: str, views: Sequence[FactView], decisions: Iterable[Decision], arbiter: Arbiter, found: Survey
) -> None:
    """Count each pair once: where its earlier fact is met."""
    ids = {view.fact.id for view in views}
    pairs = {decision.key: decision for decision in decisions if decision.a in ids}
    for decision in pairs.values():
        if decision.relation is not None:
            found.relations[decision.relation.value] += 1
            found.judges[decision.judge] += 1
    open_keys = [key for key, decision in pairs.items() if decision.action is Action.HOLD]
    for pair in arbiter.context.store.verdicts(namespace, open_keys).values():
        if isinstance(pair.judgement, Unjudged):
            found.unjudged[pair.judgement.code] += 1


def _choose(
    views: Iterable[FactView],
    by_id: Mapping[str, Decision],
    chosen: Mapping[State | None, _Best],
) -> None:
    for view in views:
        decision = by_id.get(view.state.decision or "")
        if decision is not None:
            kind = None if view.state.reason is StateReason.DUPLICATE else view.state.state
            chosen[kind].add(view.fact, decision)


def _section(best: _Best, arbiter: Arbiter) -> Section:
    cases = [_case(namespace, decision, arbiter) for _, namespace, decision in best.entries()]
    return Section(best.total, tuple(cases))


def _asked(namespace: str, item: ReviewItem, arbiter: Arbiter) -> Case | None:
    for decision in arbiter.context.store.decisions(namespace, [item.a]):
        if decision.key == tuple(sorted((item.a, item.b))):
            return _case(namespace, decision, arbiter, item)
    return None


def _case(namespace: str, decision: Decision, arbiter: Arbiter, item: ReviewItem | None = None) -> Case:
    store = arbiter.context.store
    facts = store.facts(namespace, decision.key)
    judged = store.verdicts(namespace, [decision.key]).get(decision.key)
    return Case(facts[decision.a], facts[decision.b], decision, judged.judgement if judged else None, item)
