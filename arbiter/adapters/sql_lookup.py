"""Finding facts by what they are about, newest first, with a limit for each key.

Each lookup is one statement: for every key the database walks the index from its newest entry and stops at
the limit, so that a name that a million facts share costs no more than a rare one.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

from sqlalchemy import bindparam, select

from arbiter.adapters.sql_dialect import NAMESPACE, as_list, collected, listed_rows, of_collected
from arbiter.adapters.sql_schema import fact_entities, fact_references, facts

if TYPE_CHECKING:
    from sqlalchemy import Column, Select
    from sqlalchemy.engine import Connection


def _newest(fact: Column[Any], *columns: Column[Any]) -> Select[Any]:
    """Return the statement that finds facts by the columns of their table: the keys, and a list for each."""
    table = fact.table
    rows = listed_rows("keys", len(columns))
    wanted = (column == rows.c[f"k{place}"] for place, column in enumerate(columns))
    newest = (
        select(fact.label("id"))
        .where(table.c.namespace == NAMESPACE, *wanted)
        .order_by(table.c.first_seen.desc(), fact.desc())
        .limit(bindparam("limit"))
        .correlate(rows)
        .subquery()
    )
    return select(*rows.c, select(collected(newest.c.id)).correlate(rows).scalar_subquery())


_BY_FINGERPRINT = _newest(facts.c.id, facts.c.fingerprint)
_BY_SUBJECT = _newest(facts.c.id, facts.c.subject)
_BY_CLAIM_KEY = _newest(facts.c.id, facts.c.subject, facts.c.claim_key)
_BY_ENTITY = _newest(fact_entities.c.fact_id, fact_entities.c.entity)
_BY_REFERENCE = _newest(fact_references.c.fact_id, fact_references.c.source_id, fact_references.c.source_ref)
_SUBJECTS = (
    select(facts.c.subject)
    .where(facts.c.namespace == NAMESPACE, facts.c.subject.is_not(None))
    .distinct()
    .order_by(facts.c.subject)
)


class SqlLookup(ABC):
    """The lookups of ``FactReader``; whoever inherits says where a connection comes from."""

    @abstractmethod
    def _reading(self) -> AbstractContextManager[Connection]:
        """Lend a connection in whose transaction everything reads the same state."""

    def by_fingerprint(
        self, namespace: str, fingerprints: Iterable[str], *, limit: int
    ) -> dict[str, list[str]]:
        """See ``FactReader.by_fingerprint``."""
        return self._by_name(_BY_FINGERPRINT, namespace, fingerprints, limit)

    def by_reference(
        self, namespace: str, references: Iterable[tuple[str, str]], *, limit: int
    ) -> dict[tuple[str, str], list[str]]:
        """See ``FactReader.by_reference``."""
        return self._by_two(_BY_REFERENCE, namespace, references, limit)

    def by_subject(self, namespace: str, subjects: Iterable[str], *, limit: int) -> dict[str, list[str]]:
        """See ``FactReader.by_subject``."""
        return self._by_name(_BY_SUBJECT, namespace, subjects, limit)

    def by_claim_key(
        self, namespace: str, keys: Iterable[tuple[str, str]], *, limit: int
    ) -> dict[tuple[str, str], list[str]]:
        """See ``FactReader.by_claim_key``."""
        return self._by_two(_BY_CLAIM_KEY, namespace, keys, limit)

    def by_entity(self, namespace: str, entities: Iterable[str], *, limit: int) -> dict[str, list[str]]:
        """See ``FactReader.by_entity``."""
        return self._by_name(_BY_ENTITY, namespace, entities, limit)

    def subjects(self, namespace: str) -> list[str]:
        """See ``FactReader.subjects``."""
        with self._reading() as connection:
            return sorted(connection.execute(_SUBJECTS, {"namespace": namespace}).scalars())

    def _by_name(
        self, statement: Select[Any], namespace: str, names: Iterable[str], limit: int
    ) -> dict[str, list[str]]:
        return dict(self._find(statement, namespace, ((name,) for name in names), limit))

    def _by_two(
        self, statement: Select[Any], namespace: str, keys: Iterable[tuple[str, str]], limit: int
    ) -> dict[tuple[str, str], list[str]]:
        return {(one, two): found for one, two, found in self._find(statement, namespace, keys, limit)}

    def _find(
        self, statement: Select[Any], namespace: str, keys: Iterable[tuple[str, ...]], limit: int
    ) -> Iterator[Any]:
        wanted = set(keys)
        if not wanted:
            return iter(())
        parameters = {"namespace": namespace, "keys": as_list(wanted), "limit": limit}
        with self._reading() as connection:
            rows = connection.execute(statement, parameters).all()
        return ((*row[:-1], found) for row in rows if (found := of_collected(row[-1])))
