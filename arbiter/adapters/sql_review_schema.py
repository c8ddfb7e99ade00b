"""The tables of the review queue: rulings, items, who works on them, and comments; see ``sql_schema``."""

from __future__ import annotations

from sqlalchemy import BigInteger, Boolean, Column, Index, Table, false, text

from arbiter.adapters.sql_columns import Words, index_where, key, metadata, moment, optionals, texts

rulings = Table(
    "rulings",
    metadata,
    key("namespace"),
    key("id"),
    Column("position", BigInteger(), nullable=False),
    moment("recorded_at"),
    *texts("low", "high"),
    Column("flipped", Boolean(), nullable=False),
    *texts("kind", "reviewer"),
    moment("at"),
    *texts("digest_a", "digest_b"),
    *optionals("relabel"),
    *texts("reason", "policy"),
    *optionals("decision"),
    # What a retraction takes back; what a merge wrote, and by which sighting; what was known at a skip.
    *optionals("retracts", "merged", "sighting", "evidence"),
    Index("ix_rulings_low", "namespace", "low"),
    Index("ix_rulings_high", "namespace", "high"),
    Index("ix_rulings_merged", "namespace", "merged"),
)

reviews = Table(
    "reviews",
    metadata,
    key("namespace"),
    key("id"),
    moment("opened_at"),
    moment("closed_at", nullable=True),
    *texts("low", "high"),
    Column("flipped", Boolean(), nullable=False),
    *texts("kind", "rule", "question"),
    Column("priority", BigInteger(), nullable=False),
    *texts("digest_a", "digest_b"),
    *optionals("relation"),
    *texts("stakes"),
    *optionals("proposal"),
    Column("reach", BigInteger(), nullable=False, server_default=text("0")),
    Column("evidence", Words, nullable=False, server_default=""),
    # Closed because somebody set it aside; it waits for other evidence.
    Column("set_aside", Boolean(), nullable=False, server_default=false()),
    index_where("closed_at IS NULL", "closed_at IS NULL", "ix_reviews_open", "namespace"),
    Index("ix_reviews_low", "namespace", "low"),
    Index("ix_reviews_high", "namespace", "high"),
)

review_work = Table(
    "review_work",
    metadata,
    key("namespace"),
    key("review_id"),
    *optionals("assignee", "claimed_by"),
    moment("claimed_until", nullable=True),
    sqlite_with_rowid=False,
)

review_comments = Table(
    "review_comments",
    metadata,
    key("namespace"),
    key("review_id"),
    key("id"),
    moment("recorded_at"),
    *texts("author"),
    moment("at"),
    *texts("text"),
)
