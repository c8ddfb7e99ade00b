"""Reading: what is current, what was current at a time, what is near to a question, and forgetting."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from arbiter.domain.facts import Fact, told_by
from arbiter.domain.outcomes import FactState
from arbiter.domain.review import lasts_by_repetition, silent_sources
from arbiter.domain.settle import Cluster, settle
from arbiter.domain.vocabulary import State, StateReason
from arbiter.errors import NotFoundError
from arbiter.pipeline.batches import batches
from arbiter.pipeline.context import Context

_BATCH = 500
_OVERFETCH = 4


@dataclass(frozen=True, slots=True)
class FactView:
    """A fact with where it stands."""

    fact: Fact
    state: FactState


@dataclass(frozen=True, slots=True)
class Fading(FactView):
    """A current fact that may have stopped being true.

    ``silent_sources`` have said other things since, but not this any more.
    """

    silent_sources: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Hit:
    """A current fact near to a question; ``similarity`` is a cosine in [-1, 1]."""

    fact: Fact
    state: FactState
    similarity: float


def views(namespace: str, ids: Iterable[str], context: Context) -> list[FactView]:
    """Return facts with their states, in the order of the ids; unknown ids are left out."""
    wanted = list(ids)
    facts = context.store.facts(namespace, wanted)
    states = context.store.states(namespace, wanted)
    return [FactView(facts[i], states.get(i) or _unsettled(i)) for i in wanted if i in facts]


def list_facts(namespace: str, state: State | None, context: Context) -> Iterator[FactView]:
    """Yield the facts of one state, or all, oldest first."""
    for ids in batches(context.store.fact_ids(namespace, state=state), _BATCH):
        yield from views(namespace, ids, context)


def show(namespace: str, fact_id: str, context: Context) -> FactView:
    """Return one fact with its state.

    Raises:
        NotFoundError: the namespace has no such fact.
    """
    found = views(namespace, [fact_id], context)
    if not found:
        raise NotFoundError(f"no fact {fact_id} in namespace {namespace!r}")
    return found[0]


def fading(namespace: str, context: Context) -> list[Fading]:
    """Return the current facts that a person should look at again, longest silence first.

    Nobody has said them for longer than the policy allows, or a source that still speaks stopped saying
    them. Immutable facts and events need not be repeated to stay true.
    """
    current: dict[str, FactView] = {}
    latest: dict[str, datetime] = {}
    for view in list_facts(namespace, None, context):
        for sighting in view.fact.sightings:
            known = latest.get(sighting.source.id, sighting.last_seen)
            latest[sighting.source.id] = max(known, sighting.last_seen)
        if view.state.state is State.ACTIVE:
            current[view.fact.id] = view
    now = context.clock()
    found = [
        Fading(view.fact, view.state, silent)
        for view in current.values()
        if lasts_by_repetition(view.fact)
        if (silent := silent_sources(view.fact, latest, context.policy))
        or now - view.fact.last_seen > context.policy.unseen_after
    ]
    return sorted(found, key=lambda item: (item.fact.last_seen, item.fact.id))


def search(namespace: str, text: str, limit: int, context: Context) -> list[Hit]:
    """Return up to ``limit`` current facts closest to a text; whether one is current the store decides.

    Facts whose validity has ended are left out.
    """
    index = context.indexes.current(namespace)
    vectors = context.embedder.embed([text])
    now = context.clock()
    wanted = limit * _OVERFETCH
    while True:
        near = index.search(vectors, limit=wanted, min_similarity=-1.0)[0]
        hits = [
            Hit(view.fact, view.state, similarity)
            for view, similarity in zip(
                views(namespace, [i for i, _ in near], context), [s for _, s in near], strict=True
            )
            if view.state.state is State.ACTIVE and not expired(view.fact, now)
        ]
        if len(hits) >= limit or len(near) < wanted:
            return hits[:limit]
        wanted *= _OVERFETCH


def as_of(namespace: str, moment: datetime, context: Context) -> list[FactView]:
    """Return what the sources had said by a moment and what was current then, oldest first.

    This is the moment of observation, not of storage: the namespace is settled again from the sightings
    and rulings up to it, with everything that is known about the pairs today.
    """
    with context.store.writing(namespace) as tx:
        cluster = tx.cluster(context.store.fact_ids(namespace))
    # A reviewer's text is dated like the statements that it stands for; before its merge it was not there.
    to_come = {ruling.sighting for ruling in cluster.rulings if ruling.at > moment} - {
        ruling.sighting for ruling in cluster.rulings if ruling.at <= moment
    }
    facts = {
        fact.id: told_by(fact, seen)
        for fact in cluster.facts.values()
        if (seen := [s for s in fact.sightings if s.first_seen <= moment and s.id not in to_come])
    }
    settlement = settle(
        Cluster(
            facts,
            tuple(pair for pair in cluster.pairs if pair.a in facts and pair.b in facts),
            tuple(r for r in cluster.rulings if r.at <= moment and facts.keys() >= r.facts),
            cluster.unfinished & facts.keys(),
        ),
        context.policy,
    )
    ordered = sorted(facts.values(), key=lambda fact: (fact.first_seen, fact.id))
    return [FactView(fact, settlement.states[fact.id]) for fact in ordered]


def erase(namespace: str, fact_id: str, context: Context) -> None:
    """Take the text of a fact out of every table and index. Ids and decisions stay.

    Raises:
        NotFoundError: the namespace has no such fact.
    """
    show(namespace, fact_id, context)
    with context.store.writing(namespace) as tx:
        partners = {i for d in context.store.decisions(namespace, [fact_id]) for i in d.key}
        tx.erase(fact_id)
        tx.apply(settle(tx.cluster({fact_id} | partners), context.policy))
    context.indexes.forget(namespace, fact_id)


def expired(fact: Fact, now: datetime) -> bool:
    """Has every source's validity for the fact ended?"""
    ends = [sighting.record.valid_to for sighting in fact.sightings]
    return all(end is not None and end <= now for end in ends)


def _unsettled(fact_id: str) -> FactState:
    return FactState(fact_id, State.PENDING, StateReason.UNJUDGED)
