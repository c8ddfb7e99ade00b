"""States as a function of the log: ``settle(cluster, policy)``.

Nothing here remembers anything. Whoever calls it with the same facts, judgements, rulings and policy gets
the same states, in whatever order they arrived.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from arbiter.domain.claims import Claim, gather
from arbiter.domain.decide import action_on, decide
from arbiter.domain.defeat import break_cycles, evaluate
from arbiter.domain.evidence import JudgedPair, Unjudged, Verdict
from arbiter.domain.facts import Fact
from arbiter.domain.merges import Merges, merges_of, take_in, without_withdrawn
from arbiter.domain.outcomes import Decision, FactState, ReviewItem, Ruling
from arbiter.domain.policy import Policy
from arbiter.domain.review import review_item
from arbiter.domain.rulings import Key, standing_rulings
from arbiter.domain.vocabulary import Action, Relation, RulingKind, State, StateReason

_CONFLICTS = (Relation.UPDATE, Relation.CONTRADICTION)


@dataclass(frozen=True, slots=True)
class Cluster:
    """Everything that bears on some facts: themselves, those connected to them, what was found and ruled.

    ``unfinished`` are facts whose candidates have not all been judged yet; they stay pending. ``fringe``
    are facts that only stand on the earlier side of a pair that nobody could judge: they are shown, but
    what they are connected to is not, so nothing is said about them.
    """

    facts: Mapping[str, Fact]
    pairs: tuple[JudgedPair, ...]
    rulings: tuple[Ruling, ...] = ()
    unfinished: frozenset[str] = frozenset()
    fringe: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Settlement:
    """The derived view of a cluster: one state a fact, every decision, what waits for people.

    Decisions stand in the order in which their later sides were said, whatever the ids of the facts.
    ``aside`` are questions that would be asked, had nobody set them aside on the evidence there is.
    """

    states: Mapping[str, FactState]
    decisions: tuple[Decision, ...]
    reviews: tuple[ReviewItem, ...]
    aside: tuple[ReviewItem, ...] = ()


def settle(cluster: Cluster, policy: Policy) -> Settlement:
    """Derive the states of a cluster."""
    standing = standing_rulings(cluster.rulings, cluster.facts)
    rulings = standing.deciding
    merges = merges_of(cluster.rulings, rulings, cluster.facts)
    facts, withdrawn = without_withdrawn(cluster.facts, merges.withdrawn)
    pairs = [
        _relabelled(pair, rulings.get(pair.key))
        for pair in sorted(cluster.pairs, key=lambda p: p.key)
        if not withdrawn.intersection(pair.key)
    ]
    claims = _claims(facts, pairs, rulings, merges, policy)
    decisions = [
        decision
        for pair in pairs
        if pair.b not in cluster.fringe and (pair.key in rulings or merges.joined(pair.key) is not None)
        for decision in decide(pair, claims, policy, rulings.get(pair.key))
        if not merges.overtaken(decision, rulings)
    ]
    # What was erased can neither be waited for nor asked about; what it had retired stays retired.
    told = [d for d in decisions if d.retires or not _erased(d.key, facts)]
    holds = [d for d in told if d.action is Action.HOLD and claims[d.b].id == d.b != claims[d.a].id]
    voiced = _one_per_claim_pair((d for d in told if d.action is not Action.HOLD), claims)
    cyclic = break_cycles(voiced, claims)
    pending = _unfinished(cluster, claims) | {decision.b for decision in holds}
    states = evaluate(claims, [d for d in voiced if d not in cyclic], pending)
    contested = _contested(voiced, cyclic, claims, states)
    for claim_id in contested:
        states[claim_id] = replace(states[claim_id], contested=True)
    _follow_centres(claims, told, merges, states)
    states |= {i: FactState(i, State.TOMBSTONED, StateReason.WITHDRAWN) for i in withdrawn}
    for fact in cluster.facts.values():
        if fact.erased:
            states[fact.id] = FactState(fact.id, State.TOMBSTONED, StateReason.ERASED)
    waiting = [d for d in voiced if _waits(d, cyclic, claims, states)]
    waiting += [d for d in holds if states[d.b].state is State.PENDING]
    found = {pair.key: pair.judgement for pair in pairs}
    items = [
        review_item(d, found[d.key], cluster.facts, claims, cyclic=d in cyclic)
        for d in waiting
        if d.key not in rulings
    ]
    return Settlement(
        states={fact_id: state for fact_id, state in states.items() if fact_id not in cluster.fringe},
        decisions=tuple(sorted(told, key=lambda decision: _said(decision, cluster.facts))),
        reviews=tuple(item for item in items if not _aside(item, standing.aside)),
        aside=tuple(item for item in items if _aside(item, standing.aside)),
    )


def _said(decision: Decision, facts: Mapping[str, Fact]) -> list[tuple[datetime, str]]:
    """Return when both sides were said, the later one first, and what, should the time be the same."""
    return sorted(((facts[i].first_seen, facts[i].fingerprint) for i in decision.key), reverse=True)


def _aside(item: ReviewItem, rulings: Mapping[Key, Ruling]) -> bool:
    """Did somebody look at this very evidence and set the question aside?"""
    ruling = rulings.get(item.key)
    return ruling is not None and ruling.evidence == item.evidence


def _relabelled(pair: JudgedPair, ruling: Ruling | None) -> JudgedPair:
    if ruling is None or ruling.kind is not RulingKind.RELABEL or ruling.relabel is None:
        return pair
    found = pair.judgement
    judge = f"human/{ruling.reviewer}"
    if isinstance(found, Unjudged) or found.relation is not ruling.relabel:
        return replace(pair, judgement=Verdict(ruling.relabel, 1.0, judge, reason=ruling.reason))
    return replace(pair, judgement=replace(found, confidence=1.0, judge=judge, guards=()))


def _claims(
    facts: Mapping[str, Fact],
    pairs: Iterable[JudgedPair],
    rulings: Mapping[Key, Ruling],
    merges: Merges,
    policy: Policy,
) -> dict[str, Claim]:
    """Gather duplicates into claims; what the policy or a person keeps apart stays apart.

    A fact that was merged is gathered as the text that was written for it: who duplicates the one joins
    the other, and the reviewer's wording stays.
    """
    alone = {fact.id: Claim(fact, (fact,)) for fact in facts.values()}
    duplicates: set[Key] = set()
    conflicts: set[Key] = set()
    richer: dict[Key, str] = {}
    carried: dict[Key, str] = {}
    for pair in pairs:
        found = pair.judgement
        key = merges.joined(pair.key)
        if key is None or _erased(pair.key, facts):
            continue
        action = action_on(pair, alone, policy, rulings.get(pair.key))
        if action is Action.REINFORCE and isinstance(found, Verdict):
            if key != pair.key:
                carried |= merges.carried(pair.key)
            else:
                duplicates.add(key)
                richer |= {} if found.current is None else {key: pair.fact_at(found.current)}
        elif action in (Action.SUPERSEDE, Action.TOMBSTONE) or (
            isinstance(found, Verdict) and found.relation in _CONFLICTS
        ):
            conflicts.add(key)
    standing = {fact_id: fact for fact_id, fact in facts.items() if fact_id not in merges.into}
    gathered = gather(standing, duplicates, conflicts - carried.keys(), richer, carried, policy)
    return take_in(gathered, facts, merges)


def _erased(key: Key, facts: Mapping[str, Fact]) -> bool:
    return any(facts[fact_id].erased for fact_id in key)


def _one_per_claim_pair(decisions: Iterable[Decision], claims: Mapping[str, Claim]) -> list[Decision]:
    """Return for each two claims the decisions that speak for them.

    Several wordings of two claims may have been judged against each other. A ruling speaks first, then a
    conflict, then any verdict; between equals the two centres, then the surest.
    """
    found: dict[Key, list[Decision]] = {}
    for decision in decisions:
        one, other = claims[decision.a].id, claims[decision.b].id
        if one != other:
            found.setdefault((one, other) if one < other else (other, one), []).append(decision)

    def rank(decision: Decision) -> tuple[bool, bool, bool, float, Key]:
        centres = {claims[decision.a].id, claims[decision.b].id}
        return (
            not decision.judge.startswith("human/"),
            decision.relation not in _CONFLICTS,
            centres != {decision.a, decision.b},
            -decision.scores.get("verdict_confidence", 0.0),
            decision.key,
        )

    voiced: list[Decision] = []
    for key in sorted(found):
        best = min(found[key], key=rank)
        voiced += [d for d in found[key] if d.key == best.key]
    return voiced


def _unfinished(cluster: Cluster, claims: Mapping[str, Claim]) -> set[str]:
    """Return the claims of which no wording has been judged to the end."""
    return {
        claims[fact_id].id
        for fact_id in cluster.unfinished
        if fact_id in claims and all(f.id in cluster.unfinished for f in claims[fact_id].members)
    }


def _contested(
    voiced: Iterable[Decision],
    cyclic: list[Decision],
    claims: Mapping[str, Claim],
    states: Mapping[str, FactState],
) -> set[str]:
    return {
        claims[fact_id].id
        for decision in voiced
        if decision.action is Action.REVIEW or decision in cyclic
        if _both_read(decision, claims, states)
        for fact_id in (decision.a, decision.b)
    }


def _both_read(decision: Decision, claims: Mapping[str, Claim], states: Mapping[str, FactState]) -> bool:
    return all(
        states[claims[fact_id].id].state in (State.ACTIVE, State.PENDING)
        for fact_id in (decision.a, decision.b)
    )


def _waits(
    decision: Decision,
    cyclic: Collection[Decision],
    claims: Mapping[str, Claim],
    states: Mapping[str, FactState],
) -> bool:
    asks = decision.asks or decision in cyclic
    asks = asks or decision.action in (Action.REVIEW, Action.MERGE_PROPOSAL)
    return asks and _both_read(decision, claims, states)


def _follow_centres(
    claims: Mapping[str, Claim],
    decisions: Iterable[Decision],
    merges: Merges,
    states: dict[str, FactState],
) -> None:
    """Give every other wording of a claim its state: it is merged into the centre, or false with it."""
    joined: dict[str, str] = {}
    for decision in decisions:
        merge = merges.by.get(decision.loser or "")
        ruled = merge is not None and merge.key == decision.key
        if decision.loser and (ruled or (merge is None and decision.action is Action.REINFORCE)):
            joined[decision.loser] = decision.id
    for fact_id, claim in claims.items():
        if fact_id == claim.id:
            continue
        centre = states[claim.id]
        if centre.state is State.TOMBSTONED:
            states[fact_id] = replace(centre, fact_id=fact_id)
        else:
            reason = StateReason.RULING if fact_id in merges.by else StateReason.DUPLICATE
            states[fact_id] = FactState(
                fact_id, State.SUPERSEDED, reason, claim.id, decision=joined.get(fact_id)
            )
