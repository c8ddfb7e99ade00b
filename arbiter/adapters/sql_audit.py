"""Reading the log: what was decided, what waits for people, what happened to a fact."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sqlalchemy import and_, bindparam, select, tuple_

from arbiter.adapters.sql_dialect import NAMESPACE, as_list, either_side
from arbiter.adapters.sql_history import load_history
from arbiter.adapters.sql_outcome_rows import decision_of_row, review_of_row, ruling_of_row
from arbiter.adapters.sql_queue import SqlQueue
from arbiter.adapters.sql_review_schema import reviews, rulings
from arbiter.adapters.sql_schema import decisions, facts, pairs, positions, receipts, sightings, states
from arbiter.errors import NotFoundError

if TYPE_CHECKING:
    from sqlalchemy import CompoundSelect, Row, Select

    from arbiter.domain.outcomes import Decision, HistoryEntry, ReviewItem, Ruling
    from arbiter.domain.vocabulary import State

_PAGE = 2000
_BEFORE_ALL = -(2**63)

_NAMESPACES = (
    select(positions.c.namespace)
    # The log says so, not its views: they may be gone, and are to be built again.
    .where(select(sightings.c.id).where(sightings.c.namespace == positions.c.namespace).exists())
    .order_by(positions.c.namespace)
)
_FACT_IDS = (
    select(facts.c.first_seen, facts.c.id)
    .where(
        facts.c.namespace == NAMESPACE,
        tuple_(facts.c.first_seen, facts.c.id) > tuple_(bindparam("after"), bindparam("after_id")),
    )
    .order_by(facts.c.first_seen, facts.c.id)
    .limit(_PAGE)
)
_FIRST_SEEN = select(facts.c.first_seen).where(
    facts.c.namespace == NAMESPACE, facts.c.id == bindparam("which")
)
_FACT_IDS_OF_STATE = _FACT_IDS.join(
    states, and_(states.c.namespace == facts.c.namespace, states.c.fact_id == facts.c.id)
).where(states.c.state == bindparam("state"))
_UNFINISHED = (
    select(facts.c.id)
    .where(facts.c.namespace == NAMESPACE, ~facts.c.finished)
    .order_by(facts.c.first_seen, facts.c.id)
)
_RETRYABLE = select(pairs.c.low, pairs.c.high).where(pairs.c.namespace == NAMESPACE, pairs.c.retryable)
_UNJUDGED = select(pairs.c.low, pairs.c.high).where(
    pairs.c.namespace == NAMESPACE, ~pairs.c.judged, ~pairs.c.retryable
)
_IN_FORCE = either_side(decisions, where=[decisions.c.closed_at.is_(None)])
_DECISION = (
    select(decisions)
    .where(decisions.c.namespace == NAMESPACE, decisions.c.id == bindparam("which"))
    .order_by(decisions.c.sequence.desc())
    .limit(1)
)
_REVIEWS = select(reviews).where(reviews.c.namespace == NAMESPACE)
_OPEN_REVIEWS = _REVIEWS.where(reviews.c.closed_at.is_(None))
_REVIEW = select(reviews).where(reviews.c.namespace == NAMESPACE, reviews.c.id == bindparam("which"))
_RULINGS = select(rulings).where(rulings.c.namespace == NAMESPACE).order_by(rulings.c.at, rulings.c.id)
_RECEIPT = select(receipts.c.body).where(
    receipts.c.namespace == NAMESPACE, receipts.c.id == bindparam("which")
)


class SqlAudit(SqlQueue):
    """The part of ``FactStore`` that reads the log as a whole."""

    def namespaces(self) -> list[str]:
        """See ``FactStore.namespaces``."""
        with self._reading() as connection:
            return sorted(connection.execute(_NAMESPACES).scalars())

    def fact_ids(
        self, namespace: str, *, state: State | None = None, after: str | None = None
    ) -> Iterator[str]:
        """See ``FactStore.fact_ids``; nothing stays open between two pages."""
        statement = _FACT_IDS if state is None else _FACT_IDS_OF_STATE
        parameters: dict[str, object] = {"namespace": namespace, "after": _BEFORE_ALL, "after_id": ""}
        if after is not None:
            first_seen = self._one(_FIRST_SEEN, namespace, after, "fact").first_seen
            parameters |= {"after": first_seen, "after_id": after}
        if state is not None:
            parameters["state"] = state.value
        full = True
        while full:
            rows = self._all(statement, parameters)
            yield from (row.id for row in rows)
            full = len(rows) == _PAGE
            if full:
                parameters |= {"after": rows[-1].first_seen, "after_id": rows[-1].id}

    def unfinished(self, namespace: str) -> list[str]:
        """See ``FactStore.unfinished``."""
        return [row.id for row in self._all(_UNFINISHED, {"namespace": namespace})]

    def retryable(self, namespace: str) -> list[tuple[str, str]]:
        """See ``FactStore.retryable``."""
        return sorted((row.low, row.high) for row in self._all(_RETRYABLE, {"namespace": namespace}))

    def unjudged(self, namespace: str) -> list[tuple[str, str]]:
        """See ``FactStore.unjudged``."""
        return sorted((row.low, row.high) for row in self._all(_UNJUDGED, {"namespace": namespace}))

    def decision(self, namespace: str, decision_id: str) -> Decision:
        """See ``FactStore.decision``."""
        return decision_of_row(self._decision_row(namespace, decision_id))

    def decisions(self, namespace: str, fact_ids: Iterable[str]) -> list[Decision]:
        """See ``FactStore.decisions``; in the order in which they came into force."""
        return [decision_of_row(row) for row in self._in_force(namespace, fact_ids)]

    def later_decisions(self, namespace: str, decision_id: str) -> list[Decision]:
        """See ``FactStore.later_decisions``; in the order in which they came into force.

        Raises:
            NotFoundError: the namespace has no such decision.
        """
        base = self._decision_row(namespace, decision_id)
        about = {base.low, base.high, base.winner or base.low}
        rows = self._in_force(namespace, about)
        found = [decision_of_row(row) for row in rows if row.sequence > base.sequence]
        return [decision for decision in found if decision.retires]

    def reviews(self, namespace: str, *, open_only: bool = True) -> list[ReviewItem]:
        """See ``FactStore.reviews``."""
        rows = self._all(_OPEN_REVIEWS if open_only else _REVIEWS, {"namespace": namespace})
        items = [review_of_row(row) for row in rows]
        return sorted(items, key=lambda item: (-item.priority, item.id))

    def review(self, namespace: str, review_id: str) -> tuple[ReviewItem, bool]:
        """See ``FactStore.review``."""
        row = self._one(_REVIEW, namespace, review_id, "review item")
        return review_of_row(row), row.closed_at is None

    def rulings(self, namespace: str) -> list[Ruling]:
        """See ``FactStore.rulings``."""
        return [ruling_of_row(row) for row in self._all(_RULINGS, {"namespace": namespace})]

    def receipt(self, namespace: str, receipt_id: str) -> Mapping[str, object]:
        """See ``FactStore.receipt``."""
        body: dict[str, object] = json.loads(self._one(_RECEIPT, namespace, receipt_id, "receipt").body)
        return body

    def history(self, namespace: str, fact_id: str) -> list[HistoryEntry]:
        """See ``FactStore.history``."""
        with self._reading() as connection:
            return load_history(connection, namespace, fact_id)

    def _in_force(self, namespace: str, fact_ids: Iterable[str]) -> list[Row[Any]]:
        rows = self._all(_IN_FORCE, {"namespace": namespace, "ids": as_list(fact_ids)})
        return sorted(rows, key=lambda row: row.sequence)

    def _decision_row(self, namespace: str, decision_id: str) -> Row[Any]:
        return self._one(_DECISION, namespace, decision_id, "decision")

    def _one(self, statement: Select[Any], namespace: str, which: str, kind: str) -> Row[Any]:
        rows = self._all(statement, {"namespace": namespace, "which": which})
        if not rows:
            raise NotFoundError(f"{namespace} has no {kind} {which}")
        return rows[0]

    def _all(
        self, statement: Select[Any] | CompoundSelect[Any], parameters: Mapping[str, object]
    ) -> Sequence[Row[Any]]:
        with self._reading() as connection:
            return connection.execute(statement, parameters).all()
