"""Many answers at once: the same checks for each as alone, with far fewer transactions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from arbiter.domain.evidence import Judgement, Unjudged
from arbiter.domain.outcomes import Ruling
from arbiter.domain.review_answer import Answer, Ruled
from arbiter.domain.review_queue import Queued
from arbiter.domain.rulings import Key
from arbiter.domain.settle import Cluster, settle
from arbiter.domain.vocabulary import Relation, RulingKind
from arbiter.errors import ArbiterError, NotFoundError, RequestError
from arbiter.pipeline.context import Context
from arbiter.pipeline.review import holding_ruling, ruling_of, set_aside_before

Giving: TypeAlias = Callable[[Queued, Ruling | None], Answer | None]
"""Says what is answered to an item as it stands, with the ruling that holds on its pair; None: nothing."""
Given: TypeAlias = tuple[str, Giving]
"""The id of an item, and what is answered to it."""
Outcome: TypeAlias = Ruled | ArbiterError | None
"""The ruling in force, why there is none, or None where nothing was answered."""


def answer_all(namespace: str, given: Sequence[Given], context: Context) -> list[Outcome]:
    """Commit people's answers to review items, and return what became of each, in their order.

    The outcome is that of answering one after the other: of answers that bear on the same facts, the later
    ones are looked at once the earlier ones are in force. Merges are answered one by one.
    """
    outcomes: dict[int, Outcome] = {}
    waiting = dict(enumerate(given))
    while waiting:
        try:
            found = _round(namespace, waiting, context)
        except ArbiterError as error:
            found = dict.fromkeys(waiting, error)
        outcomes |= found
        waiting = {place: one for place, one in waiting.items() if place not in found}
    return [outcomes[place] for place in range(len(given))]


def _round(namespace: str, waiting: Mapping[int, Given], context: Context) -> dict[int, Outcome]:
    """Commit the answers that do not bear on the same facts as an earlier one."""
    outcomes: dict[int, Outcome] = {}
    made: dict[int, Ruling] = {}
    store = context.store
    with store.writing(namespace) as tx:
        found = store.queued(namespace, [review_id for review_id, _ in waiting.values()])
        cluster = tx.cluster({fact_id for queued in found.values() for fact_id in queued.item.key})
        part = _parts(cluster, [queued.item.key for queued in found.values()])
        earlier: defaultdict[str, list[Ruling]] = defaultdict(list)
        for ruling in cluster.rulings:
            earlier[part[ruling.a]].append(ruling)
        touched: set[str] = set()
        for place, (review_id, giving) in waiting.items():
            if review_id not in found:
                outcomes[place] = NotFoundError(f"{namespace} has no review item {review_id}")
                continue
            queued = found[review_id]
            where = part[queued.item.a]
            if where in touched:
                continue
            outcome = _given(queued, giving, replace(cluster, rulings=tuple(earlier[where])), context)
            if not isinstance(outcome, Ruling):
                outcomes[place] = outcome
                continue
            made[place] = outcome
            touched.add(where)
            tx.ruled(outcome)
            if queued.work.claimed_by is not None:
                tx.works(replace(queued.work, claimed_by=None, claimed_until=None))
        changed = []
        if made:
            facts = {fact_id for ruling in made.values() for fact_id in ruling.facts}
            changed = tx.apply(settle(tx.cluster(facts), context.policy))
    for place, ruling in made.items():
        where = part[ruling.a]
        own = tuple(state for state in changed if part.get(state.fact_id) == where)
        outcomes[place] = Ruled(ruling, own)
    return outcomes


def _given(queued: Queued, giving: Giving, cluster: Cluster, context: Context) -> Ruling | Outcome:
    """Return what is answered to an item as a ruling, why it cannot be one, or None for no answer.

    What was answered before is told as what has come of it.
    """
    try:
        holding = holding_ruling(cluster.rulings, queued.item.key)
        given = giving(queued, holding)
        if given is None:
            return None
        given.check()
        if given.kind is RulingKind.MERGE:
            raise RequestError("a merge is answered by itself", field="ruling")
        if holding is not None and set_aside_before(queued, given, holding):
            return Ruled(holding)
        return ruling_of(queued, given, cluster.facts, cluster.rulings, context)
    except ArbiterError as error:
        return error


def _parts(cluster: Cluster, asked: Sequence[Key]) -> dict[str, str]:
    """Return for each fact of a cluster which part of it the fact is in: no part bears on another."""
    parent = {fact_id: fact_id for fact_id in cluster.facts}

    def part(fact_id: str) -> str:
        while parent[fact_id] != fact_id:
            parent[fact_id] = parent[parent[fact_id]]
            fact_id = parent[fact_id]
        return fact_id

    joined = [*asked, *(ruling.facts for ruling in cluster.rulings)]
    joined += [pair.key for pair in cluster.pairs if not _apart(pair.judgement)]
    for facts in joined:
        first, *others = (part(fact_id) for fact_id in facts if fact_id in parent)
        for other in others:
            parent[part(other)] = part(first)
    return {fact_id: part(fact_id) for fact_id in cluster.facts}


def _apart(found: Judgement) -> bool:
    """Do two facts leave each other alone, whatever becomes of either?"""
    if isinstance(found, Unjudged) or found.stale_risk is not None:
        return False
    return found.relation in (Relation.UNRELATED, Relation.COMPLEMENTARY)
