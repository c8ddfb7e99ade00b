"""What holds of a store after anything: its states follow from its log, and its index finds every fact."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from arbiter.adapters.sql_store import SqlStore
from arbiter.domain.facts import Fact
from arbiter.domain.outcomes import Decision, FactState, ReviewItem
from arbiter.domain.settle import settle
from arbiter.domain.vocabulary import State
from arbiter.pipeline.compile import Compiled, compile_namespace
from arbiter.pipeline.context import Context
from arbiter.pipeline.read import search
from arbiter.wiring import build_indexes


@dataclass(frozen=True)
class Seen:
    """What a reader can see of a namespace."""

    facts: Mapping[str, Fact]
    states: Mapping[str, FactState]
    decisions: Mapping[str, Decision]
    reviews: Mapping[str, ReviewItem]


def seen(context: Context, namespace: str = "default") -> Seen:
    """Read everything."""
    store = context.store
    ids = list(store.fact_ids(namespace))
    decisions = store.decisions(namespace, ids)
    reviews = store.reviews(namespace)
    assert len(set(ids)) == len(ids)
    assert len({decision.id for decision in decisions}) == len(decisions)
    assert len({item.id for item in reviews}) == len(reviews)
    return Seen(
        store.facts(namespace, ids),
        store.states(namespace, ids),
        {decision.id: decision for decision in decisions},
        {item.id: item for item in reviews},
    )


def check_states(context: Context, namespace: str = "default") -> Seen:
    """See that what is there is what follows from the log, settled at once and compiled from scratch."""
    store = context.store
    there = seen(context, namespace)
    with store.writing(namespace) as tx:
        cluster = tx.cluster(there.facts)
    settled = settle(cluster, context.policy)
    assert cluster.unfinished == frozenset()
    assert there.states == settled.states
    assert there.decisions == {decision.id: decision for decision in settled.decisions}
    assert there.reviews == {item.id: item for item in settled.reviews}
    store.rebuild_views(namespace)
    assert compile_namespace(namespace, context) == Compiled()
    assert seen(context, namespace) == there
    return there


def check_index(context: Context, namespace: str = "default") -> None:
    """See that a new index of the kind in use holds each fact once, and finds each that is current."""
    store = context.store
    assert isinstance(store, SqlStore)
    there, fresh = seen(context, namespace), replace(context, indexes=build_indexes(store, context.embedder))
    told = {fact_id for fact_id, fact in there.facts.items() if not fact.erased}
    assert store.unembedded(namespace, context.embedder.model_id) == []
    assert len(fresh.indexes.current(namespace)) == len(told)
    for fact_id, state in there.states.items():
        if state.state is State.ACTIVE:
            found = search(namespace, there.facts[fact_id].content, 1, fresh)
            assert [(hit.fact.id, round(hit.similarity, 3)) for hit in found] == [(fact_id, 1.0)]
