"""One open transaction on one namespace."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

import numpy as np
from sqlalchemy import BigInteger, BindParameter, bindparam, case, or_, update

from arbiter.adapters import sql_schema as tables
from arbiter.adapters.sql_apply import write_settlement
from arbiter.adapters.sql_arrive import append_sightings
from arbiter.adapters.sql_cluster import load_cluster
from arbiter.adapters.sql_dialect import WITHIN, as_list, insert_new, listed, upsert
from arbiter.adapters.sql_engine import SERVICE, take_turn
from arbiter.adapters.sql_erase import erase_fact
from arbiter.adapters.sql_log import SqlLog
from arbiter.adapters.sql_outcome_rows import ruling_row
from arbiter.adapters.sql_queue import comment_row, work_row
from arbiter.adapters.sql_reading import load_erased
from arbiter.adapters.sql_review_schema import review_comments, review_work, rulings
from arbiter.adapters.sql_rows import micros, pair_marks, pair_row, to_json
from arbiter.interchange.erasure import erased_judgement, erased_receipt
from arbiter.interchange.receipts import receipt_json

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement
    from sqlalchemy.engine import Connection
    from sqlalchemy.sql.base import ReadOnlyColumnCollection

    from arbiter.domain.evidence import JudgedPair
    from arbiter.domain.facts import Sighting
    from arbiter.domain.outcomes import FactState, Receipt, Ruling
    from arbiter.domain.review_queue import Comment, ReviewWork
    from arbiter.domain.settle import Cluster, Settlement
    from arbiter.ports import Clock, Vectors

_SEEN: BindParameter[int] = bindparam("seen", type_=BigInteger)
_COUNT = (
    update(tables.sightings)
    .where(tables.sightings.c.namespace == WITHIN, tables.sightings.c.id.in_(listed("ids")))
    .values(seen_count=tables.sightings.c.seen_count + bindparam("more"))
)
_TOUCH = (
    update(tables.sightings)
    .where(tables.sightings.c.namespace == WITHIN, tables.sightings.c.id == bindparam("which"))
    .values(
        last_seen=case((tables.sightings.c.last_seen < _SEEN, _SEEN), else_=tables.sightings.c.last_seen),
        seen_count=tables.sightings.c.seen_count + bindparam("more"),
    )
)
_FINISH = (
    update(tables.facts)
    .where(tables.facts.c.namespace == WITHIN, tables.facts.c.id.in_(listed("ids")), ~tables.facts.c.finished)
    .values(finished=True)
)


class SqlWriting:
    """Implements ``Writing`` on a connection whose transaction excludes every other writer."""

    def __init__(self, connection: Connection, namespace: str, clock: Clock) -> None:
        self._connection = connection
        self._namespace = namespace
        self._log = SqlLog(connection, namespace, clock)
        self.erased = False

    def arrive(
        self,
        sightings: Sequence[Sighting],
        subjects: Mapping[str, str],
        entities: Mapping[str, frozenset[str]],
    ) -> None:
        """See ``Writing.arrive``."""
        append_sightings(self._log, sightings, subjects, entities)

    def touch(self, touches: Mapping[str, tuple[datetime | None, int]]) -> None:
        """See ``Writing.touch``."""
        counted: defaultdict[int, list[str]] = defaultdict(list)
        moved = []
        for sighting_id, (latest, more) in touches.items():
            if latest is None:
                counted[more].append(sighting_id)
            else:
                seen = micros(latest)
                moved.append({"within": self._namespace, "which": sighting_id, "seen": seen, "more": more})
        for more, ids in counted.items():
            self._connection.execute(_COUNT, {"within": self._namespace, "ids": as_list(ids), "more": more})
        if moved:
            self._connection.execute(_TOUCH, moved)

    def put_vectors(self, model_id: str, ids: Sequence[str], vectors: Vectors) -> None:
        """See ``Writing.put_vectors``."""
        erased = load_erased(self._connection, self._namespace, ids)
        rows = [
            {
                "namespace": self._namespace,
                "model_id": model_id,
                "position": self._log.position(),
                "fact_id": fact_id,
                "vector": vector.tobytes(),
            }
            for fact_id, vector in zip(ids, np.ascontiguousarray(vectors, dtype="<f4"), strict=True)
            if fact_id not in erased
        ]
        if rows:
            self._connection.execute(insert_new(self._connection, tables.vectors), rows)

    def judged(self, pairs: Sequence[JudgedPair]) -> None:
        """See ``Writing.judged``."""
        sides = {fact_id for pair in pairs for fact_id in pair.key}
        erased = load_erased(self._connection, self._namespace, sides)
        entries, views = [], []
        for pair in pairs:
            gone = pair.a in erased or pair.b in erased
            kept = replace(pair, judgement=erased_judgement(pair.judgement)) if gone else pair
            entry = {**self._log.entry(), **pair_row(kept)}
            entries.append(entry)
            views.append(
                {
                    **{name: entry[name] for name in ("namespace", "position", "low", "high")},
                    **pair_marks(pair.judgement),
                }
            )
        if entries:
            self._connection.execute(tables.judgements.insert(), entries)
            insert = upsert(self._connection, tables.pairs, where=_says_more)
            self._connection.execute(insert, views)

    def finish(self, ids: Iterable[str]) -> None:
        """See ``Writing.finish``."""
        done = list(ids)
        rows = [
            {"namespace": self._namespace, "fact_id": fact_id, "recorded_at": self._log.now()}
            for fact_id in done
        ]
        if rows:
            self._connection.execute(insert_new(self._connection, tables.finished), rows)
            self._connection.execute(_FINISH, {"within": self._namespace, "ids": as_list(done)})

    def ruled(self, ruling: Ruling) -> None:
        """See ``Writing.ruled``."""
        row = {**self._log.entry(), **ruling_row(ruling)}
        self._connection.execute(insert_new(self._connection, rulings), row)

    def works(self, work: ReviewWork) -> None:
        """See ``Writing.works``."""
        row = {"namespace": self._namespace, **work_row(work)}
        self._connection.execute(upsert(self._connection, review_work), row)

    def commented(self, comment: Comment) -> None:
        """See ``Writing.commented``."""
        row = {"namespace": self._namespace, "recorded_at": self._log.now(), **comment_row(comment)}
        self._connection.execute(insert_new(self._connection, review_comments), row)

    def cluster(self, ids: Iterable[str]) -> Cluster:
        """See ``Writing.cluster``."""
        return load_cluster(self._connection, self._namespace, ids)

    def apply(self, settlement: Settlement) -> list[FactState]:
        """See ``Writing.apply``."""
        return write_settlement(self._log, settlement)

    def receipts(self, receipts: Sequence[Receipt]) -> None:
        """See ``Writing.receipts``; the newest receipt of an id stays."""
        named = {receipt.id: _named(receipt) for receipt in receipts}
        erased = load_erased(self._connection, self._namespace, set().union(*named.values()))
        rows, links = [], []
        for receipt in receipts:
            body = receipt_json(receipt)
            for fact_id in sorted(named[receipt.id]):
                if fact_id in erased:
                    body = erased_receipt(body, fact_id)
                links.append({"namespace": self._namespace, "fact_id": fact_id, "receipt_id": receipt.id})
            rows.append(
                {
                    "namespace": self._namespace,
                    "id": receipt.id,
                    "recorded_at": self._log.now(),
                    "body": to_json(body),
                    "outcome": receipt.outcome.value,
                    **asdict(receipt.cost),
                }
            )
        if rows:
            self._connection.execute(upsert(self._connection, tables.receipts), rows)
        if links:
            self._connection.execute(insert_new(self._connection, tables.receipt_facts), links)

    def erase(self, fact_id: str) -> None:
        """See ``Writing.erase``."""
        # Kept answers belong to no namespace, and one that is being written now may quote the fact.
        take_turn(self._connection, SERVICE)
        erase_fact(self._log, fact_id)
        self.erased = True

    def flush(self) -> None:
        """Write down what the transaction kept to itself so far."""
        self._log.flush()


def _says_more(new: ReadOnlyColumnCollection[str, Any]) -> ColumnElement[bool]:
    """Keep a verdict where the later look at a pair brought none."""
    return or_(new.judged, ~tables.pairs.c.judged)


def _named(receipt: Receipt) -> set[str]:
    own = {receipt.fact_id} if receipt.fact_id else set()
    return own | {found.fact_id for found in receipt.relations}
