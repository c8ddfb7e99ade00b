"""Settling, for any cluster: what holds whatever the judges said."""

from __future__ import annotations

from random import Random
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from arbiter.adapters.policy_file import load_policy
from arbiter.domain.evidence import JudgedPair
from arbiter.domain.facts import Fact, fact_of
from arbiter.domain.settle import Cluster, settle
from arbiter.domain.vocabulary import SourceKind, State, StateReason
from tests.factories import make_sighting, pair

POLICY = load_policy()
RELATIONS = ("duplicate", "update", "contradiction", "complementary", "unrelated", "unjudged")


@st.composite
def facts(draw: st.DrawFn) -> list[Fact]:
    """Two to six facts, each told once to three times by a few sources at a few times."""
    found = []
    for number in range(draw(st.integers(2, 6))):
        told = draw(
            st.lists(
                st.tuples(
                    st.sampled_from(list(SourceKind)),
                    st.integers(1, 3),
                    st.integers(0, 9),
                    st.sampled_from(["m1", "m2", None]),
                ),
                min_size=1,
                max_size=3,
            )
        )
        sightings = {
            s.id: s
            for kind, source, at, ref in told
            for s in [make_sighting(f"Fact {number}.", kind=kind, source=f"{kind}:{source}", at=at, ref=ref)]
        }
        found.append(fact_of(sightings.values()))
    return found


@st.composite
def clusters(draw: st.DrawFn) -> Cluster:
    """Facts with any relations between some of them."""
    found = draw(facts())
    pairs: list[JudgedPair] = []
    for place, a in enumerate(found):
        for b in found[place + 1 :]:
            relation = draw(st.sampled_from((*RELATIONS, None, None)))
            if relation is None:
                continue
            fields: dict[str, Any] = {}
            if relation == "update":
                fields["kind"] = draw(st.sampled_from(["state_change", "correction", "refinement"]))
                fields["current"] = draw(st.sampled_from(["a", "b"]))
            if relation in ("update", "contradiction"):
                fields["mutability"] = draw(st.sampled_from(["immutable", "stable", "mutable", "event"]))
                fields["stakes"] = draw(st.sampled_from(["normal", "high"]))
            if relation != "unjudged":
                fields["confidence"] = draw(st.sampled_from([0.5, 0.95]))
            pairs.append(pair(a, b, relation, **fields))
    return Cluster({fact.id: fact for fact in found}, tuple(pairs))


@given(clusters(), st.integers(0, 99))
def test_the_order_of_the_log_plays_no_part(found: Cluster, seed: int) -> None:
    """Facts, sightings and pairs in any order give the same settlement."""
    shuffled = Random(seed)
    facts_, pairs = list(found.facts.values()), list(found.pairs)
    shuffled.shuffle(facts_)
    shuffled.shuffle(pairs)
    turned = {fact.id: fact_of(shuffled.sample(fact.sightings, len(fact.sightings))) for fact in facts_}
    assert settle(Cluster(turned, tuple(pairs)), POLICY) == settle(found, POLICY)


@given(clusters())
def test_a_cluster_never_loses_all_its_readable_facts(found: Cluster) -> None:
    """Somebody stays active or pending, unless corrections took the rest away from one another."""
    states = settle(found, POLICY).states.values()
    assert any(state.state in (State.ACTIVE, State.PENDING) for state in states)


@given(clusters())
def test_every_retired_fact_points_at_another_and_every_state_has_its_reason(found: Cluster) -> None:
    """No fact succeeds itself; what is merged points at its direct partner."""
    settlement = settle(found, POLICY)
    duplicates = {p.key for p in found.pairs if getattr(p.judgement, "relation", None) == "duplicate"}
    for state in settlement.states.values():
        assert state.successor != state.fact_id
        assert (state.state in (State.SUPERSEDED, State.TOMBSTONED)) == (state.decision is not None)
        if state.reason is StateReason.DUPLICATE:
            assert state.successor is not None
            assert tuple(sorted((state.fact_id, state.successor))) in duplicates


@given(clusters())
def test_following_successors_ends(found: Cluster) -> None:
    """A chain has a head: following successors never comes back."""
    states = settle(found, POLICY).states
    for fact_id in states:
        seen = [fact_id]
        while (successor := states[seen[-1]].successor) is not None:
            assert successor not in seen
            seen.append(successor)


@given(clusters())
def test_contested_facts_are_readable_and_asked_about(found: Cluster) -> None:
    """What is contested is visible, and a person is asked about it in one of its wordings."""
    settlement = settle(found, POLICY)
    states = settlement.states
    asked = {
        states[i].successor if states[i].reason is StateReason.DUPLICATE else i
        for item in settlement.reviews
        for i in (item.a, item.b)
    }
    for state in states.values():
        if state.contested:
            assert state.state in (State.ACTIVE, State.PENDING)
            assert state.fact_id in asked


@given(clusters())
def test_settling_apart_is_settling_together(found: Cluster) -> None:
    """A fact that nothing connects to the rest settles alone to the same state."""
    settlement = settle(found, POLICY)
    for fact in found.facts.values():
        if not any(fact.id in pair.key for pair in found.pairs):
            alone = settle(Cluster({fact.id: fact}, ()), POLICY)
            assert alone.states[fact.id] == settlement.states[fact.id]
