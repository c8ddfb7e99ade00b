"""One pair, decided: the cell that the rules see, and what the first matching rule makes of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from arbiter.domain.claims import Claim, authority, claimed_at, confidence, votes
from arbiter.domain.evidence import JudgedPair, Unjudged, Verdict
from arbiter.domain.facts import Fact
from arbiter.domain.outcomes import Decision, Ruling
from arbiter.domain.policy import NONE, Cell, Policy, Rule
from arbiter.domain.vocabulary import (
    LIFETIMES,
    Action,
    Mutability,
    Relation,
    RulingKind,
    Stakes,
    Standing,
    StateReason,
    Strategy,
    UpdateKind,
)

_MEASURED = {
    Strategy.AUTHORITY: "authority",
    Strategy.QUORUM: "votes",
    Strategy.CONFIDENCE: "confidence",
}
_REASON_BY_STRATEGY = {
    Strategy.RECENCY: StateReason.UPDATE,
    Strategy.AUTHORITY: StateReason.AUTHORITY,
    Strategy.QUORUM: StateReason.QUORUM,
    Strategy.CONFIDENCE: StateReason.CONFIDENCE,
    Strategy.CURRENT: StateReason.REFINEMENT,
    Strategy.RICHER: StateReason.DUPLICATE,
}


@dataclass(frozen=True, slots=True)
class Contest:
    """Two claims that a judged pair brings together, oriented: the challenger and the one it challenges."""

    challenger: Claim
    other: Claim
    challenged_at: datetime
    other_at: datetime
    kind: UpdateKind | None
    consistent: bool


def contest(pair: JudgedPair, claims: dict[str, Claim], policy: Policy) -> Contest:
    """Return who challenges whom.

    That is the claim made later; for a correction or refinement the side that corrects or says more. A
    correction that its own loser, standing no lower, said again later is no correction any more but the
    state before a change. ``consistent`` is False when a judge names the earlier claim as the current
    one, against the times.
    """
    a, b = claims[pair.a], claims[pair.b]
    at_a, at_b = claimed_at(a, b, policy), claimed_at(b, a, policy)
    later = "a" if (at_a, a.centre.fingerprint) > (at_b, b.centre.fingerprint) else "b"
    verdict = pair.judgement
    kind = verdict.update_kind if isinstance(verdict, Verdict) else None
    current = verdict.current if isinstance(verdict, Verdict) else None
    if isinstance(verdict, Verdict) and verdict.relation is Relation.UPDATE and kind is None:
        kind = UpdateKind.STATE_CHANGE
    side = later
    if kind in (UpdateKind.CORRECTION, UpdateKind.REFINEMENT) and current:
        side = current
        loser, winner = (b, a) if current == "a" else (a, b)
        answered = authority(loser.sightings, policy) >= authority(winner.sightings, policy)
        said_again = claimed_at(loser, winner, policy) > claimed_at(winner, loser, policy)
        judged_so = _first(loser) > _first(winner)
        if kind is UpdateKind.CORRECTION and said_again and answered and not judged_so:
            kind, side = UpdateKind.STATE_CHANGE, later
    unmoved = (later == "b") == (_first(b) >= _first(a))
    consistent = kind is not UpdateKind.STATE_CHANGE or current in (None, later) or not unmoved
    if side == "a":
        return Contest(a, b, at_a, at_b, kind, consistent)
    return Contest(b, a, at_b, at_a, kind, consistent)


AGAINST_THE_TIMES = "against_the_times"
"""The score, 1, of a verdict by which the earlier side is current; such a one counts as unsure."""


def action_on(pair: JudgedPair, claims: dict[str, Claim], policy: Policy, ruling: Ruling | None) -> Action:
    """Return only what the first matching rule does, without naming a winner."""
    return policy.rule_for(_cell(pair, contest(pair, claims, policy), policy, ruling)).action


def decide(
    pair: JudgedPair, claims: dict[str, Claim], policy: Policy, ruling: Ruling | None
) -> list[Decision]:
    """Return what the policy makes of a pair: one decision, or two where neither side stays."""
    found = contest(pair, claims, policy)
    cell = _cell(pair, found, policy, ruling)
    rule = policy.rule_for(cell)
    verdict = pair.judgement
    scores = _scores(pair, found, rule, Mutability(cell.mutability), policy)

    def decision(
        action: Action, reason: StateReason | None, winner: str | None, loser: str | None
    ) -> Decision:
        return Decision(
            a=pair.a,
            b=pair.b,
            action=action,
            rule=rule.id,
            explanation=rule.reason,
            relation=verdict.relation if isinstance(verdict, Verdict) else None,
            reason=reason,
            winner=winner,
            loser=loser,
            strategy=rule.strategy,
            stakes=Stakes(cell.stakes),
            judge=f"human/{ruling.reviewer}" if ruling else verdict.judge,
            scores=scores,
            asks=rule.asks,
        )

    if ruling is not None and cell.ruling in ("neither", "merge"):
        stays = ruling.merged if cell.ruling == "merge" else None
        retired = [fact for fact in (pair.a, pair.b) if fact != stays]
        return [decision(rule.action, StateReason.RULING, stays, fact) for fact in retired]
    if rule.action is Action.REINFORCE:
        claim = claims[pair.a]
        joining = [fact for fact in (pair.a, pair.b) if fact not in claim.words]
        joins = claim is claims[pair.b] and len(joining) == 1
        loser = joining[0] if joins else None
        return [decision(rule.action, StateReason.DUPLICATE, claim.id if joins else None, loser)]
    if rule.action not in (Action.SUPERSEDE, Action.TOMBSTONE):
        return [decision(rule.action, None, None, None)]
    if cell.ruling == "keep_one" and ruling is not None:
        kept = ruling.a if ruling.kind is RulingKind.KEEP_A else ruling.b
        lost = ruling.b if kept == ruling.a else ruling.a
        return [decision(rule.action, StateReason.RULING, kept, lost)]
    winner = _winner(rule, found, scores, policy)
    if winner is None:
        return [decision(Action.REVIEW, None, None, None)]
    won_by_a = claims[pair.a] is winner
    winner_id, loser_id = (pair.a, pair.b) if won_by_a else (pair.b, pair.a)
    reason = (
        StateReason.CORRECTION
        if rule.action is Action.TOMBSTONE
        else _REASON_BY_STRATEGY.get(rule.strategy or Strategy.RECENCY)
    )
    return [decision(rule.action, reason, winner_id, loser_id)]


def _cell(pair: JudgedPair, found: Contest, policy: Policy, ruling: Ruling | None) -> Cell:
    verdict = pair.judgement
    challenger, other = found.challenger.centre, found.other.centre
    relation = verdict.relation.value if isinstance(verdict, Verdict) else "unjudged"
    high = Stakes.HIGH in (challenger.stakes, other.stakes)
    sure = True
    guarded = False
    stale = False
    if isinstance(verdict, Verdict):
        high = high or verdict.stakes is Stakes.HIGH
        sure = verdict.confidence >= policy.least_confidence(verdict) and found.consistent
        guarded = bool(verdict.guards)
        stale = verdict.relation is Relation.COMPLEMENTARY and verdict.stale_risk is not None
    return Cell(
        ruling=_ruling_word(ruling),
        relation=relation,
        update_kind=found.kind.value if found.kind and relation == "update" else NONE,
        mutability=_mutability(pair, found).value,
        standing=_compare(
            authority(found.challenger.sightings, policy), authority(found.other.sightings, policy), Standing
        ),
        stakes=(Stakes.HIGH if high else Stakes.NORMAL).value,
        confidence="sure" if sure else "unsure",
        corroboration=_compare(
            votes(found.challenger, policy), votes(found.other, policy), _CorroborationWords
        ),
        guards="veto" if guarded else "clear",
        lifetime="shorter" if _passing(challenger) and not _passing(other) else "alike",
        stale_risk="yes" if stale else "no",
    )


class _CorroborationWords:
    LOWER, EQUAL, HIGHER = "fewer", "equal", "more"


def _compare(one: float, other: float, words: type[Standing | _CorroborationWords]) -> str:
    if abs(one - other) < 1e-9:
        return str(words.EQUAL)
    return str(words.HIGHER if one > other else words.LOWER)


def _ruling_word(ruling: Ruling | None) -> str:
    if ruling is None or ruling.kind is RulingKind.RELABEL:
        return NONE
    return "keep_one" if ruling.kind in (RulingKind.KEEP_A, RulingKind.KEEP_B) else ruling.kind.value


def _mutability(pair: JudgedPair, found: Contest) -> Mutability:
    """Return the attribute's mutability: what records and registry say, else the judge, else mutable.

    Of two stated ones the longer-lived counts. Where a source says something new in its own entry, the
    entry can change, whatever the attribute; and a judge that calls a pair a change of state has said
    that the attribute can change, whatever else it says.
    """
    verdict = pair.judgement
    changed = isinstance(verdict, Verdict) and verdict.relation is Relation.UPDATE
    if changed and _entries(found.challenger) & _entries(found.other):
        return Mutability.MUTABLE
    stated = [m for m in (found.challenger.centre.mutability, found.other.centre.mutability) if m is not None]
    if stated:
        return min(stated, key=LIFETIMES.index)
    if isinstance(verdict, Unjudged) or verdict.mutability is None:
        return Mutability.MUTABLE
    return (
        Mutability.MUTABLE if changed and verdict.mutability is Mutability.IMMUTABLE else verdict.mutability
    )


def _entries(claim: Claim) -> set[tuple[str, str]]:
    """Return the entries of its sources that a wording is told by: what they say anew there replaces it."""
    told = [s for fact in claim.members if fact.id in claim.words for s in fact.sightings]
    return {(s.source.id, s.source.ref) for s in told if s.source.ref is not None}


def _passing(fact: Fact) -> bool:
    return fact.mutability is Mutability.EPHEMERAL or any(
        sighting.record.valid_to is not None for sighting in fact.sightings
    )


def _first(claim: Claim) -> datetime:
    return min(sighting.first_seen for sighting in claim.sightings)


def _scores(
    pair: JudgedPair, found: Contest, rule: Rule, mutability: Mutability, policy: Policy
) -> dict[str, float]:
    """Return the numbers behind a decision; claims are measured only where one challenges the other."""
    verdict = pair.judgement
    scores: dict[str, float] = {}
    conflict = rule.strategy in _MEASURED
    if isinstance(verdict, Verdict):
        scores["verdict_confidence"] = verdict.confidence
        scores["threshold"] = policy.least_confidence(verdict)
        if not found.consistent:
            scores[AGAINST_THE_TIMES] = 1.0
        conflict = conflict or verdict.relation in (Relation.UPDATE, Relation.CONTRADICTION)
    if not conflict:
        return scores
    newest = max(s.first_seen for c in (found.challenger, found.other) for s in c.sightings)
    measures: dict[str, Callable[[Claim], float]] = {
        "authority": lambda claim: authority(claim.sightings, policy),
        "votes": lambda claim: votes(claim, policy),
        "confidence": lambda claim: confidence(claim, newest, mutability, policy),
    }
    for name, measure in measures.items():
        scores[f"challenger_{name}"] = round(measure(found.challenger), 6)
        scores[f"other_{name}"] = round(measure(found.other), 6)
    return scores


def _winner(rule: Rule, found: Contest, scores: dict[str, float], policy: Policy) -> Claim | None:
    """Return the claim that the rule's strategy prefers, None where it sees no difference."""
    if rule.strategy is Strategy.CURRENT:
        return found.challenger
    if rule.strategy is Strategy.RECENCY:
        if found.challenged_at == found.other_at:
            return None
        return found.challenger if found.challenged_at > found.other_at else found.other
    name = _MEASURED[rule.strategy or Strategy.AUTHORITY]
    margin = policy.confidence_margin if rule.strategy is Strategy.CONFIDENCE else 0.0
    ahead = scores[f"challenger_{name}"] - scores[f"other_{name}"]
    if abs(ahead) <= max(margin, 1e-9):
        return None
    return found.challenger if ahead > 0 else found.other
