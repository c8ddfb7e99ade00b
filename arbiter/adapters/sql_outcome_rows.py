"""Decisions, review items, rulings and states as rows of the tables, and back."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from arbiter.adapters.sql_rows import Values, columns, micros, moment_of, to_json, word, word_of
from arbiter.adapters.sql_schema import states
from arbiter.domain.outcomes import Decision, FactState, ReviewItem, Ruling
from arbiter.domain.vocabulary import Action, Relation, RulingKind, Stakes, State, StateReason, Strategy

if TYPE_CHECKING:
    from sqlalchemy import Row

STATE = columns(states, "fact_id state reason successor contested decision")
"""The columns that ``state_of`` takes."""
_STATES = {state.value: state for state in State}
_REASONS = {reason.value: reason for reason in StateReason}


def _sides(a: str, b: str) -> Values:
    return {"low": min(a, b), "high": max(a, b), "flipped": a > b}


def _sides_of(row: Row[Any]) -> tuple[str, str]:
    return (row.high, row.low) if row.flipped else (row.low, row.high)


def decision_row(decision: Decision) -> Values:
    """Return a decision as a row, without its place in the log."""
    return {
        "id": decision.id,
        **_sides(decision.a, decision.b),
        "action": decision.action.value,
        "rule": decision.rule,
        "explanation": decision.explanation,
        "relation": word(decision.relation),
        "reason": word(decision.reason),
        "winner": decision.winner,
        "loser": decision.loser,
        "strategy": word(decision.strategy),
        "stakes": decision.stakes.value,
        "judge": decision.judge,
        "scores": to_json(dict(decision.scores)),
        "asks": decision.asks,
    }


def decision_of_row(row: Row[Any]) -> Decision:
    """Return the decision of a row."""
    a, b = _sides_of(row)
    return Decision(
        a=a,
        b=b,
        action=Action(row.action),
        rule=row.rule,
        explanation=row.explanation,
        relation=word_of(Relation, row.relation),
        reason=word_of(StateReason, row.reason),
        winner=row.winner,
        loser=row.loser,
        strategy=word_of(Strategy, row.strategy),
        stakes=Stakes(row.stakes),
        judge=row.judge,
        scores=json.loads(row.scores),
        asks=row.asks,
    )


def review_row(item: ReviewItem) -> Values:
    """Return a review item as a row, without its place in the queue."""
    return {
        "id": item.id,
        **_sides(item.a, item.b),
        "kind": item.kind,
        "rule": item.rule,
        "question": item.question,
        "priority": item.priority,
        "digest_a": item.digest_a,
        "digest_b": item.digest_b,
        "relation": word(item.relation),
        "stakes": item.stakes.value,
        "proposal": item.proposal,
        "reach": item.reach,
        "evidence": item.evidence,
    }


def review_of_row(row: Row[Any]) -> ReviewItem:
    """Return the review item of a row."""
    a, b = _sides_of(row)
    return ReviewItem(
        a=a,
        b=b,
        kind=row.kind,
        rule=row.rule,
        question=row.question,
        priority=row.priority,
        digest_a=row.digest_a,
        digest_b=row.digest_b,
        relation=word_of(Relation, row.relation),
        stakes=Stakes(row.stakes),
        proposal=row.proposal,
        reach=row.reach,
        evidence=row.evidence,
    )


def ruling_row(ruling: Ruling) -> Values:
    """Return a ruling as a row, without its place in the log."""
    return {
        "id": ruling.id,
        **_sides(ruling.a, ruling.b),
        "kind": ruling.kind.value,
        "reviewer": ruling.reviewer,
        "at": micros(ruling.at),
        "digest_a": ruling.digest_a,
        "digest_b": ruling.digest_b,
        "relabel": word(ruling.relabel),
        "reason": ruling.reason,
        "policy": ruling.policy,
        "decision": ruling.decision,
        "retracts": ruling.retracts,
        "merged": ruling.merged,
        "sighting": ruling.sighting,
        "evidence": ruling.evidence,
    }


def ruling_of_row(row: Row[Any]) -> Ruling:
    """Return the ruling of a row."""
    a, b = _sides_of(row)
    return Ruling(
        id=row.id,
        namespace=row.namespace,
        a=a,
        b=b,
        kind=RulingKind(row.kind),
        reviewer=row.reviewer,
        at=moment_of(row.at),
        digest_a=row.digest_a,
        digest_b=row.digest_b,
        relabel=word_of(Relation, row.relabel),
        reason=row.reason,
        policy=row.policy,
        decision=row.decision,
        retracts=row.retracts,
        merged=row.merged,
        sighting=row.sighting,
        evidence=row.evidence,
    )


def state_row(state: FactState) -> Values:
    """Return a state as a row."""
    return {
        "fact_id": state.fact_id,
        "state": state.state.value,
        "reason": word(state.reason),
        "successor": state.successor,
        "contested": state.contested,
        "decision": state.decision,
    }


def state_of_row(row: Row[Any]) -> FactState:
    """Return the state of a row."""
    return state_of(row.fact_id, row.state, row.reason, row.successor, row.contested, row.decision)


def state_of(
    fact_id: str,
    state: str,
    reason: str | None,
    successor: str | None,
    contested: bool,  # noqa: FBT001  (a column)
    decision: str | None,
) -> FactState:
    """Return the state that the columns ``STATE`` hold, in their order."""
    why = None if reason is None else _REASONS[reason]
    return FactState(fact_id, _STATES[state], why, successor, contested, decision)
