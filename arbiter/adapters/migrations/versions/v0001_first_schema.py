"""The first schema."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make every table."""
    op.create_table(
        "decisions",
        *_texts("namespace"),
        *_numbers("sequence", "recorded_at"),
        sa.Column("closed_at", sa.BigInteger(), nullable=True),
        sa.Column("closed_position", sa.BigInteger(), nullable=True),
        *_texts("id", "low", "high"),
        *_flags("flipped"),
        *_texts("action", "rule", "explanation"),
        *_optionals("relation", "reason", "winner", "loser", "strategy"),
        *_texts("stakes", "judge", "scores"),
        *_flags("asks"),
        sa.PrimaryKeyConstraint("namespace", "sequence"),
    )
    op.create_index("ix_decisions_high", "decisions", ["namespace", "high"], unique=False)
    op.create_index("ix_decisions_id", "decisions", ["namespace", "id", "sequence"], unique=False)
    op.create_index("ix_decisions_low", "decisions", ["namespace", "low"], unique=False)
    op.create_table(
        "erasures",
        *_texts("namespace", "fact_id"),
        *_numbers("position", "recorded_at"),
        *_texts("fingerprint"),
        *_flags("scrubbed"),
        sa.PrimaryKeyConstraint("namespace", "fact_id"),
    )
    op.create_table(
        "fact_entities",
        *_texts("namespace", "entity", "fact_id"),
        *_numbers("first_seen"),
        sa.PrimaryKeyConstraint("namespace", "entity", "fact_id"),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_fact_entities_fact", "fact_entities", ["namespace", "fact_id"], unique=False)
    op.create_index(
        "ix_fact_entities_newest",
        "fact_entities",
        ["namespace", "entity", "first_seen", "fact_id"],
        unique=False,
    )
    op.create_table(
        "fact_references",
        *_texts("namespace", "source_id", "source_ref", "fact_id"),
        *_numbers("first_seen"),
        sa.PrimaryKeyConstraint("namespace", "source_id", "source_ref", "fact_id"),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_fact_references_fact", "fact_references", ["namespace", "fact_id"], unique=False)
    op.create_index(
        "ix_fact_references_newest",
        "fact_references",
        ["namespace", "source_id", "source_ref", "first_seen", "fact_id"],
        unique=False,
    )
    op.create_table(
        "facts",
        *_texts("namespace", "id", "fingerprint"),
        *_optionals("subject", "claim_key"),
        *_numbers("first_seen"),
        *_flags("finished", "erased"),
        sa.PrimaryKeyConstraint("namespace", "id"),
    )
    op.create_index(
        "ix_facts_claim_key", "facts", ["namespace", "subject", "claim_key", "first_seen", "id"], unique=False
    )
    op.create_index(
        "ix_facts_fingerprint", "facts", ["namespace", "fingerprint", "first_seen", "id"], unique=False
    )
    op.create_index("ix_facts_first_seen", "facts", ["namespace", "first_seen", "id"], unique=False)
    op.create_index("ix_facts_subject", "facts", ["namespace", "subject", "first_seen", "id"], unique=False)
    op.create_index(
        "ix_facts_unfinished",
        "facts",
        ["namespace", "first_seen", "id"],
        unique=False,
        postgresql_where=sa.text("NOT finished"),
        sqlite_where=sa.text("finished = 0"),
    )
    op.create_table(
        "finished",
        *_texts("namespace", "fact_id"),
        *_numbers("recorded_at"),
        sa.PrimaryKeyConstraint("namespace", "fact_id"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "judgements",
        *_texts("namespace"),
        *_numbers("position", "recorded_at"),
        *_texts("low", "high"),
        *_flags("flipped"),
        *_optionals("relation"),
        *_texts("judge", "body"),
        sa.PrimaryKeyConstraint("namespace", "position"),
    )
    op.create_index("ix_judgements_high", "judgements", ["namespace", "high"], unique=False)
    op.create_index("ix_judgements_low", "judgements", ["namespace", "low"], unique=False)
    op.create_table(
        "positions", *_texts("namespace"), *_numbers("last"), sa.PrimaryKeyConstraint("namespace")
    )
    op.create_table(
        "receipt_facts",
        *_texts("namespace", "fact_id", "receipt_id"),
        sa.PrimaryKeyConstraint("namespace", "fact_id", "receipt_id"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "receipts",
        *_texts("namespace", "id"),
        *_numbers("recorded_at"),
        *_texts("body"),
        sa.PrimaryKeyConstraint("namespace", "id"),
    )
    op.create_table(
        "reviews",
        *_texts("namespace", "id"),
        *_numbers("opened_at"),
        sa.Column("closed_at", sa.BigInteger(), nullable=True),
        *_texts("low", "high"),
        *_flags("flipped"),
        *_texts("kind", "rule", "question"),
        *_numbers("priority"),
        *_texts("digest_a", "digest_b"),
        *_optionals("relation"),
        *_texts("stakes"),
        *_optionals("proposal"),
        sa.PrimaryKeyConstraint("namespace", "id"),
    )
    op.create_index("ix_reviews_high", "reviews", ["namespace", "high"], unique=False)
    op.create_index("ix_reviews_low", "reviews", ["namespace", "low"], unique=False)
    op.create_index(
        "ix_reviews_open",
        "reviews",
        ["namespace"],
        unique=False,
        postgresql_where=sa.text("closed_at IS NULL"),
        sqlite_where=sa.text("closed_at IS NULL"),
    )
    op.create_table(
        "rulings",
        *_texts("namespace", "id"),
        *_numbers("position", "recorded_at"),
        *_texts("low", "high"),
        *_flags("flipped"),
        *_texts("kind", "reviewer"),
        *_numbers("at"),
        *_texts("digest_a", "digest_b"),
        *_optionals("relabel"),
        *_texts("reason", "policy"),
        *_optionals("decision"),
        sa.PrimaryKeyConstraint("namespace", "id"),
    )
    op.create_index("ix_rulings_high", "rulings", ["namespace", "high"], unique=False)
    op.create_index("ix_rulings_low", "rulings", ["namespace", "low"], unique=False)
    op.create_table(
        "sightings",
        *_texts("namespace", "id"),
        *_numbers("position", "recorded_at"),
        *_texts("fact_id", "event_key", "source_id", "source_kind"),
        *_optionals("source_ref"),
        *_numbers("observed_at", "last_seen", "seen_count"),
        sa.Column("record_index", sa.Integer(), nullable=True),
        *_texts("content"),
        *_optionals("subject", "claim_key", "value"),
        sa.Column("confidence", sa.Float(), nullable=False),
        *_texts("explicitness"),
        *_optionals("causal_hint"),
        sa.Column("valid_from", sa.BigInteger(), nullable=True),
        sa.Column("valid_to", sa.BigInteger(), nullable=True),
        *_optionals("mutability", "stakes"),
        *_texts("tags", "metadata"),
        *_optionals("subject_name"),
        sa.PrimaryKeyConstraint("namespace", "id"),
    )
    op.create_index("ix_sightings_fact", "sightings", ["namespace", "fact_id"], unique=False)
    op.create_table(
        "state_changes",
        *_texts("namespace"),
        *_numbers("position", "recorded_at"),
        *_texts("fact_id"),
        *_optionals("old"),
        *_texts("new"),
        *_optionals("reason", "successor"),
        *_flags("contested"),
        *_optionals("decision"),
        sa.PrimaryKeyConstraint("namespace", "position"),
    )
    op.create_index(
        "ix_state_changes_fact", "state_changes", ["namespace", "fact_id", "position"], unique=False
    )
    op.create_table(
        "states",
        *_texts("namespace", "fact_id", "state"),
        *_optionals("reason", "successor"),
        *_flags("contested"),
        *_optionals("decision"),
        sa.PrimaryKeyConstraint("namespace", "fact_id"),
    )
    op.create_table(
        "vectors",
        *_texts("namespace", "model_id"),
        *_numbers("position"),
        *_texts("fact_id"),
        sa.Column("vector", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("namespace", "model_id", "position"),
    )
    op.create_index("ix_vectors_fact", "vectors", ["namespace", "fact_id", "model_id"], unique=True)
    op.create_table(
        "pairs",
        *_texts("namespace", "low", "high"),
        *_numbers("position"),
        *_flags("judged", "retryable", "connects"),
        sa.ForeignKeyConstraint(
            ["namespace", "position"],
            ["judgements.namespace", "judgements.position"],
        ),
        sa.PrimaryKeyConstraint("namespace", "low", "high"),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_pairs_high", "pairs", ["namespace", "high", "connects"], unique=False)
    op.create_index(
        "ix_pairs_retryable",
        "pairs",
        ["namespace", "retryable"],
        unique=False,
        postgresql_where=sa.text("retryable"),
        sqlite_where=sa.text("retryable = 1"),
    )


def _texts(*names: str) -> list[sa.Column[str]]:
    return [sa.Column(name, sa.Text(), nullable=False) for name in names]


def _optionals(*names: str) -> list[sa.Column[str]]:
    return [sa.Column(name, sa.Text(), nullable=True) for name in names]


def _numbers(*names: str) -> list[sa.Column[int]]:
    return [sa.Column(name, sa.BigInteger(), nullable=False) for name in names]


def _flags(*names: str) -> list[sa.Column[bool]]:
    return [sa.Column(name, sa.Boolean(), nullable=False) for name in names]
