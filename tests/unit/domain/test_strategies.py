"""The five strategies a rule can name, each with the numbers it compares."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from arbiter.adapters.policy_file import load_policy
from arbiter.domain.claims import Claim, claimed_at, confidence, votes
from arbiter.domain.facts import Fact, fact_of
from arbiter.domain.policy import Policy, Rule, SourceRule
from arbiter.domain.settle import settle
from arbiter.domain.vocabulary import Action, Explicitness, Mutability, State, Strategy
from tests.factories import AGENT, THIRD, VERIFIED, cluster, day, make_fact, make_sighting, pair

POLICY = load_policy()


def one_rule(strategy: Strategy, action: Action = Action.SUPERSEDE, **fields: Any) -> Policy:
    """Return a policy whose only rule uses a strategy."""
    return replace(POLICY, rules=(Rule("only", action, "test", strategy=strategy),), **fields)


def alone(fact: Fact) -> Claim:
    """Return a claim of one wording."""
    return Claim(fact, (fact,))


def winner(policy: Policy, a: Fact, b: Fact) -> str | None:
    """Return the content of the one that stays, None if both do."""
    settlement = settle(cluster(pair(a, b, "contradiction"), facts=[a, b]), policy)
    active = [f.content for f in (a, b) if settlement.states[f.id].state is State.ACTIVE]
    return active[0] if len(active) == 1 else None


def test_recency_prefers_the_later_and_knows_ties() -> None:
    """The later claim wins; at one moment nobody does."""
    a, b = make_fact("Old.", at=0), make_fact("New.", at=1)
    assert winner(one_rule(Strategy.RECENCY), a, b) == "New."
    assert winner(one_rule(Strategy.RECENCY), a, make_fact("New.", at=0)) is None


def test_authority_ranks_kinds_and_weighs_sources() -> None:
    """User over verified over agent over third party; a source's own weight can lift it."""
    a, b = make_fact("By the user.", at=0), make_fact("By a page.", at=9, kind=THIRD, source="web:1")
    assert winner(one_rule(Strategy.AUTHORITY), a, b) == "By the user."
    lifted = one_rule(Strategy.AUTHORITY, sources=(SourceRule("web:*", weight=5.0),))
    assert winner(lifted, a, b) == "By a page."
    assert winner(one_rule(Strategy.AUTHORITY), a, make_fact("Also the user.", at=1)) is None


def test_quorum_counts_distinct_sources_not_repetitions() -> None:
    """Two sources beat one that says it five times; equal counts decide nothing."""
    told = [make_sighting("Trunk.", source=f"wiki:{n}", kind=THIRD, at=n) for n in range(2)]
    repeats = [make_sighting("Main.", source="blog", kind=THIRD, at=n, ref=f"p{n}") for n in range(5)]
    assert winner(one_rule(Strategy.QUORUM), fact_of(told), fact_of(repeats)) == "Trunk."
    assert winner(one_rule(Strategy.QUORUM), fact_of(told[:1]), fact_of(repeats)) is None


def test_quorum_ignores_an_agents_echo() -> None:
    """An agent that repeats what it was told is no second voice; one that spoke first is."""
    said = make_sighting("Late.", at=1)
    echo = make_sighting("Late.", source="agent:1", kind=AGENT, at=2)
    first = make_sighting("Late.", source="agent:2", kind=AGENT, at=0)
    assert votes(alone(fact_of([said, echo])), POLICY) == 1.0
    assert votes(alone(fact_of([said, first])), POLICY) == 2.0
    agents = [make_sighting("Late.", source=f"agent:{n}", kind=AGENT, at=n) for n in range(3)]
    assert votes(alone(fact_of(agents)), POLICY) == 3.0


def test_confidence_is_the_stated_weighted_mean() -> None:
    """0.3 explicitness, 0.2 sources, 0.35 authority, 0.15 recency; recency only for what changes."""
    told = make_fact("Blue.", kind=VERIFIED, confidence=0.8)
    inferred = make_fact("Blue.", kind=VERIFIED, confidence=0.8, explicitness=Explicitness.INFERRED)
    mean = (0.3 * 0.8 + 0.2 * 0.5 + 0.35 * 0.75) / 0.85
    assert confidence(alone(told), day(0), Mutability.STABLE, POLICY) == pytest.approx(mean)
    halved = (0.3 * 0.4 + 0.2 * 0.5 + 0.35 * 0.75) / 0.85
    assert confidence(alone(inferred), day(0), Mutability.STABLE, POLICY) == pytest.approx(halved)
    aged = 0.3 * 0.8 + 0.2 * 0.5 + 0.35 * 0.75 + 0.15 * 0.5
    assert confidence(alone(told), day(180), Mutability.MUTABLE, POLICY) == pytest.approx(aged)


def test_confidence_weighted_needs_a_margin() -> None:
    """A clear lead decides, a small one does not."""
    strong = make_fact("Seen by us.", kind=VERIFIED, confidence=1.0)
    weak = make_fact("Guessed.", kind=AGENT, source="agent:1", confidence=0.4, at=1)
    near = make_fact("Seen too.", kind=VERIFIED, source="s:2", confidence=0.9, at=1)
    assert winner(one_rule(Strategy.CONFIDENCE), strong, weak) == "Seen by us."
    assert winner(one_rule(Strategy.CONFIDENCE), strong, near) is None


def test_llm_arbitration_only_proposes() -> None:
    """A merged text is put before a person; both facts stay as they are."""
    a, b = make_fact("Fee 3.5 % + 35 c.", at=0), make_fact("Fee 2.9 % + 30 c.", at=1)
    found = pair(a, b, "contradiction", merged_text="Fee was 3.5 % + 35 c, now 2.9 % + 30 c.")
    settlement = settle(cluster(found, facts=[a, b]), one_rule(Strategy.LLM, action=Action.MERGE_PROPOSAL))
    assert {s.state for s in settlement.states.values()} == {State.ACTIVE}
    assert [(item.kind, item.proposal) for item in settlement.reviews] == [
        ("proposal", "Fee was 3.5 % + 35 c, now 2.9 % + 30 c.")
    ]


def test_when_a_claim_was_made_is_told_by_its_best_sources() -> None:
    """A late echo by a lesser source is no news; a source that said both is taken at its latest word."""
    other = alone(make_fact("B.", at=5))
    echoed = fact_of([make_sighting("A.", at=0), make_sighting("A.", at=9, source="web", kind=THIRD)])
    assert claimed_at(alone(echoed), other, POLICY) == day(0)
    reread = fact_of([replace(make_sighting("A.", at=0, source="mail"), last_seen=day(9))])
    assert claimed_at(alone(reread), other, POLICY) == day(0)
    returned = fact_of([replace(make_sighting("A.", at=0), last_seen=day(9))])
    assert claimed_at(alone(returned), other, POLICY) == day(9)
