"""Who retires whom: a graph of losers and winners, evaluated from those whom nobody beats.

The reading is that of grounded semantics in abstract argumentation (P. M. Dung, Artificial Intelligence
77, 1995): a decision takes effect only if its winner stands, and what would retire itself in a circle
takes no effect at all.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from graphlib import CycleError, TopologicalSorter

from arbiter.domain.claims import Claim
from arbiter.domain.outcomes import Decision, FactState
from arbiter.domain.vocabulary import Action, State, StateReason


def break_cycles(voiced: Iterable[Decision], claims: Mapping[str, Claim]) -> list[Decision]:
    """Return the decisions that would retire claims in a circle: none of them can have its way."""
    edges = [d for d in voiced if d.loser and d.winner]
    cyclic: list[Decision] = []
    while True:
        graph: dict[str, set[str]] = {}
        for decision in edges:
            if decision not in cyclic and decision.loser and decision.winner:
                graph.setdefault(claims[decision.loser].id, set()).add(claims[decision.winner].id)
        try:
            TopologicalSorter(graph).prepare()
        except CycleError as error:
            ring = set(error.args[1])
            cyclic += [
                d
                for d in edges
                if d not in cyclic
                and d.loser
                and d.winner
                and {claims[d.loser].id, claims[d.winner].id} <= ring
            ]
        else:
            return cyclic


def evaluate(
    claims: Mapping[str, Claim], effective: Iterable[Decision], pending: Collection[str]
) -> dict[str, FactState]:
    """Evaluate claims, winners before losers. Who is tombstoned or pending retires nobody."""
    against: dict[str, list[Decision]] = {}
    graph: dict[str, set[str]] = {claim.id: set() for claim in claims.values()}
    for decision in effective:
        if decision.loser:
            loser = claims[decision.loser].id
            against.setdefault(loser, []).append(decision)
            if decision.winner:
                graph[loser].add(claims[decision.winner].id)
    states: dict[str, FactState] = {}
    for claim_id in TopologicalSorter(graph).static_order():
        beaten_by = [d for d in against.get(claim_id, ()) if _bites(d, claims, states)]
        states[claim_id] = _state(claim_id, beaten_by, claims, pending)
    return states


def _bites(decision: Decision, claims: Mapping[str, Claim], states: Mapping[str, FactState]) -> bool:
    if decision.winner is None:
        return True
    return states[claims[decision.winner].id].state in (State.ACTIVE, State.SUPERSEDED)


def _state(
    claim_id: str, beaten_by: list[Decision], claims: Mapping[str, Claim], pending: Collection[str]
) -> FactState:
    for action, state in ((Action.TOMBSTONE, State.TOMBSTONED), (Action.SUPERSEDE, State.SUPERSEDED)):
        of_kind = [d for d in beaten_by if d.action is action]
        if of_kind:
            # The immediate successor is the earliest of those that came after it.
            first = min(of_kind, key=lambda d: _successor_order(d, claims))
            successor = claims[first.winner].id if first.winner else None
            return FactState(claim_id, state, first.reason, successor, decision=first.id)
    if claim_id in pending:
        return FactState(claim_id, State.PENDING, StateReason.UNJUDGED)
    return FactState(claim_id, State.ACTIVE)


def _successor_order(decision: Decision, claims: Mapping[str, Claim]) -> tuple[object, ...]:
    if decision.winner is None:
        return (0, "", "")
    centre = claims[decision.winner].centre
    return (1, centre.first_seen, centre.id)
