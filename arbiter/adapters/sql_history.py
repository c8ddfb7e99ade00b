"""What happened to one fact, gathered from every part of the log."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from arbiter.adapters.sql_dialect import NAMESPACE, as_list, either_side, listed
from arbiter.adapters.sql_outcome_rows import decision_of_row, ruling_of_row, state_of_row
from arbiter.adapters.sql_review_schema import rulings
from arbiter.adapters.sql_rows import (
    JUDGEMENT,
    SIGHTING,
    moment_of,
    pair_of_row,
    sighting_of_row,
)
from arbiter.adapters.sql_schema import decisions, erasures, judgements, sightings, state_changes
from arbiter.errors import NotFoundError
from arbiter.interchange.history import (
    decision_entry,
    erasure_entry,
    judgement_entry,
    ruling_entry,
    sighting_entry,
    state_entry,
)

if TYPE_CHECKING:
    from sqlalchemy import Column, Row, Select, Table
    from sqlalchemy.engine import Connection

    from arbiter.domain.outcomes import HistoryEntry


def _of_fact(table: Table, *columns: Column[Any]) -> Select[Any]:
    chosen = columns or tuple(table.c)
    return select(*chosen).where(table.c.namespace == NAMESPACE, table.c.fact_id.in_(listed("ids")))


_SIGHTINGS = _of_fact(sightings, sightings.c.position, sightings.c.recorded_at, *SIGHTING)
_JUDGEMENTS = either_side(judgements, judgements.c.position, judgements.c.recorded_at, *JUDGEMENT)
_DECISIONS = either_side(decisions)
_CHANGES = _of_fact(state_changes).add_columns(state_changes.c.new.label("state"))
_RULINGS = either_side(rulings, third=rulings.c.merged)
_ERASURES = _of_fact(erasures)


def load_history(connection: Connection, namespace: str, fact_id: str) -> list[HistoryEntry]:
    """Return every entry of the log about a fact, in the order of the log.

    Raises:
        NotFoundError: the namespace has no such fact.
    """
    wanted = {"namespace": namespace, "ids": as_list([fact_id])}
    told = connection.execute(_SIGHTINGS, wanted).all()
    if not told:
        raise NotFoundError(f"{namespace} has no fact {fact_id}")
    found = [(p, sighting_entry(moment_of(at), sighting_of_row(rest))) for p, at, *rest in told]
    found += [
        (p, judgement_entry(moment_of(at), pair_of_row(rest)))
        for p, at, *rest in connection.execute(_JUDGEMENTS, wanted)
    ]
    for row in connection.execute(_DECISIONS, wanted):
        found += _decided(row)
    found += [
        (row.position, state_entry(moment_of(row.recorded_at), row.old, state_of_row(row)))
        for row in connection.execute(_CHANGES, wanted)
    ]
    found += [
        (row.position, ruling_entry(moment_of(row.recorded_at), ruling_of_row(row)))
        for row in connection.execute(_RULINGS, wanted)
    ]
    found += [
        (row.position, erasure_entry(moment_of(row.recorded_at)))
        for row in connection.execute(_ERASURES, wanted)
    ]
    return [entry for _, entry in sorted(found, key=lambda placed: placed[0])]


def _decided(row: Row[Any]) -> Iterator[tuple[int, HistoryEntry]]:
    decision = decision_of_row(row)
    yield row.sequence, decision_entry(moment_of(row.recorded_at), decision, in_force=True)
    if row.closed_at is not None:
        yield row.closed_position, decision_entry(moment_of(row.closed_at), decision, in_force=False)
