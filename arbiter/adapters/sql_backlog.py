"""What waits in the store, over all namespaces."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING, Any

from sqlalchemy import ColumnElement, ScalarSelect, Select, and_, bindparam, false, func, select

from arbiter.adapters.sql_dialect import WITHIN, as_list, listed
from arbiter.adapters.sql_review_schema import reviews
from arbiter.adapters.sql_rows import Values, micros, moment_of
from arbiter.adapters.sql_schema import facts, judgements, pairs, sightings
from arbiter.domain.backlog import HeldPair, Queue, Waiting

if TYPE_CHECKING:
    from sqlalchemy import Row, Table

    from arbiter.adapters.sql_access import Connecting

_LOW, _HIGH = facts.alias("low_fact"), facts.alias("high_fact")


def _of_attempts(value: ColumnElement[Any]) -> ScalarSelect[Any]:
    """Return something about the judgements of a pair. Grouped, the statement would walk along every pair."""
    return (
        select(value)
        .where(
            judgements.c.namespace == pairs.c.namespace,
            judgements.c.low == pairs.c.low,
            judgements.c.high == pairs.c.high,
        )
        .scalar_subquery()
    )


_AMONG = pairs.join(_LOW, and_(_LOW.c.namespace == pairs.c.namespace, _LOW.c.id == pairs.c.low)).join(
    _HIGH, and_(_HIGH.c.namespace == pairs.c.namespace, _HIGH.c.id == pairs.c.high)
)
_IS_HELD = and_(pairs.c.retryable, _LOW.c.erased == false(), _HIGH.c.erased == false())
_HELD_COUNT = select(func.count().label("number")).select_from(_AMONG).where(_IS_HELD)
_HELD = (
    select(
        pairs.c.namespace,
        pairs.c.low,
        pairs.c.high,
        _of_attempts(func.count()).label("attempts"),
        _of_attempts(func.min(judgements.c.recorded_at)).label("first"),
        _of_attempts(func.max(judgements.c.recorded_at)).label("last"),
    )
    .select_from(_AMONG)
    .where(_IS_HELD)
)
_ARRIVED = (
    select(func.min(sightings.c.recorded_at))
    .where(sightings.c.namespace == facts.c.namespace, sightings.c.fact_id == facts.c.id)
    .scalar_subquery()
)
_UNFINISHED = select(facts.c.namespace, facts.c.id, _ARRIVED.label("arrived")).where(
    ~facts.c.finished, facts.c.erased == false()
)
_ABANDONED = _UNFINISHED.where(bindparam("before") > _ARRIVED)
_ABANDONED_AMONG = _ABANDONED.where(facts.c.id.in_(listed("among")))
_OPEN_REVIEWS = (
    select(
        reviews.c.namespace,
        reviews.c.kind,
        func.count().label("number"),
        func.min(reviews.c.opened_at).label("since"),
    )
    .where(reviews.c.closed_at.is_(None))
    .group_by(reviews.c.namespace, reviews.c.kind)
)


def _counted(waiting: Select[Any], since: str) -> Select[Any]:
    """Count what a statement returns by namespace, and find since when the oldest waits."""
    found = waiting.subquery()
    return select(
        found.c.namespace, func.count().label("number"), func.min(found.c[since]).label("since")
    ).group_by(found.c.namespace)


_HELD_COUNTS = _counted(_HELD, "first")
_UNFINISHED_COUNTS = _counted(_UNFINISHED, "arrived")


class SqlBacklog:
    """Implements ``Backlog``."""

    def __init__(self, reading: Connecting) -> None:
        self._reading = reading

    def held(self, namespace: str | None = None) -> list[HeldPair]:
        """See ``Backlog.held``."""
        rows = self._rows(*_within(_HELD, pairs, namespace))
        found = [
            HeldPair(
                row.namespace, row.low, row.high, row.attempts, moment_of(row.first), moment_of(row.last)
            )
            for row in rows
        ]
        return sorted(found, key=lambda pair: (pair.last, pair.namespace, pair.key))

    def held_count(self, namespace: str | None = None) -> int:
        """See ``Backlog.held_count``."""
        (row,) = self._rows(*_within(_HELD_COUNT, pairs, namespace))
        return int(row.number)

    def abandoned(
        self, before: datetime, namespace: str | None = None, among: Iterable[str] | None = None
    ) -> list[tuple[str, str]]:
        """See ``Backlog.abandoned``."""
        statement, parameters = _within(_ABANDONED if among is None else _ABANDONED_AMONG, facts, namespace)
        parameters["before"] = micros(before)
        if among is not None:
            parameters["among"] = as_list(among)
        rows = self._rows(statement, parameters)
        return sorted((row.namespace, row.id) for row in rows)

    def waiting(self) -> list[Waiting]:
        """See ``Backlog.waiting``."""
        found = [
            Waiting(row.namespace, "review", row.kind, row.number, moment_of(row.since))
            for row in self._rows(_OPEN_REVIEWS)
        ]
        queues: tuple[tuple[Queue, Select[Any]], ...] = (
            ("judge", _HELD_COUNTS),
            ("unfinished", _UNFINISHED_COUNTS),
        )
        for queue, statement in queues:
            found += [
                Waiting(row.namespace, queue, "", row.number, moment_of(row.since))
                for row in self._rows(statement)
            ]
        return sorted(found, key=lambda waiting: (waiting.namespace, waiting.queue, waiting.kind))

    def _rows(self, statement: Select[Any], parameters: Values | None = None) -> list[Row[Any]]:
        with self._reading() as connection:
            return list(connection.execute(statement, parameters or {}))


def _within(
    statement: Select[Any], table: Table, namespace: str | None
) -> tuple[Select[Any], dict[str, object]]:
    """Keep a statement to one namespace, if one is named; return it with its parameters."""
    if namespace is None:
        return statement, {}
    return _in_namespace(statement, table), {"within": namespace}


@cache
def _in_namespace(statement: Select[Any], table: Table) -> Select[Any]:
    """Return a statement that is the same object each time, so that it is put together once."""
    return statement.where(table.c.namespace == WITHIN)
