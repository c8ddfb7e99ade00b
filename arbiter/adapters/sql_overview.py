"""Counts over one namespace in the SQL database of the store."""

from __future__ import annotations

from collections import Counter, defaultdict
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import BigInteger, ColumnElement, Executable, bindparam, cast, func, select

from arbiter.adapters.sql_dialect import NAMESPACE
from arbiter.adapters.sql_review_schema import reviews, rulings
from arbiter.adapters.sql_rows import micros, moment_of
from arbiter.adapters.sql_schema import decisions, facts, receipts, sightings, states
from arbiter.domain.evidence import Spend
from arbiter.domain.overview import DayOfRecords, Rulings, Totals, Waited
from arbiter.domain.vocabulary import RulingKind, StateReason

if TYPE_CHECKING:
    from sqlalchemy import Row

    from arbiter.adapters.sql_access import Connecting

_DAY = 86_400_000_000
_SINCE = bindparam("since", type_=BigInteger)
_TAKEN_BACK = (RulingKind.UNDO.value, RulingKind.RETRACT.value)


def _day(moment: ColumnElement[Any]) -> ColumnElement[int]:
    return moment // _DAY


def _total(column: ColumnElement[Any]) -> ColumnElement[int]:
    # The sum of whole numbers is a decimal one to PostgreSQL.
    return cast(func.sum(column), BigInteger)


_RECORDS = select(_total(sightings.c.seen_count)).where(sightings.c.namespace == NAMESPACE)
_FACTS = select(func.count()).select_from(facts).where(facts.c.namespace == NAMESPACE)
_STATES = (
    select(states.c.state, states.c.reason, states.c.contested, func.count().label("number"))
    .where(states.c.namespace == NAMESPACE)
    .group_by(states.c.state, states.c.reason, states.c.contested)
)
_PAIRS = (
    select(decisions.c.relation, decisions.c.judge, func.count().label("number"))
    .where(decisions.c.namespace == NAMESPACE, decisions.c.closed_position.is_(None))
    .group_by(decisions.c.relation, decisions.c.judge)
)
_RECEIPTS = (
    select(
        _day(receipts.c.recorded_at).label("day"),
        receipts.c.outcome,
        func.count().label("number"),
        _total(receipts.c.llm_calls).label("llm_calls"),
        _total(receipts.c.prompt_tokens).label("prompt_tokens"),
        _total(receipts.c.completion_tokens).label("completion_tokens"),
        func.sum(receipts.c.usd).label("usd"),
        _total(receipts.c.local_pairs).label("local_pairs"),
    )
    .where(receipts.c.namespace == NAMESPACE, receipts.c.recorded_at >= _SINCE)
    .group_by("day", receipts.c.outcome)
    .order_by("day")
)
_RETRACTED = (
    select(rulings.c.retracts)
    .where(rulings.c.namespace == NAMESPACE, rulings.c.retracts.is_not(None))
    .scalar_subquery()
)
_RULINGS = (
    select(
        _day(rulings.c.at).label("day"),
        rulings.c.reviewer,
        rulings.c.kind,
        func.count().label("number"),
    )
    .where(
        rulings.c.namespace == NAMESPACE,
        rulings.c.at >= _SINCE,
        rulings.c.kind.not_in(_TAKEN_BACK),
        rulings.c.id.not_in(_RETRACTED),
    )
    .group_by("day", rulings.c.reviewer, rulings.c.kind)
    .order_by("day", rulings.c.reviewer, rulings.c.kind)
)
_WAITS = (
    select(
        _day(reviews.c.opened_at).label("asked"),
        _day(reviews.c.closed_at).label("closed"),
        func.count().label("number"),
    )
    .where(reviews.c.namespace == NAMESPACE)
    .group_by("asked", "closed")
)


class SqlOverview:
    """Implements ``Overview``."""

    def __init__(self, reading: Connecting) -> None:
        self._reading = reading

    def totals(self, namespace: str) -> Totals:
        """See ``Overview.totals``."""
        standing: Counter[str] = Counter()
        relations: Counter[str] = Counter()
        judges: Counter[str] = Counter()
        merged = contested = unjudged = 0
        for row in self._rows(_STATES, namespace):
            standing[row.state] += row.number
            merged += row.number if row.reason == StateReason.DUPLICATE else 0
            contested += row.number if row.contested else 0
        for row in self._rows(_PAIRS, namespace):
            if row.relation is None:
                unjudged += row.number
            else:
                relations[row.relation] += row.number
                judges[row.judge] += row.number
        return Totals(
            records=self._rows(_RECORDS, namespace)[0][0] or 0,
            facts=self._rows(_FACTS, namespace)[0][0],
            merged=merged,
            contested=contested,
            states=dict(standing),
            relations=dict(relations),
            judges=dict(judges),
            unjudged=unjudged,
        )

    def records(self, namespace: str, since: datetime) -> list[DayOfRecords]:
        """See ``Overview.records``."""
        outcomes: defaultdict[int, dict[str, int]] = defaultdict(dict)
        spent: defaultdict[int, Spend] = defaultdict(Spend)
        for row in self._rows(_RECEIPTS, namespace, since):
            outcomes[row.day][row.outcome] = row.number
            spent[row.day] += Spend(
                row.llm_calls, row.prompt_tokens, row.completion_tokens, row.usd, row.local_pairs
            )
        return [DayOfRecords(_date(day), found, spent[day]) for day, found in outcomes.items()]

    def rulings(self, namespace: str, since: datetime) -> list[Rulings]:
        """See ``Overview.rulings``."""
        rows = self._rows(_RULINGS, namespace, since)
        return [Rulings(_date(row.day), row.reviewer, row.kind, row.number) for row in rows]

    def waits(self, namespace: str) -> list[Waited]:
        """See ``Overview.waits``."""
        found = [
            Waited(_date(row.asked), None if row.closed is None else _date(row.closed), row.number)
            for row in self._rows(_WAITS, namespace)
        ]
        return sorted(found, key=lambda waited: (waited.closed is None, waited.asked, waited.closed))

    def _rows(self, statement: Executable, namespace: str, since: datetime | None = None) -> list[Row[Any]]:
        parameters: dict[str, object] = {"namespace": namespace}
        if since is not None:
            parameters["since"] = micros(since)
        with self._reading() as connection:
            return list(connection.execute(statement, parameters))


def _date(day: int) -> date:
    return moment_of(day * _DAY).date()
