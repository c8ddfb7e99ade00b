"""Building the views of a namespace again from its log."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import delete, select

from arbiter.adapters.sql_arrive import fact_row, move_lookups, reference_rows
from arbiter.adapters.sql_reading import load_facts
from arbiter.adapters.sql_rows import JUDGEMENT, pair_marks, pair_of_row
from arbiter.adapters.sql_schema import (
    fact_references,
    facts,
    finished,
    judgements,
    pairs,
    sightings,
    states,
)

if TYPE_CHECKING:
    from sqlalchemy import Table
    from sqlalchemy.engine import Connection

_CHUNK = 1000


def rebuild(connection: Connection, namespace: str) -> None:
    """Drop fact rows, references, pairs and states; derive all but the states from the log again."""
    for view in (pairs, states, fact_references, facts):
        connection.execute(delete(view).where(view.c.namespace == namespace))
    _rebuild_facts(connection, namespace)
    _rebuild_pairs(connection, namespace)


def _rebuild_facts(connection: Connection, namespace: str) -> None:
    named = _earliest_names(connection, namespace)
    done = set(
        connection.execute(select(finished.c.fact_id).where(finished.c.namespace == namespace)).scalars()
    )
    everything = list(named)
    for start in range(0, len(everything), _CHUNK):
        ids = everything[start : start + _CHUNK]
        loaded = load_facts(connection, namespace, ids)
        rows = [
            fact_row(namespace, fact, named[fact.id], finished=fact.id in done) for fact in loaded.values()
        ]
        _insert(connection, facts, rows)
        first = {row["id"]: row["first_seen"] for row in rows}
        told = [sighting for fact in loaded.values() for sighting in fact.sightings]
        _insert(connection, fact_references, reference_rows(namespace, told, first))
        move_lookups(connection, namespace, first)


def _earliest_names(connection: Connection, namespace: str) -> dict[str, str | None]:
    """Return the subject name of every fact, as its first arrival gave it."""
    rows = connection.execute(
        select(sightings.c.fact_id, sightings.c.subject_name)
        .where(sightings.c.namespace == namespace)
        .order_by(sightings.c.position)
    )
    named: dict[str, str | None] = {}
    for fact_id, name in rows:
        named.setdefault(fact_id, name)
    return named


def _rebuild_pairs(connection: Connection, namespace: str) -> None:
    """Let the newest judgement of each pair count, but an unjudged only where there is no verdict."""
    rows = connection.execute(
        select(judgements.c.position, *JUDGEMENT)
        .where(judgements.c.namespace == namespace)
        .order_by(judgements.c.position)
    )
    views: dict[tuple[str, str], dict[str, Any]] = {}
    for position, *row in rows:
        pair = pair_of_row(row)
        marks = pair_marks(pair.judgement)
        if marks["judged"] or not views.get(pair.key, marks)["judged"]:
            low, high = pair.key
            views[pair.key] = {
                "namespace": namespace,
                "low": low,
                "high": high,
                "position": position,
                **marks,
            }
    _insert(connection, pairs, list(views.values()))


def _insert(connection: Connection, table: Table, rows: list[dict[str, Any]]) -> None:
    if rows:
        connection.execute(table.insert(), rows)
