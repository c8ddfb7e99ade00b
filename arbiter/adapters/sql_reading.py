"""Reading facts and what is known about them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

import numpy as np
from sqlalchemy import and_, bindparam, select, tuple_

from arbiter.adapters.sql_dialect import NAMESPACE, as_list, listed, listed_rows
from arbiter.adapters.sql_lookup import SqlLookup
from arbiter.adapters.sql_outcome_rows import STATE, state_of
from arbiter.adapters.sql_rows import JUDGEMENT, SIGHTING, moment_of, pair_of_row, sighting_of_row
from arbiter.adapters.sql_schema import (
    erasures,
    fact_entities,
    facts,
    judgements,
    pairs,
    sightings,
    states,
    vectors,
)
from arbiter.domain.facts import fact_of
from arbiter.errors import StoreUnavailableError

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

    from arbiter.domain.evidence import JudgedPair
    from arbiter.domain.facts import Fact, Sighting
    from arbiter.domain.outcomes import FactState
    from arbiter.ports import Vectors

_PAGE = 2048
_DAMAGED = "a vector in the store is damaged; `arbiter doctor --repair` makes it again"

_LAST_SEEN = select(sightings.c.id, sightings.c.last_seen).where(
    sightings.c.namespace == NAMESPACE, sightings.c.id.in_(listed("ids"))
)
_OF_FACTS = (
    select(*SIGHTING, erasures.c.fingerprint)
    .outerjoin(erasures, and_(erasures.c.namespace == NAMESPACE, erasures.c.fact_id == sightings.c.fact_id))
    .where(sightings.c.namespace == NAMESPACE, sightings.c.fact_id.in_(listed("ids")))
)
_ERASED = select(erasures.c.fact_id, erasures.c.fingerprint).where(
    erasures.c.namespace == NAMESPACE, erasures.c.fact_id.in_(listed("ids"))
)
_STATES = select(*STATE).where(states.c.namespace == NAMESPACE, states.c.fact_id.in_(listed("ids")))
_ENTITIES = select(fact_entities.c.fact_id, fact_entities.c.entity).where(
    fact_entities.c.namespace == NAMESPACE, fact_entities.c.fact_id.in_(listed("ids"))
)
# Asked for what the index of subjects holds alone, SQLite goes through all of that.
_SUBJECTS_OF = select(facts.c.id, facts.c.subject, facts.c.erased).where(
    facts.c.namespace == NAMESPACE, facts.c.id.in_(listed("ids"))
)
_VERDICTS = (
    select(*JUDGEMENT)
    .select_from(pairs)
    .join(
        judgements,
        and_(judgements.c.namespace == NAMESPACE, judgements.c.position == pairs.c.position),
    )
    .where(
        pairs.c.namespace == NAMESPACE,
        tuple_(pairs.c.low, pairs.c.high).in_(select(*listed_rows("keys", 2).c)),
    )
)
_VECTORS = (
    select(vectors.c.position, vectors.c.fact_id, vectors.c.vector)
    .where(
        vectors.c.namespace == NAMESPACE,
        vectors.c.model_id == bindparam("model_id"),
        vectors.c.position > bindparam("after"),
    )
    .order_by(vectors.c.position)
    .limit(_PAGE)
)
_UNEMBEDDED = (
    select(facts.c.id)
    .where(
        facts.c.namespace == NAMESPACE,
        ~facts.c.erased,
        ~select(vectors.c.fact_id)
        .where(
            vectors.c.namespace == NAMESPACE,
            vectors.c.fact_id == facts.c.id,
            vectors.c.model_id == bindparam("model_id"),
        )
        .exists(),
    )
    .order_by(facts.c.first_seen, facts.c.id)
)


def load_facts(connection: Connection, namespace: str, ids: Iterable[str]) -> dict[str, Fact]:
    """Return the facts with these ids, in the order of the ids; unknown ids lack."""
    wanted = list(dict.fromkeys(ids))
    if not wanted:
        return {}
    parameters = {"namespace": namespace, "ids": as_list(wanted)}
    told: defaultdict[str, list[Sighting]] = defaultdict(list)
    erased: dict[str, str] = {}
    for *row, fingerprint in connection.execute(_OF_FACTS, parameters).all():
        sighting = sighting_of_row(row)
        told[sighting.fact_id].append(sighting)
        if fingerprint is not None:
            erased[sighting.fact_id] = fingerprint
    found: dict[str, Fact] = {}
    for fact_id in wanted:
        if fact_id in told:
            fact = fact_of(told[fact_id])
            if fact_id in erased:
                fact = replace(fact, content="", fingerprint=erased[fact_id], erased=True)
            found[fact_id] = fact
    return found


def load_erased(connection: Connection, namespace: str, ids: Iterable[str]) -> dict[str, str]:
    """Return the fingerprints of those of the facts that were erased."""
    wanted = list(ids)
    if not wanted:
        return {}
    rows = connection.execute(_ERASED, {"namespace": namespace, "ids": as_list(wanted)})
    return {row.fact_id: row.fingerprint for row in rows}


def load_states(connection: Connection, namespace: str, ids: Iterable[str]) -> dict[str, FactState]:
    """Return the derived states of those of the facts that have one."""
    rows = connection.execute(_STATES, {"namespace": namespace, "ids": as_list(ids)}).all()
    return {row[0]: state_of(*row) for row in rows}


class SqlReader(SqlLookup):
    """Implements ``FactReader``; whoever inherits says where a connection comes from."""

    def facts(self, namespace: str, ids: Iterable[str]) -> dict[str, Fact]:
        """See ``FactReader.facts``."""
        wanted = list(ids)
        if not wanted:
            return {}
        with self._reading() as connection:
            return load_facts(connection, namespace, wanted)

    def last_seen(self, namespace: str, ids: Iterable[str]) -> dict[str, datetime]:
        """See ``FactReader.last_seen``."""
        with self._reading() as connection:
            rows = connection.execute(_LAST_SEEN, {"namespace": namespace, "ids": as_list(ids)}).all()
        return {sighting_id: moment_of(last_seen) for sighting_id, last_seen in rows}

    def states(self, namespace: str, ids: Iterable[str]) -> dict[str, FactState]:
        """See ``FactReader.states``."""
        with self._reading() as connection:
            return load_states(connection, namespace, ids)

    def entities(self, namespace: str, ids: Iterable[str]) -> dict[str, frozenset[str]]:
        """See ``FactReader.entities``."""
        named: defaultdict[str, list[str]] = defaultdict(list)
        with self._reading() as connection:
            rows = connection.execute(_ENTITIES, {"namespace": namespace, "ids": as_list(ids)}).all()
        for fact_id, entity in rows:
            named[fact_id].append(entity)
        return {fact_id: frozenset(names) for fact_id, names in named.items()}

    def subjects_of(self, namespace: str, ids: Iterable[str]) -> dict[str, str]:
        """See ``FactReader.subjects_of``."""
        with self._reading() as connection:
            rows = connection.execute(_SUBJECTS_OF, {"namespace": namespace, "ids": as_list(ids)}).all()
        return {fact_id: name for fact_id, name, erased in rows if not erased and name is not None}

    def vectors(
        self, namespace: str, model_id: str, *, after: int
    ) -> Iterator[tuple[int, list[str], Vectors]]:
        """See ``FactReader.vectors``; nothing stays open between two chunks."""
        full = True
        while full:
            parameters = {"namespace": namespace, "model_id": model_id, "after": after}
            with self._reading() as connection:
                rows = connection.execute(_VECTORS, parameters).all()
            full = len(rows) == _PAGE
            if not rows:
                return
            if len(sizes := {len(row.vector) for row in rows}) > 1 or sizes.pop() % 4:
                raise StoreUnavailableError(_DAMAGED)
            packed = np.frombuffer(bytearray().join(row.vector for row in rows), dtype="<f4")
            after = rows[-1].position
            yield after, [row.fact_id for row in rows], packed.reshape(len(rows), -1)

    def unembedded(self, namespace: str, model_id: str) -> list[str]:
        """See ``FactReader.unembedded``."""
        with self._reading() as connection:
            rows = connection.execute(_UNEMBEDDED, {"namespace": namespace, "model_id": model_id})
            return list(rows.scalars())

    def verdicts(self, namespace: str, keys: Iterable[tuple[str, str]]) -> dict[tuple[str, str], JudgedPair]:
        """See ``FactReader.verdicts``."""
        with self._reading() as connection:
            rows = connection.execute(_VERDICTS, {"namespace": namespace, "keys": as_list(keys)}).all()
        return {(row[0], row[1]): pair_of_row(row) for row in rows}
