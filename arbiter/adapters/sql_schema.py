"""The tables of the store.

The log is only ever added to: sightings, finished facts, judgements, rulings, comments, receipts, erasures,
state changes and the times during which decisions were in force. The views (facts, fact references, pairs,
states) follow from it and can be dropped and rebuilt. Entities and vectors are what models made of the words
on arrival; they are kept like the log. Who works on a review item is kept as it stands now.

Every key starts with the namespace. Moments are whole microseconds since 1970 in UTC, so that they sort as
numbers in every database; ``position`` counts the entries of the log within a namespace. Rulings and review
items are in ``sql_review_schema``, what serving needs is in ``sql_service_schema``
and ``sql_leases``. Each change here or there
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
    Table,
    text,
)

from arbiter.adapters.sql_columns import (
    Vector,
    Words,
    counted,
    index_where,
    key,
    metadata,
    moment,
    optionals,
    texts,
)

REVISIONS = ("0001", "0002", "0003", "0004", "0005", "0006")
"""Every revision that this version knows, oldest first."""

positions = Table("positions", metadata, key("namespace"), Column("last", BigInteger(), nullable=False))

sightings = Table(
    "sightings",
    metadata,
    key("namespace"),
    key("id"),
    Column("position", BigInteger(), nullable=False),
    moment("recorded_at"),
    *texts("fact_id", "event_key", "source_id", "source_kind"),
    *optionals("source_ref"),
    moment("observed_at"),
    moment("last_seen"),
    Column("seen_count", BigInteger(), nullable=False),
    Column("record_index", Integer()),
    *texts("content"),
    *optionals("subject", "claim_key", "value"),
    Column("confidence", Float(), nullable=False),
    *texts("explicitness"),
    *optionals("causal_hint"),
    moment("valid_from", nullable=True),
    moment("valid_to", nullable=True),
    *optionals("mutability", "stakes"),
    *texts("tags", "metadata"),
    # The name under which the fact is found; the record's subject is how its source spells it.
    *optionals("subject_name"),
    Index("ix_sightings_fact", "namespace", "fact_id"),
)

finished = Table(
    "finished", metadata, key("namespace"), key("fact_id"), moment("recorded_at"), sqlite_with_rowid=False
)

judgements = Table(
    "judgements",
    metadata,
    key("namespace"),
    key("position", BigInteger),
    moment("recorded_at"),
    *texts("low", "high"),
    # Whether the judged side a is the higher id.
    Column("flipped", Boolean(), nullable=False),
    # Null where no judge could tell.
    *optionals("relation"),
    *texts("judge", "body"),
    Index("ix_judgements_low", "namespace", "low"),
    Index("ix_judgements_high", "namespace", "high"),
)

receipts = Table(
    "receipts",
    metadata,
    key("namespace"),
    key("id"),
    moment("recorded_at"),
    *texts("body"),
    # What is counted of them, so that nobody reads the bodies for it; the index has all of it.
    Column("outcome", Words, nullable=False, server_default=""),
    *counted("llm_calls", "prompt_tokens", "completion_tokens", "local_pairs"),
    Column("usd", Float(), nullable=False, server_default=text("0")),
    Index(
        "ix_receipts_figures",
        "namespace",
        "recorded_at",
        "outcome",
        "llm_calls",
        "prompt_tokens",
        "completion_tokens",
        "usd",
        "local_pairs",
    ),
)

receipt_facts = Table(
    "receipt_facts",
    metadata,
    key("namespace"),
    key("fact_id"),
    key("receipt_id"),
    sqlite_with_rowid=False,
)

erasures = Table(
    "erasures",
    metadata,
    key("namespace"),
    key("fact_id"),
    Column("position", BigInteger(), nullable=False),
    moment("recorded_at"),
    # How the words were told apart; the words themselves are gone.
    *texts("fingerprint"),
    # Whether the file was rewritten since, so that no page of it holds an old copy.
    Column("scrubbed", Boolean(), nullable=False),
)

state_changes = Table(
    "state_changes",
    metadata,
    key("namespace"),
    key("position", BigInteger),
    moment("recorded_at"),
    *texts("fact_id"),
    *optionals("old"),
    *texts("new"),
    *optionals("reason", "successor"),
    Column("contested", Boolean(), nullable=False),
    *optionals("decision"),
    Index("ix_state_changes_fact", "namespace", "fact_id", "position"),
)

decisions = Table(
    "decisions",
    metadata,
    key("namespace"),
    # The position at which it came into force; a decision that returns is a new row.
    key("sequence", BigInteger),
    moment("recorded_at"),
    moment("closed_at", nullable=True),
    Column("closed_position", BigInteger()),
    *texts("id", "low", "high"),
    Column("flipped", Boolean(), nullable=False),
    *texts("action", "rule", "explanation"),
    *optionals("relation", "reason", "winner", "loser", "strategy"),
    *texts("stakes", "judge", "scores"),
    Column("asks", Boolean(), nullable=False),
    Index("ix_decisions_id", "namespace", "id", "sequence"),
    Index("ix_decisions_low", "namespace", "low"),
    Index("ix_decisions_high", "namespace", "high"),
)

fact_entities = Table(
    "fact_entities",
    metadata,
    key("namespace"),
    key("entity"),
    key("fact_id"),
    moment("first_seen"),
    Index("ix_fact_entities_newest", "namespace", "entity", "first_seen", "fact_id"),
    Index("ix_fact_entities_fact", "namespace", "fact_id"),
    sqlite_with_rowid=False,
)

vectors = Table(
    "vectors",
    metadata,
    key("namespace"),
    key("model_id"),
    key("position", BigInteger),
    *texts("fact_id"),
    Column("vector", Vector(), nullable=False),
    Index("ix_vectors_fact", "namespace", "fact_id", "model_id", unique=True),
)

facts = Table(
    "facts",
    metadata,
    key("namespace"),
    key("id"),
    *texts("fingerprint"),
    *optionals("subject", "claim_key"),
    moment("first_seen"),
    Column("finished", Boolean(), nullable=False),
    Column("erased", Boolean(), nullable=False),
    Index("ix_facts_first_seen", "namespace", "first_seen", "id"),
    Index("ix_facts_fingerprint", "namespace", "fingerprint", "first_seen", "id"),
    Index("ix_facts_subject", "namespace", "subject", "first_seen", "id"),
    Index("ix_facts_claim_key", "namespace", "subject", "claim_key", "first_seen", "id"),
    index_where("NOT finished", "finished = 0", "ix_facts_unfinished", "namespace", "first_seen", "id"),
)

fact_references = Table(
    "fact_references",
    metadata,
    key("namespace"),
    key("source_id"),
    key("source_ref"),
    key("fact_id"),
    moment("first_seen"),
    Index("ix_fact_references_newest", "namespace", "source_id", "source_ref", "first_seen", "fact_id"),
    Index("ix_fact_references_fact", "namespace", "fact_id"),
    sqlite_with_rowid=False,
)

pairs = Table(
    "pairs",
    metadata,
    key("namespace"),
    key("low"),
    key("high"),
    # The judgement that counts.
    Column("position", BigInteger(), nullable=False),
    Column("judged", Boolean(), nullable=False),
    Column("retryable", Boolean(), nullable=False),
    # Whether the two facts belong to one cluster.
    Column("connects", Boolean(), nullable=False),
    Index("ix_pairs_high", "namespace", "high", "connects"),
    index_where("retryable", "retryable = 1", "ix_pairs_retryable", "namespace", "retryable"),
    ForeignKeyConstraint(["namespace", "position"], ["judgements.namespace", "judgements.position"]),
    sqlite_with_rowid=False,
)

states = Table(
    "states",
    metadata,
    key("namespace"),
    key("fact_id"),
    *texts("state"),
    *optionals("reason", "successor"),
    Column("contested", Boolean(), nullable=False),
    *optionals("decision"),
)
