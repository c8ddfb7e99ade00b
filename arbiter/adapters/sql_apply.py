"""Writing a settlement: only what differs from the present states, decisions and review items."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sqlalchemy import bindparam, or_, select, update

from arbiter.adapters.sql_dialect import NAMESPACE, WITHIN, as_list, either_side, listed, upsert
from arbiter.adapters.sql_outcome_rows import (
    decision_of_row,
    decision_row,
    review_of_row,
    review_row,
    state_of_row,
    state_row,
)
from arbiter.adapters.sql_reading import load_states
from arbiter.adapters.sql_review_schema import reviews
from arbiter.adapters.sql_rows import APART
from arbiter.adapters.sql_schema import decisions, state_changes, states

if TYPE_CHECKING:
    from sqlalchemy import CompoundSelect, Row

    from arbiter.adapters.sql_log import SqlLog
    from arbiter.domain.outcomes import Decision, FactState, ReviewItem
    from arbiter.domain.settle import Settlement


_OPEN_DECISIONS = either_side(decisions, where=[decisions.c.closed_at.is_(None)])
_WAITING_REVIEWS = either_side(reviews, where=[or_(reviews.c.closed_at.is_(None), reviews.c.set_aside)])
_CLOSE_DECISION = (
    update(decisions)
    .where(decisions.c.namespace == WITHIN, decisions.c.sequence == bindparam("which"))
    .values(closed_at=bindparam("now"), closed_position=bindparam("place"))
)
_CLOSE_REVIEW = (
    update(reviews)
    .where(reviews.c.namespace == WITHIN, reviews.c.id == bindparam("which"))
    .values(closed_at=bindparam("now"), set_aside=False)
)


_CHANGES = select(state_changes, state_changes.c.new.label("state")).where(
    state_changes.c.namespace == NAMESPACE, state_changes.c.fact_id.in_(listed("ids"))
)


def write_settlement(log: SqlLog, settlement: Settlement) -> list[FactState]:
    """Bring the views of the settled facts up to date and return the states that changed, by fact id."""
    _write_decisions(log, settlement)
    _write_reviews(log, settlement)
    return _write_states(log, settlement.states)


def _write_states(log: SqlLog, derived: Mapping[str, FactState]) -> list[FactState]:
    present = load_states(log.connection, log.namespace, derived)
    rows = [state_row(state) for fact_id, state in sorted(derived.items()) if present.get(fact_id) != state]
    if not rows:
        return []
    log.connection.execute(
        upsert(log.connection, states), [{"namespace": log.namespace, **row} for row in rows]
    )
    # A view that was dropped is filled again without making news of what the log has already.
    before = present | _last_states(log, derived.keys() - present.keys())
    changed = [row for row in rows if before.get(row["fact_id"]) != derived[row["fact_id"]]]
    entries = [
        {
            **log.entry(),
            **{name: row[name] for name in ("fact_id", "reason", "successor", "contested", "decision")},
            "old": before[row["fact_id"]].state.value if row["fact_id"] in before else None,
            "new": row["state"],
        }
        for row in changed
    ]
    if entries:
        log.connection.execute(state_changes.insert(), entries)
    return [derived[row["fact_id"]] for row in changed]


def _last_states(log: SqlLog, ids: Iterable[str]) -> dict[str, FactState]:
    """Return the states that the log has last for facts."""
    rows = log.connection.execute(_CHANGES, {"namespace": log.namespace, "ids": as_list(ids)})
    return {row.fact_id: state_of_row(row) for row in sorted(rows, key=lambda row: row.position)}


def _write_decisions(log: SqlLog, settlement: Settlement) -> None:
    wanted = {decision.id: decision for decision in settlement.decisions}
    present = {row.id: row for row in _rows(log, _OPEN_DECISIONS, settlement)}
    ended = [
        {"within": log.namespace, "which": row.sequence, "now": log.now(), "place": log.position()}
        for row in present.values()
        if row.id not in wanted and _settled(row, settlement)
    ]
    if ended:
        log.connection.execute(_CLOSE_DECISION, ended)
    rows = [
        _decided(log, decision, present.get(decision.id))
        for decision in wanted.values()
        if decision.id not in present or decision_of_row(present[decision.id]) != decision
    ]
    if rows:
        log.connection.execute(upsert(log.connection, decisions), rows)


def _decided(log: SqlLog, decision: Decision, present: Row[Any] | None) -> dict[str, Any]:
    """Return the row of a decision: that of its time in force, or a new one that begins now."""
    if present is None:
        place = {"sequence": log.position(), "recorded_at": log.now()}
    else:
        place = {"sequence": present.sequence, "recorded_at": present.recorded_at}
    return {
        "namespace": log.namespace,
        **place,
        "closed_at": None,
        "closed_position": None,
        **decision_row(decision),
    }


def _write_reviews(log: SqlLog, settlement: Settlement) -> None:
    asked = {item.id: item for item in settlement.reviews}
    aside = {item.id: item for item in settlement.aside}
    present = {row.id: row for row in _rows(log, _WAITING_REVIEWS, settlement)}
    ended = [
        {"within": log.namespace, "which": row.id, "now": log.now()}
        for row in present.values()
        if row.id not in asked and row.id not in aside and _settled(row, settlement)
    ]
    if ended:
        log.connection.execute(_CLOSE_REVIEW, ended)
    rows = [
        _placed(log, item, present.get(item.id), set_aside=item.id in aside)
        for item in (*asked.values(), *aside.values())
        if item.id not in present
        or review_of_row(present[item.id]) != item
        or present[item.id].set_aside != (item.id in aside)
    ]
    if rows:
        log.connection.execute(upsert(log.connection, reviews), rows)


def _placed(log: SqlLog, item: ReviewItem, present: Row[Any] | None, *, set_aside: bool) -> dict[str, Any]:
    """Return the row of an item with its place in the queue: what is asked again begins to wait now."""
    opened_at, closed_at = log.now(), log.now() if set_aside else None
    if present is not None and (set_aside or not present.set_aside):
        opened_at = present.opened_at
    if present is not None and set_aside and present.set_aside:
        closed_at = present.closed_at
    return {
        "namespace": log.namespace,
        "opened_at": opened_at,
        "closed_at": closed_at,
        "set_aside": set_aside,
        **review_row(item),
    }


def _rows(log: SqlLog, statement: CompoundSelect[Any], settlement: Settlement) -> Sequence[Row[Any]]:
    parameters = {"namespace": log.namespace, "ids": as_list(settlement.states)}
    return log.connection.execute(statement, parameters).all()


def _settled(row: Row[Any], settlement: Settlement) -> bool:
    """Did the settlement judge of this pair, so that its silence means no? See ``Writing.apply``.

    A pair that is apart does not connect its facts: where only one of them was settled, nothing was said
    about the pair. Any other pair of which only one fact was settled is connected no longer.
    """
    if row.relation is None:
        return (row.low if row.flipped else row.high) in settlement.states
    both = row.low in settlement.states and row.high in settlement.states
    return both or row.relation not in APART
