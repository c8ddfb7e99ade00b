"""Answers to requests with an Idempotency-Key, in the SQL database of the store.

Whole answers are kept, compressed, and not the ids of their receipts: a receipt of the log may be written
anew, and what changed nothing has none, but the answer that is sent again must be the one that was sent.
"""

from __future__ import annotations

import json
import zlib
from datetime import datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import bindparam, delete, select, update

from arbiter.adapters.sql_dialect import insert_new
from arbiter.adapters.sql_reading import load_erased
from arbiter.adapters.sql_rows import micros, to_json
from arbiter.adapters.sql_schema import erasures
from arbiter.adapters.sql_service_schema import answer_facts, answers
from arbiter.domain.answers import Answer, Claim, Known
from arbiter.interchange.kept_answers import ANY_FACT, erased_answer, quoted

if TYPE_CHECKING:
    from sqlalchemy import Row
    from sqlalchemy.engine import Connection

    from arbiter.adapters.sql_access import Connecting

_FAST = 1
_CHUNK = 500
_FEW = 20
_FIND = select(answers).where(answers.c.id == bindparam("which"))
_FORGET = delete(answers).where(answers.c.id == bindparam("which"))
_UNQUOTE = delete(answer_facts).where(answer_facts.c.answer_id == bindparam("which"))
_OWN = (answers.c.id == bindparam("which")) & (answers.c.owner == bindparam("whose"))
_RENEW = update(answers).where(_OWN, answers.c.status.is_(None)).values(locked_until=bindparam("until"))
_FINISH = (
    update(answers)
    .where(_OWN, answers.c.status.is_(None))
    .values(status=bindparam("with_status"), body=bindparam("with_body"))
)
_RELEASE = delete(answers).where(_OWN, answers.c.status.is_(None))
_STALE = select(answers.c.id).where(answers.c.keep_until <= bindparam("before")).limit(bindparam("most"))
_QUOTING = (
    select(answers.c.id, answers.c.body)
    .join(answer_facts, answer_facts.c.answer_id == answers.c.id)
    .where(
        answer_facts.c.namespace == bindparam("of"), answer_facts.c.fact_id.in_([bindparam("a"), ANY_FACT])
    )
)
_ERASED_SINCE = (
    select(erasures.c.fact_id)
    .where(erasures.c.namespace == bindparam("of"), erasures.c.recorded_at >= bindparam("since"))
    .limit(1)
)


class SqlAnswers:
    """Implements ``AnswerStore``."""

    def __init__(self, changing: Connecting) -> None:
        self._changing = changing

    def claim(self, claim: Claim) -> Known | None:
        """See ``AnswerStore.claim``."""
        at = micros(claim.at)
        with self._changing() as connection:
            row = connection.execute(_FIND, {"which": claim.id}).one_or_none()
            if row is not None and row.keep_until > at and not _is_abandoned(row, claim):
                return _known(row)
            _forget(connection, [claim.id, *_stale(connection, claim.at, _FEW)])
            connection.execute(answers.insert(), _row(claim))
        return None

    def renew(self, claim: Claim, until: datetime) -> bool:
        """See ``AnswerStore.renew``."""
        with self._changing() as connection:
            done = connection.execute(_RENEW, {**_own(claim), "until": micros(until)})
        return done.rowcount == 1

    def finish(self, claim: Claim, answer: Answer, namespace: str) -> bool:
        """See ``AnswerStore.finish``."""
        named, packed = quoted(answer.body, namespace), zlib.compress(answer.body, _FAST)
        with self._changing() as connection:
            body = _without_erased(connection, named, answer.body, since=micros(claim.at))
            if body != answer.body:
                packed = zlib.compress(body, _FAST)
            kept = {"with_status": answer.status, "with_body": packed}
            done = connection.execute(_FINISH, {**_own(claim), **kept})
            if done.rowcount == 1 and named:
                links = [
                    {"namespace": where, "fact_id": fact_id, "answer_id": claim.id}
                    for where, fact_id in sorted(named)
                ]
                connection.execute(insert_new(connection, answer_facts), links)
        return done.rowcount == 1

    def release(self, claim: Claim) -> None:
        """See ``AnswerStore.release``."""
        with self._changing() as connection:
            connection.execute(_RELEASE, _own(claim))

    def purge(self, before: datetime) -> int:
        """See ``AnswerStore.purge``; in several transactions, so that no writer has to wait for long."""
        count, full = 0, True
        while full:
            with self._changing() as connection:
                ids = _stale(connection, before, _CHUNK)
                _forget(connection, ids)
            count += len(ids)
            full = len(ids) == _CHUNK
        return count


def erase_answers(connection: Connection, namespace: str, fact_id: str) -> None:
    """Take what may quote a fact out of every kept answer."""
    rows = [
        {"which": row.id, "with_body": zlib.compress(_erased(row.body, namespace, fact_id), _FAST)}
        for row in connection.execute(_QUOTING, {"of": namespace, "a": fact_id}).unique()
    ]
    if rows:
        change = update(answers).where(answers.c.id == bindparam("which"))
        connection.execute(change.values(body=bindparam("with_body")), rows)


def _is_abandoned(row: Row[Any], claim: Claim) -> bool:
    """Was the same request being carried out by an owner that is gone?"""
    same = row.fingerprint == claim.fingerprint
    return same and row.status is None and row.locked_until <= micros(claim.at)


def _without_erased(connection: Connection, named: set[tuple[str, str]], body: bytes, *, since: int) -> bytes:
    """Take out of an answer what was erased before it came to be kept."""
    for namespace in sorted({namespace for namespace, _ in named}):
        ids = {fact_id for where, fact_id in named if where == namespace}
        gone = set(load_erased(connection, namespace, ids))
        if ANY_FACT in ids and connection.execute(_ERASED_SINCE, {"of": namespace, "since": since}).first():
            gone.add(ANY_FACT)
        for fact_id in gone:
            body = erased_answer(body, namespace, fact_id)
    return body


def _erased(body: bytes, namespace: str, fact_id: str) -> bytes:
    return erased_answer(zlib.decompress(body), namespace, fact_id)


def _stale(connection: Connection, before: datetime, most: int) -> list[str]:
    return list(connection.execute(_STALE, {"before": micros(before), "most": most}).scalars())


def _forget(connection: Connection, ids: list[str]) -> None:
    if ids:
        rows = [{"which": answer_id} for answer_id in ids]
        connection.execute(_UNQUOTE, rows)
        connection.execute(_FORGET, rows)


def _own(claim: Claim) -> dict[str, object]:
    return {"which": claim.id, "whose": claim.owner}


def _row(claim: Claim) -> dict[str, object]:
    return {
        "id": claim.id,
        "owner": claim.owner,
        "fingerprint": claim.fingerprint,
        "fields": zlib.compress(to_json(claim.fields).encode(), _FAST),
        "begun_at": micros(claim.at),
        "locked_until": micros(claim.locked_until),
        "keep_until": micros(claim.keep_until),
    }


def _known(row: Row[Any]) -> Known:
    answer = None if row.status is None else Answer(row.status, zlib.decompress(row.body))
    return Known(row.fingerprint, json.loads(zlib.decompress(row.fields)), answer)
