"""The review queue: items with their places in it, comments and rulings."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import BigInteger, ColumnElement, and_, bindparam, case, func, or_, select, tuple_, union_all

from arbiter.adapters.sql_dialect import NAMESPACE, as_list, listed, listed_rows
from arbiter.adapters.sql_outcome_rows import review_of_row, ruling_of_row
from arbiter.adapters.sql_reading import SqlReader
from arbiter.adapters.sql_review_schema import review_comments, review_work, reviews, rulings
from arbiter.adapters.sql_rows import JUDGEMENT, Values, micros, moment_of, pair_of_row
from arbiter.adapters.sql_schema import judgements, sightings
from arbiter.domain.canonical import canonical
from arbiter.domain.review_queue import (
    AGE_LIMIT,
    AGE_STEP,
    Comment,
    QueueCounts,
    Queued,
    ReviewStatus,
    ReviewWork,
)
from arbiter.domain.vocabulary import Stakes
from arbiter.errors import NotFoundError

if TYPE_CHECKING:
    from sqlalchemy import BindParameter, Row, Select
    from sqlalchemy.engine import Connection

    from arbiter.domain.evidence import JudgedPair
    from arbiter.domain.outcomes import Ruling
    from arbiter.domain.review_queue import Place, QueueQuery

_STEP = AGE_STEP.days * 86_400_000_000
_MOMENT: BindParameter[int] = bindparam("moment", type_=BigInteger)
_ITEMS = (
    select(reviews, review_work.c.assignee, review_work.c.claimed_by, review_work.c.claimed_until)
    .select_from(reviews)
    .outerjoin(
        review_work,
        and_(review_work.c.namespace == reviews.c.namespace, review_work.c.review_id == reviews.c.id),
    )
    .where(reviews.c.namespace == NAMESPACE)
)
_STEPS = (func.coalesce(reviews.c.closed_at, _MOMENT) - reviews.c.opened_at) // _STEP
_TOTAL = reviews.c.priority + case((_STEPS < 0, 0), (_STEPS > AGE_LIMIT, AGE_LIMIT), else_=_STEPS)
_BEHIND = or_(
    bindparam("priority") > _TOTAL,
    and_(bindparam("priority") == _TOTAL, reviews.c.id > bindparam("id", type_=reviews.c.id.type)),
)
_QUEUE = (
    _ITEMS.where(_BEHIND).order_by(_TOTAL.desc(), reviews.c.id).limit(bindparam("limit", type_=BigInteger))
)
_QUEUED = _ITEMS.where(reviews.c.id.in_(listed("ids")))
_TELLING = or_(reviews.c.low.in_(listed("telling")), reviews.c.high.in_(listed("telling")))
_OPEN = reviews.c.closed_at.is_(None)
_STATUS: dict[ReviewStatus, ColumnElement[bool]] = {
    ReviewStatus.OPEN: _OPEN,
    ReviewStatus.SET_ASIDE: reviews.c.set_aside,
    ReviewStatus.CLOSED: and_(~_OPEN, ~reviews.c.set_aside),
}
_COUNTS = (
    select(
        reviews.c.kind,
        reviews.c.stakes,
        _OPEN.label("is_open"),
        reviews.c.set_aside,
        func.count().label("items"),
        func.count(case((review_work.c.claimed_until > _MOMENT, 1))).label("claimed"),
        func.min(reviews.c.opened_at).label("oldest"),
    )
    .select_from(reviews)
    .outerjoin(
        review_work,
        and_(review_work.c.namespace == reviews.c.namespace, review_work.c.review_id == reviews.c.id),
    )
    .where(reviews.c.namespace == NAMESPACE)
    .group_by(reviews.c.kind, reviews.c.stakes, _OPEN, reviews.c.set_aside)
)
_COMMENTS = (
    select(review_comments)
    .where(review_comments.c.namespace == NAMESPACE, review_comments.c.review_id.in_(listed("ids")))
    .order_by(review_comments.c.at, review_comments.c.id)
)
_RULINGS_ON = (
    select(rulings)
    .where(
        rulings.c.namespace == NAMESPACE,
        tuple_(rulings.c.low, rulings.c.high).in_(select(*listed_rows("keys", 2).c)),
    )
    .order_by(rulings.c.at, rulings.c.id)
)
# As a column, or put in order here, the position would lead SQLite through all judgements of the namespace.
_JUDGED_THEN = (
    select(rulings.c.id, judgements.c.position, *JUDGEMENT)
    .join(
        judgements,
        and_(
            judgements.c.namespace == rulings.c.namespace,
            judgements.c.low == rulings.c.low,
            judgements.c.high == rulings.c.high,
            judgements.c.position + 0 < rulings.c.position,
        ),
    )
    .where(rulings.c.namespace == NAMESPACE, rulings.c.id.in_(listed("ids")))
)
_RULING = select(rulings).where(rulings.c.namespace == NAMESPACE, rulings.c.id == bindparam("which"))


class SqlQueue(SqlReader):
    """Implements ``ReviewQueue``; whoever inherits says where a connection comes from."""

    def queue(self, namespace: str, query: QueueQuery, *, behind: Place, limit: int) -> list[Queued]:
        """See ``ReviewQueue.queue``."""
        conditions, parameters = _matching(query)
        parameters |= {
            "namespace": namespace,
            "moment": micros(behind.moment),
            "priority": behind.priority,
            "id": behind.id,
            "limit": limit,
        }
        with self._reading() as connection:
            if query.text is not None:
                parameters["telling"] = _telling(connection, query.text, conditions, parameters)
                conditions.append(_TELLING)
            return [_queued_of_row(row) for row in connection.execute(_QUEUE.where(*conditions), parameters)]

    def queued(self, namespace: str, review_ids: Iterable[str]) -> dict[str, Queued]:
        """See ``ReviewQueue.queued``."""
        rows = self._rows(_QUEUED, {"namespace": namespace, "ids": as_list(review_ids)})
        return {row.id: _queued_of_row(row) for row in rows}

    def queue_counts(self, namespace: str, now: datetime) -> QueueCounts:
        """See ``ReviewQueue.queue_counts``."""
        rows = self._rows(_COUNTS, {"namespace": namespace, "moment": micros(now)})
        waiting = [row for row in rows if row.is_open]
        kinds: Counter[str] = Counter()
        for row in waiting:
            kinds[row.kind] += row.items
        oldest = min((row.oldest for row in waiting), default=None)
        aside = sum(row.items for row in rows if row.set_aside)
        return QueueCounts(
            open=kinds.total(),
            set_aside=aside,
            closed=sum(row.items for row in rows) - kinds.total() - aside,
            high_stakes=sum(row.items for row in waiting if row.stakes == Stakes.HIGH),
            claimed=sum(row.claimed for row in waiting),
            kinds=dict(kinds),
            oldest=None if oldest is None else moment_of(oldest),
        )

    def comments(self, namespace: str, review_ids: Iterable[str]) -> dict[str, list[Comment]]:
        """See ``ReviewQueue.comments``."""
        noted: defaultdict[str, list[Comment]] = defaultdict(list)
        for row in self._rows(_COMMENTS, {"namespace": namespace, "ids": as_list(review_ids)}):
            noted[row.review_id].append(Comment(row.review_id, row.author, moment_of(row.at), row.text))
        return dict(noted)

    def rulings_on(self, namespace: str, keys: Iterable[tuple[str, str]]) -> list[Ruling]:
        """See ``ReviewQueue.rulings_on``."""
        rows = self._rows(_RULINGS_ON, {"namespace": namespace, "keys": as_list(keys)})
        return [ruling_of_row(row) for row in rows]

    def judged_then(self, namespace: str, ruling_ids: Iterable[str]) -> dict[str, JudgedPair]:
        """See ``ReviewQueue.judged_then``."""
        found: dict[str, JudgedPair] = {}
        rows = self._rows(_JUDGED_THEN, {"namespace": namespace, "ids": as_list(ruling_ids)})
        for row in sorted(rows, key=lambda row: row.position):
            pair = pair_of_row(row[2:])
            if row.id not in found or pair.counts_before(found[row.id]):
                found[row.id] = pair
        return found

    def ruling(self, namespace: str, ruling_id: str) -> Ruling:
        """See ``ReviewQueue.ruling``."""
        rows = self._rows(_RULING, {"namespace": namespace, "which": ruling_id})
        if not rows:
            raise NotFoundError(f"{namespace} has no ruling {ruling_id}")
        return ruling_of_row(rows[0])

    def _rows(self, statement: Select[Any], parameters: Values) -> list[Row[Any]]:
        with self._reading() as connection:
            return list(connection.execute(statement, parameters))


def work_row(work: ReviewWork) -> Values:
    """Return who works on an item as a row."""
    return {
        "review_id": work.review_id,
        "assignee": work.assignee,
        "claimed_by": work.claimed_by,
        "claimed_until": None if work.claimed_until is None else micros(work.claimed_until),
    }


def comment_row(comment: Comment) -> Values:
    """Return a comment as a row."""
    return {
        "review_id": comment.review_id,
        "id": comment.id,
        "author": comment.author,
        "at": micros(comment.at),
        "text": comment.text,
    }


def _queued_of_row(row: Row[Any]) -> Queued:
    is_open = row.closed_at is None
    until = None if row.claimed_until is None else moment_of(row.claimed_until)
    return Queued(
        item=review_of_row(row),
        status=ReviewStatus.OPEN
        if is_open
        else ReviewStatus.SET_ASIDE
        if row.set_aside
        else ReviewStatus.CLOSED,
        opened_at=moment_of(row.opened_at),
        closed_at=None if is_open else moment_of(row.closed_at),
        work=ReviewWork(row.id, row.assignee, row.claimed_by, until),
    )


def _telling(
    connection: Connection, text: str, conditions: Sequence[ColumnElement[bool]], parameters: Values
) -> str:
    """Return the facts of these items that hold a text, as a list; no database folds texts as we do."""
    items = _ITEMS.where(*conditions)
    sides = union_all(items.with_only_columns(reviews.c.low), items.with_only_columns(reviews.c.high))
    told = select(sightings.c.fact_id, sightings.c.content).where(
        sightings.c.namespace == NAMESPACE, sightings.c.fact_id.in_(sides)
    )
    wanted = canonical(text)
    rows = connection.execute(told, parameters)
    return as_list({row.fact_id for row in rows if wanted in canonical(row.content)})


def _matching(query: QueueQuery) -> tuple[list[ColumnElement[bool]], Values]:
    """Return the conditions that a query names, its text aside, and their parameters."""
    work = review_work.c
    found: list[ColumnElement[bool]] = []
    parameters: Values = {}
    if query.status is not None:
        found.append(_STATUS[query.status])
    if query.kinds:
        found.append(reviews.c.kind.in_(listed("kinds")))
        parameters["kinds"] = as_list(sorted(query.kinds))
    if query.stakes is not None:
        found.append(reviews.c.stakes == query.stakes.value)
    if query.assignee is not None:
        found.append(work.assignee == query.assignee)
    if query.claimed_by is not None:
        found += [work.claimed_by == query.claimed_by, work.claimed_until > _MOMENT]
    if query.free_for is not None:
        found += [
            or_(work.assignee.is_(None), work.assignee == query.free_for),
            or_(
                work.claimed_until.is_(None),
                work.claimed_until <= _MOMENT,
                work.claimed_by == query.free_for,
            ),
        ]
    return found, parameters
