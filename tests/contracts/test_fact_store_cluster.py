"""Clusters of a fact store, held against a plain union of sets."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.adapters.sql_store import SqlStore
from arbiter.domain.evidence import JudgedPair, Unjudged, Verdict
from arbiter.domain.facts import Fact
from arbiter.domain.settle import Cluster
from arbiter.ports import FactStore
from arbiter.testing_store import MemoryStore
from tests.contracts.fact_store_cases import HERE, TickingClock, facts_in, fresh, judge, judged, ruling

HELD = Unjudged("judge_unavailable", "down", retryable=True)
WORDS = ("duplicate", "update", "contradiction", "complementary", "unrelated", "unjudged", "ruling")
SIZE = 7


def cluster_of(store: FactStore, *ids: str, namespace: str = HERE) -> Cluster:
    """Return the cluster of facts as a transaction sees it."""
    with store.writing(namespace) as tx:
        return tx.cluster(ids)


def found(a: Fact, b: Fact, word: str) -> JudgedPair:
    """Return two facts with a verdict of this word, or unjudged."""
    return JudgedPair(a.id, b.id, HELD) if word == "unjudged" else judged(a.id, b.id, word)


@pytest.mark.parametrize("word", WORDS[:-1])
def test_what_connects(store: FactStore, word: str) -> None:
    """Two facts belong together unless they are unrelated, complementary or unjudged."""
    a, b = facts_in(store, 2)
    pair = found(a, b, word)
    judge(store, pair)
    cluster = cluster_of(store, b.id)
    if word in ("unrelated", "complementary"):
        assert cluster == Cluster({b.id: b}, (), (), frozenset({b.id}))
    elif word == "unjudged":
        assert cluster == Cluster({a.id: a, b.id: b}, (pair,), (), frozenset({b.id}), frozenset({a.id}))
        assert cluster_of(store, a.id) == Cluster({a.id: a}, (), (), frozenset({a.id}))
    else:
        assert cluster == Cluster({a.id: a, b.id: b}, (pair,), (), frozenset({a.id, b.id}))


def test_a_ruling_connects_whatever_was_found(store: FactStore) -> None:
    """A ruling keeps two facts together, also where a judge calls them unrelated."""
    a, b = facts_in(store, 2)
    pair = judged(a.id, b.id, "unrelated")
    first, second = ruling(a.id, b.id, name="rul_z", at=1), ruling(b.id, a.id, name="rul_a", at=2)
    with store.writing(HERE) as tx:
        tx.judged([pair])
        tx.ruled(second)
        tx.ruled(first)
        tx.finish([a.id])
        assert tx.cluster([a.id]) == Cluster({a.id: a, b.id: b}, (pair,), (first, second), frozenset({b.id}))


def test_harmless_pairs_inside_are_included(store: FactStore) -> None:
    """What was found unrelated is told where both facts are inside for another reason."""
    a, b, c, d = facts_in(store, 4)
    chain = [judged(a.id, b.id, "update"), judged(b.id, c.id, "duplicate")]
    harmless = judged(c.id, a.id, "unrelated")
    judge(store, *chain, harmless, judged(c.id, d.id, "complementary"))
    cluster = cluster_of(store, a.id)
    assert cluster.facts == {fact.id: fact for fact in (a, b, c)}
    assert sorted(cluster.pairs, key=lambda p: p.key) == sorted([*chain, harmless], key=lambda p: p.key)


def test_a_connection_that_was_judged_away_is_gone(store: FactStore) -> None:
    """Only the judgement that counts connects."""
    a, b = facts_in(store, 2)
    judge(store, judged(a.id, b.id, "update"))
    judge(store, judged(a.id, b.id, "unrelated"))
    assert cluster_of(store, a.id).facts == {a.id: a}


def test_unknown_facts_are_left_out(store: FactStore) -> None:
    """Neither an id that nobody knows nor a pair with one becomes part of a cluster."""
    (a,) = facts_in(store, 1)
    judge(store, judged(a.id, "fact_unknown", "update"))
    with store.writing(HERE) as tx:
        tx.ruled(ruling("fact_other", a.id))
    assert cluster_of(store, a.id, "fact_unknown") == Cluster({a.id: a}, (), (), frozenset({a.id}))


def test_a_long_chain_is_one_cluster(store: FactStore) -> None:
    """However many steps apart, connected is connected."""
    facts = facts_in(store, 60)
    judge(store, *(judged(a.id, b.id, "update") for a, b in pairwise(facts)))
    assert cluster_of(store, facts[30].id).facts.keys() == {fact.id for fact in facts}


@given(
    drawn=st.lists(
        st.tuples(st.integers(0, SIZE - 1), st.integers(0, SIZE - 1), st.sampled_from(WORDS)).filter(
            lambda edge: edge[0] != edge[1]
        ),
        max_size=14,
    ),
    asked=st.sets(st.integers(0, SIZE - 1), max_size=3),
    done=st.sets(st.integers(0, SIZE - 1)),
)
def test_clusters_agree_with_a_union_of_sets(
    sql_store: SqlStore, drawn: Sequence[tuple[int, int, str]], asked: set[int], done: set[int]
) -> None:
    """Any log gives what a plain union of sets gives, with everything inside, in both stores."""
    for store, namespace in ((sql_store, fresh()), (MemoryStore(TickingClock()), HERE)):
        facts = facts_in(store, SIZE, namespace=namespace)
        newest: dict[tuple[str, str], JudgedPair] = {}
        ruled = []
        with store.writing(namespace) as tx:
            tx.finish([facts[n].id for n in done])
            for number, (one, other, word) in enumerate(drawn):
                if word == "ruling":
                    ruled.append(ruling(facts[one].id, facts[other].id, name=f"rul_{number}", at=number))
                    tx.ruled(ruled[-1])
                    continue
                pair = found(facts[one], facts[other], word)
                tx.judged([pair])
                if word != "unjudged" or isinstance(newest.get(pair.key, pair).judgement, Unjudged):
                    newest[pair.key] = pair
        components = {fact.id: {fact.id} for fact in facts}
        joins = [r.key for r in ruled] + [
            key
            for key, pair in newest.items()
            if isinstance(pair.judgement, Verdict)
            and pair.judgement.relation.value not in ("complementary", "unrelated")
        ]
        for low, high in joins:
            merged = components[low] | components[high]
            components |= dict.fromkeys(merged, merged)
        inside = {member for n in asked for member in components[facts[n].id]}
        expected = {
            key: pair
            for key, pair in newest.items()
            if inside >= set(key) or (isinstance(pair.judgement, Unjudged) and pair.b in inside)
        }
        cluster = cluster_of(store, *(facts[n].id for n in asked), namespace=namespace)
        assert cluster.fringe == {pair.a for pair in expected.values()} - inside
        assert cluster.facts.keys() == inside | cluster.fringe
        assert {pair.key: pair for pair in cluster.pairs} == expected
        assert [r.id for r in cluster.rulings] == [r.id for r in ruled if inside >= set(r.key)]
        assert cluster.unfinished == inside - {facts[n].id for n in done}
