"""The tables that serving needs beside the facts: API keys, sessions, and answers that are kept for a while.

Keys and answers belong to callers, who may reach many namespaces; what an answer may quote is listed by
namespace and fact, so that erasure finds it. No secret is kept, only digests.
"""

from __future__ import annotations

from sqlalchemy import Column, Date, Index, Integer, LargeBinary, Table

from arbiter.adapters.sql_columns import key, metadata, moment, optionals, texts

api_keys = Table(
    "api_keys",
    metadata,
    key("id"),
    *texts("digest", "name"),
    # Null: any.
    *optionals("namespace"),
    # Separated by blanks.
    *texts("scopes"),
    moment("created_at"),
    moment("expires_at", nullable=True),
    moment("revoked_at", nullable=True),
    Column("last_used", Date()),
)

sessions = Table("sessions", metadata, key("digest"), *texts("key_id"), moment("expires_at"))

answers = Table(
    "answers",
    metadata,
    # Derived from the caller and the Idempotency-Key.
    key("id"),
    *texts("owner", "fingerprint"),
    # Digests of the fields of the request: JSON, compressed.
    Column("fields", LargeBinary(), nullable=False),
    moment("begun_at"),
    moment("locked_until"),
    moment("keep_until"),
    # Both null while the request is being carried out; the body is compressed.
    Column("status", Integer()),
    Column("body", LargeBinary()),
    Index("ix_answers_keep_until", "keep_until"),
)

answer_facts = Table(
    "answer_facts",
    metadata,
    key("namespace"),
    # Empty: any fact of the namespace.
    key("fact_id"),
    key("answer_id"),
    Index("ix_answer_facts_answer", "answer_id"),
    sqlite_with_rowid=False,
)
