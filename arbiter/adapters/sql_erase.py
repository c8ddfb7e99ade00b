"""Taking the text of a fact out of every table; ids, times, labels, decisions and states stay."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from sqlalchemy import bindparam, delete, select, update

from arbiter.adapters.sql_answers import erase_answers
from arbiter.adapters.sql_dialect import as_list, either_side
from arbiter.adapters.sql_outcome_rows import review_of_row, review_row, ruling_of_row, ruling_row
from arbiter.adapters.sql_review_schema import review_comments, reviews, rulings
from arbiter.adapters.sql_rows import (
    JUDGEMENT,
    SIGHTING,
    judgement_row,
    pair_of_row,
    sighting_of_row,
    sighting_row,
    to_json,
)
from arbiter.adapters.sql_schema import (
    erasures,
    fact_entities,
    facts,
    judgements,
    receipt_facts,
    receipts,
    sightings,
    vectors,
)
from arbiter.errors import NotFoundError
from arbiter.interchange.erasure import (
    erased_judgement,
    erased_receipt,
    erased_review,
    erased_ruling,
    erased_sighting,
)

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

    from arbiter.adapters.sql_log import SqlLog


_JUDGEMENTS = either_side(judgements, judgements.c.position, *JUDGEMENT)
_RULINGS = either_side(rulings, third=rulings.c.merged)
_REVIEWS = either_side(reviews)


def erase_fact(log: SqlLog, fact_id: str) -> None:
    """Erase a fact; one that is erased already is left as it is.

    Raises:
        NotFoundError: the namespace has no such fact.
    """
    connection, namespace = log.connection, log.namespace
    row = connection.execute(
        select(facts).where(facts.c.namespace == namespace, facts.c.id == fact_id)
    ).one_or_none()
    if row is None:
        raise NotFoundError(f"{namespace} has no fact {fact_id}")
    if row.erased:
        return
    connection.execute(
        erasures.insert(),
        {**log.entry(), "fact_id": fact_id, "fingerprint": row.fingerprint, "scrubbed": False},
    )
    connection.execute(
        update(facts)
        .where(facts.c.namespace == namespace, facts.c.id == fact_id)
        .values(erased=True, subject=None, claim_key=None)
    )
    for table in (fact_entities, vectors):
        connection.execute(delete(table).where(table.c.namespace == namespace, table.c.fact_id == fact_id))
    _erase_sightings(connection, namespace, fact_id)
    _erase_judgements(connection, namespace, fact_id)
    _erase_rulings(connection, namespace, fact_id)
    _erase_reviews(connection, namespace, fact_id)
    _erase_receipts(connection, namespace, fact_id)
    erase_answers(connection, namespace, fact_id)


def needs_scrubbing(connection: Connection) -> bool:
    """Was anything erased of which the file may still hold an old copy?"""
    return (
        connection.execute(select(erasures.c.fact_id).where(~erasures.c.scrubbed).limit(1)).first()
        is not None
    )


def mark_scrubbed(connection: Connection) -> None:
    """Note that the file was rewritten after every erasure so far."""
    connection.execute(update(erasures).where(~erasures.c.scrubbed).values(scrubbed=True))


def _erase_sightings(connection: Connection, namespace: str, fact_id: str) -> None:
    told = (sightings.c.namespace == namespace) & (sightings.c.fact_id == fact_id)
    rows = [
        {"which": row[0], **sighting_row(erased_sighting(sighting_of_row(row)))}
        for row in connection.execute(select(*SIGHTING).where(told))
    ]
    change = update(sightings).where(sightings.c.namespace == namespace, sightings.c.id == bindparam("which"))
    connection.execute(change.values(subject_name=None), rows)


def _erase_judgements(connection: Connection, namespace: str, fact_id: str) -> None:
    found = connection.execute(_JUDGEMENTS, {"namespace": namespace, "ids": as_list([fact_id])})
    rows = [
        {"which": position, **judgement_row(erased_judgement(pair_of_row(row).judgement))}
        for position, *row in found
    ]
    if rows:
        change = update(judgements).where(
            judgements.c.namespace == namespace, judgements.c.position == bindparam("which")
        )
        connection.execute(change, rows)


def _erase_rulings(connection: Connection, namespace: str, fact_id: str) -> None:
    found = connection.execute(_RULINGS, {"namespace": namespace, "ids": as_list([fact_id])})
    rows = [{"which": row.id, **ruling_row(erased_ruling(ruling_of_row(row)))} for row in found]
    if rows:
        change = update(rulings).where(rulings.c.namespace == namespace, rulings.c.id == bindparam("which"))
        connection.execute(change, rows)


def _erase_reviews(connection: Connection, namespace: str, fact_id: str) -> None:
    found = connection.execute(_REVIEWS, {"namespace": namespace, "ids": as_list([fact_id])})
    rows = [{"which": row.id, **review_row(erased_review(review_of_row(row)))} for row in found]
    if rows:
        change = update(reviews).where(reviews.c.namespace == namespace, reviews.c.id == bindparam("which"))
        connection.execute(change, rows)
        noted = review_comments.c.review_id == bindparam("which")
        comments = update(review_comments).where(review_comments.c.namespace == namespace, noted)
        connection.execute(comments.values(text=""), [{"which": row["which"]} for row in rows])


def _erase_receipts(connection: Connection, namespace: str, fact_id: str) -> None:
    naming = select(receipt_facts.c.receipt_id).where(
        receipt_facts.c.namespace == namespace, receipt_facts.c.fact_id == fact_id
    )
    found = connection.execute(
        select(receipts.c.id, receipts.c.body).where(
            receipts.c.namespace == namespace, receipts.c.id.in_(naming)
        )
    )
    rows = [
        {"which": row.id, "body": to_json(erased_receipt(json.loads(row.body), fact_id))} for row in found
    ]
    if rows:
        change = update(receipts).where(
            receipts.c.namespace == namespace, receipts.c.id == bindparam("which")
        )
        connection.execute(change, rows)
