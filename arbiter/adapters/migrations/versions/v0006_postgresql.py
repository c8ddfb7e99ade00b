"""What PostgreSQL needs: vectors that it can compare, and texts in order by their code points."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"

_TABLES = (
    "answer_facts",
    "answers",
    "api_keys",
    "decisions",
    "erasures",
    "fact_entities",
    "fact_references",
    "facts",
    "finished",
    "judgements",
    "leases",
    "pairs",
    "positions",
    "receipt_facts",
    "receipts",
    "review_comments",
    "review_work",
    "reviews",
    "rulings",
    "sessions",
    "sightings",
    "state_changes",
    "states",
    "vectors",
)


def upgrade() -> None:
    """Change the columns; in SQLite nothing has to change."""
    connection = op.get_bind()
    if connection.dialect.name != "postgresql":
        return
    inspector = sa.inspect(connection)
    for table in _TABLES:
        changes = [
            f'ALTER COLUMN "{column["name"]}" TYPE text COLLATE "C"'
            for column in inspector.get_columns(table)
            if isinstance(column["type"], sa.Text)
        ]
        op.execute(f"ALTER TABLE {table} {', '.join(changes)}")
    op.execute("CREATE EXTENSION IF NOT EXISTS vector")
    # No version before this one could keep a vector in PostgreSQL.
    op.execute("ALTER TABLE vectors DROP COLUMN vector, ADD COLUMN vector vector NOT NULL")
