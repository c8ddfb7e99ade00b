"""The tables of the store.

The log is only ever added to: sightings, finished facts, judgements, rulings, receipts, erasures, state
changes and the times during which decisions were in force. The views (facts, fact references, pairs, states)
follow from it and can be dropped and rebuilt. Entities and vectors are what models made of the words on
arrival; they are kept like the log.

Every key starts with the namespace. Moments are whole microseconds since 1970 in UTC, so that they sort as
numbers in every database; ``position`` counts the entries of the log within a namespace. Each change here
needs a migration in ``migrations/versions`` and its revision below.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    text,
)

REVISIONS = ("0001",)
"""Every revision that this version knows, oldest first."""

metadata = MetaData()


def _key(name: str, kind: type[Text | BigInteger] = Text) -> Column[object]:
    return Column(name, kind(), primary_key=True)


def _texts(*names: str) -> list[Column[object]]:
    return [Column(name, Text(), nullable=False) for name in names]


def _optionals(*names: str) -> list[Column[object]]:
    return [Column(name, Text()) for name in names]


def _moment(name: str, *, nullable: bool = False) -> Column[object]:
    return Column(name, BigInteger(), nullable=nullable)


def _index_where(condition: str, in_sqlite: str, name: str, *columns: str) -> Index:
    """Index few rows; SQLite only uses it where the condition is written as in the query."""
    return Index(name, *columns, postgresql_where=text(condition), sqlite_where=text(in_sqlite))


positions = Table("positions", metadata, _key("namespace"), Column("last", BigInteger(), nullable=False))

sightings = Table(
    "sightings",
    metadata,
    _key("namespace"),
    _key("id"),
    Column("position", BigInteger(), nullable=False),
    _moment("recorded_at"),
    *_texts("fact_id", "event_key", "source_id", "source_kind"),
    *_optionals("source_ref"),
    _moment("observed_at"),
    _moment("last_seen"),
    Column("seen_count", BigInteger(), nullable=False),
    Column("record_index", Integer()),
    *_texts("content"),
    *_optionals("subject", "claim_key", "value"),
    Column("confidence", Float(), nullable=False),
    *_texts("explicitness"),
    *_optionals("causal_hint"),
    _moment("valid_from", nullable=True),
    _moment("valid_to", nullable=True),
    *_optionals("mutability", "stakes"),
    *_texts("tags", "metadata"),
    # The name under which the fact is found; the record's subject is how its source spells it.
    *_optionals("subject_name"),
    Index("ix_sightings_fact", "namespace", "fact_id"),
)

finished = Table(
    "finished", metadata, _key("namespace"), _key("fact_id"), _moment("recorded_at"), sqlite_with_rowid=False
)

judgements = Table(
    "judgements",
    metadata,
    _key("namespace"),
    _key("position", BigInteger),
    _moment("recorded_at"),
    *_texts("low", "high"),
    # Whether the judged side a is the higher id.
    Column("flipped", Boolean(), nullable=False),
    # Null where no judge could tell.
    *_optionals("relation"),
    *_texts("judge", "body"),
    Index("ix_judgements_low", "namespace", "low"),
    Index("ix_judgements_high", "namespace", "high"),
)

rulings = Table(
    "rulings",
    metadata,
    _key("namespace"),
    _key("id"),
    Column("position", BigInteger(), nullable=False),
    _moment("recorded_at"),
    *_texts("low", "high"),
    Column("flipped", Boolean(), nullable=False),
    *_texts("kind", "reviewer"),
    _moment("at"),
    *_texts("digest_a", "digest_b"),
    *_optionals("relabel"),
    *_texts("reason", "policy"),
    *_optionals("decision"),
    Index("ix_rulings_low", "namespace", "low"),
    Index("ix_rulings_high", "namespace", "high"),
)

receipts = Table(
    "receipts",
    metadata,
    _key("namespace"),
    _key("id"),
    _moment("recorded_at"),
    *_texts("body"),
)

receipt_facts = Table(
    "receipt_facts",
    metadata,
    _key("namespace"),
    _key("fact_id"),
    _key("receipt_id"),
    sqlite_with_rowid=False,
)

erasures = Table(
    "erasures",
    metadata,
    _key("namespace"),
    _key("fact_id"),
    Column("position", BigInteger(), nullable=False),
    _moment("recorded_at"),
    # How the words were told apart; the words themselves are gone.
    *_texts("fingerprint"),
    # Whether the file was rewritten since, so that no page of it holds an old copy.
    Column("scrubbed", Boolean(), nullable=False),
)

state_changes = Table(
    "state_changes",
    metadata,
    _key("namespace"),
    _key("position", BigInteger),
    _moment("recorded_at"),
    *_texts("fact_id"),
    *_optionals("old"),
    *_texts("new"),
    *_optionals("reason", "successor"),
    Column("contested", Boolean(), nullable=False),
    *_optionals("decision"),
    Index("ix_state_changes_fact", "namespace", "fact_id", "position"),
)

decisions = Table(
    "decisions",
    metadata,
    _key("namespace"),
    # The position at which it came into force; a decision that returns is a new row.
    _key("sequence", BigInteger),
    _moment("recorded_at"),
    _moment("closed_at", nullable=True),
    Column("closed_position", BigInteger()),
    *_texts("id", "low", "high"),
    Column("flipped", Boolean(), nullable=False),
    *_texts("action", "rule", "explanation"),
    *_optionals("relation", "reason", "winner", "loser", "strategy"),
    *_texts("stakes", "judge", "scores"),
    Column("asks", Boolean(), nullable=False),
    Index("ix_decisions_id", "namespace", "id", "sequence"),
    Index("ix_decisions_low", "namespace", "low"),
    Index("ix_decisions_high", "namespace", "high"),
)

reviews = Table(
    "reviews",
    metadata,
    _key("namespace"),
    _key("id"),
    _moment("opened_at"),
    _moment("closed_at", nullable=True),
    *_texts("low", "high"),
    Column("flipped", Boolean(), nullable=False),
    *_texts("kind", "rule", "question"),
    Column("priority", BigInteger(), nullable=False),
    *_texts("digest_a", "digest_b"),
    *_optionals("relation"),
    *_texts("stakes"),
    *_optionals("proposal"),
    _index_where("closed_at IS NULL", "closed_at IS NULL", "ix_reviews_open", "namespace"),
    Index("ix_reviews_low", "namespace", "low"),
    Index("ix_reviews_high", "namespace", "high"),
)

fact_entities = Table(
    "fact_entities",
    metadata,
    _key("namespace"),
    _key("entity"),
    _key("fact_id"),
    _moment("first_seen"),
    Index("ix_fact_entities_newest", "namespace", "entity", "first_seen", "fact_id"),
    Index("ix_fact_entities_fact", "namespace", "fact_id"),
    sqlite_with_rowid=False,
)

vectors = Table(
    "vectors",
    metadata,
    _key("namespace"),
    _key("model_id"),
    _key("position", BigInteger),
    *_texts("fact_id"),
    # Little-endian float32.
    Column("vector", LargeBinary(), nullable=False),
    Index("ix_vectors_fact", "namespace", "fact_id", "model_id", unique=True),
)

facts = Table(
    "facts",
    metadata,
    _key("namespace"),
    _key("id"),
    *_texts("fingerprint"),
    *_optionals("subject", "claim_key"),
    _moment("first_seen"),
    Column("finished", Boolean(), nullable=False),
    Column("erased", Boolean(), nullable=False),
    Index("ix_facts_first_seen", "namespace", "first_seen", "id"),
    Index("ix_facts_fingerprint", "namespace", "fingerprint", "first_seen", "id"),
    Index("ix_facts_subject", "namespace", "subject", "first_seen", "id"),
    Index("ix_facts_claim_key", "namespace", "subject", "claim_key", "first_seen", "id"),
    _index_where("NOT finished", "finished = 0", "ix_facts_unfinished", "namespace", "first_seen", "id"),
)

fact_references = Table(
    "fact_references",
    metadata,
    _key("namespace"),
    _key("source_id"),
    _key("source_ref"),
    _key("fact_id"),
    _moment("first_seen"),
    Index("ix_fact_references_newest", "namespace", "source_id", "source_ref", "first_seen", "fact_id"),
    Index("ix_fact_references_fact", "namespace", "fact_id"),
    sqlite_with_rowid=False,
)

pairs = Table(
    "pairs",
    metadata,
    _key("namespace"),
    _key("low"),
    _key("high"),
    # The judgement that counts.
    Column("position", BigInteger(), nullable=False),
    Column("judged", Boolean(), nullable=False),
    Column("retryable", Boolean(), nullable=False),
    # Whether the two facts belong to one cluster.
    Column("connects", Boolean(), nullable=False),
    Index("ix_pairs_high", "namespace", "high", "connects"),
    _index_where("retryable", "retryable = 1", "ix_pairs_retryable", "namespace", "retryable"),
    ForeignKeyConstraint(["namespace", "position"], ["judgements.namespace", "judgements.position"]),
    sqlite_with_rowid=False,
)

states = Table(
    "states",
    metadata,
    _key("namespace"),
    _key("fact_id"),
    *_texts("state"),
    *_optionals("reason", "successor"),
    Column("contested", Boolean(), nullable=False),
    *_optionals("decision"),
)
