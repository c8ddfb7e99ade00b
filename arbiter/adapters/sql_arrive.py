"""Sightings entering the log, and the rows of their facts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sqlalchemy import bindparam, select, update

from arbiter.adapters.sql_dialect import NAMESPACE, WITHIN, as_list, insert_new, listed, upsert
from arbiter.adapters.sql_reading import load_erased, load_facts
from arbiter.adapters.sql_rows import micros, sighting_row
from arbiter.adapters.sql_schema import fact_entities, fact_references, facts, sightings
from arbiter.domain.facts import fact_of
from arbiter.interchange.erasure import erased_sighting

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

    from arbiter.adapters.sql_log import SqlLog
    from arbiter.domain.facts import Fact, Sighting

_KNOWN_SIGHTINGS = select(sightings.c.id).where(
    sightings.c.namespace == NAMESPACE, sightings.c.id.in_(listed("ids"))
)
_FACT_ROWS = select(facts).where(facts.c.namespace == NAMESPACE, facts.c.id.in_(listed("ids")))
_ENTITIES_MOVE = (
    update(fact_entities)
    .where(fact_entities.c.namespace == WITHIN, fact_entities.c.fact_id == bindparam("moved"))
    .values(first_seen=bindparam("first"))
)
_REFERENCES_MOVE = (
    update(fact_references)
    .where(fact_references.c.namespace == WITHIN, fact_references.c.fact_id == bindparam("moved"))
    .values(first_seen=bindparam("first"))
)


def append_sightings(
    log: SqlLog,
    arrived: Sequence[Sighting],
    subjects: Mapping[str, str],
    entities: Mapping[str, frozenset[str]],
) -> None:
    """Append what is new and bring the rows of its facts up to date."""
    if not arrived:
        return
    connection, namespace = log.connection, log.namespace
    asked = {"namespace": namespace, "ids": as_list(sighting.id for sighting in arrived)}
    known = set(connection.execute(_KNOWN_SIGHTINGS, asked).scalars())
    new = list({s.id: s for s in reversed(arrived) if s.id not in known}.values())[::-1]
    if not new:
        return
    ids = list(dict.fromkeys(sighting.fact_id for sighting in new))
    erased = load_erased(connection, namespace, ids)
    new = [erased_sighting(s) if s.fact_id in erased else s for s in new]
    present = {
        row["id"]: row
        for row in connection.execute(_FACT_ROWS, {"namespace": namespace, "ids": as_list(ids)}).mappings()
    }
    names = {fact_id: subjects.get(fact_id) for fact_id in ids if fact_id not in present}
    connection.execute(
        sightings.insert(),
        [{**log.entry(), **sighting_row(s), "subject_name": names.get(s.fact_id)} for s in new],
    )
    # Only what was there before has to be read again with what is new.
    loaded = load_facts(connection, namespace, present) | {
        fact_id: fact_of(told) for fact_id, told in _by_fact(new).items() if fact_id not in present
    }
    _write_facts(log, loaded, present, names)
    _write_references(log, new, loaded)
    named = [
        {
            "namespace": namespace,
            "entity": name,
            "fact_id": fact_id,
            "first_seen": first_seen(loaded[fact_id]),
        }
        for fact_id in ids
        if fact_id not in present
        for name in sorted(entities.get(fact_id, ()))
    ]
    if named:
        connection.execute(insert_new(connection, fact_entities), named)


def _by_fact(told: Iterable[Sighting]) -> dict[str, list[Sighting]]:
    found: defaultdict[str, list[Sighting]] = defaultdict(list)
    for sighting in told:
        found[sighting.fact_id].append(sighting)
    return found


def first_seen(fact: Fact) -> int:
    """Return when a fact was first seen, in the unit of the tables."""
    return micros(fact.first_seen)


def fact_row(namespace: str, fact: Fact, subject: str | None, *, finished: bool) -> dict[str, Any]:
    """Return the row of a fact; ``subject`` is the name under which it is found."""
    return {
        "namespace": namespace,
        "id": fact.id,
        "fingerprint": fact.fingerprint,
        "subject": None if fact.erased else subject,
        "claim_key": fact.attribute_key,
        "first_seen": first_seen(fact),
        "finished": finished,
        "erased": fact.erased,
    }


def reference_rows(
    namespace: str, told: Iterable[Sighting], first: Mapping[str, int]
) -> list[dict[str, Any]]:
    """Return the rows under which facts are found by their sources' own references."""
    found: defaultdict[str, set[tuple[str, str]]] = defaultdict(set)
    for sighting in told:
        if sighting.source.ref is not None:
            found[sighting.fact_id].add((sighting.source.id, sighting.source.ref))
    return [
        {
            "namespace": namespace,
            "source_id": source_id,
            "source_ref": ref,
            "fact_id": fact_id,
            "first_seen": first[fact_id],
        }
        for fact_id, references in found.items()
        for source_id, ref in sorted(references)
    ]


def move_lookups(connection: Connection, namespace: str, first: Mapping[str, int]) -> None:
    """Note in the lookup tables that facts were first seen at these moments."""
    rows = [{"within": namespace, "moved": fact_id, "first": at} for fact_id, at in first.items()]
    if rows:
        connection.execute(_ENTITIES_MOVE, rows)
        connection.execute(_REFERENCES_MOVE, rows)


def _write_facts(
    log: SqlLog,
    loaded: Mapping[str, Fact],
    present: Mapping[str, Mapping[Any, Any]],
    names: Mapping[str, str | None],
) -> None:
    rows = []
    for fact_id, fact in loaded.items():
        old = present.get(fact_id)
        row = fact_row(
            log.namespace,
            fact,
            old["subject"] if old else names[fact_id],
            finished=bool(old and old["finished"]),
        )
        if old is None or dict(old) != row:
            rows.append(row)
    if rows:
        log.connection.execute(upsert(log.connection, facts), rows)
    move_lookups(
        log.connection,
        log.namespace,
        {
            fact_id: first_seen(loaded[fact_id])
            for fact_id, old in present.items()
            if old["first_seen"] != first_seen(loaded[fact_id])
        },
    )


def _write_references(log: SqlLog, new: Iterable[Sighting], loaded: Mapping[str, Fact]) -> None:
    first = {fact_id: first_seen(fact) for fact_id, fact in loaded.items()}
    rows = reference_rows(log.namespace, new, first)
    if rows:
        log.connection.execute(insert_new(log.connection, fact_references), rows)
