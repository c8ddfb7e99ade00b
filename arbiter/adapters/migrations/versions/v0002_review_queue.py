"""The review queue: merges, skips, who works on an item, and comments."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Add what rulings and review items have to hold, and the tables of the work on them."""
    for name in ("retracts", "merged", "sighting", "evidence"):
        op.add_column("rulings", sa.Column(name, sa.Text(), nullable=True))
    op.create_index("ix_rulings_merged", "rulings", ["namespace", "merged"], unique=False)
    op.add_column("reviews", sa.Column("reach", sa.BigInteger(), nullable=False, server_default=sa.text("0")))
    op.add_column("reviews", sa.Column("evidence", sa.Text(), nullable=False, server_default=""))
    op.add_column("reviews", sa.Column("set_aside", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.create_table(
        "review_work",
        sa.Column("namespace", sa.Text(), nullable=False),
        sa.Column("review_id", sa.Text(), nullable=False),
        sa.Column("assignee", sa.Text(), nullable=True),
        sa.Column("claimed_by", sa.Text(), nullable=True),
        sa.Column("claimed_until", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("namespace", "review_id"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "review_comments",
        sa.Column("namespace", sa.Text(), nullable=False),
        sa.Column("review_id", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("recorded_at", sa.BigInteger(), nullable=False),
        sa.Column("author", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("namespace", "review_id", "id"),
    )
