"""What is counted of receipts, beside their bodies."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"

_COUNTED = ("llm_calls", "prompt_tokens", "completion_tokens", "local_pairs")
_ZERO = sa.text("0")


def upgrade() -> None:
    """Add the columns, read them from the bodies that are there, and index them."""
    op.add_column("receipts", sa.Column("outcome", sa.Text(), nullable=False, server_default=""))
    for name in _COUNTED:
        op.add_column("receipts", sa.Column(name, sa.BigInteger(), nullable=False, server_default=_ZERO))
    op.add_column("receipts", sa.Column("usd", sa.Float(), nullable=False, server_default=_ZERO))
    receipts = sa.table(
        "receipts",
        *map(sa.column, ("body", "outcome", "usd", *_COUNTED)),
    )
    # To PostgreSQL a text is no JSON until it is cast; to SQLite it is, and a cast would make a number of it.
    read = sa.cast if op.get_context().dialect.name == "postgresql" else sa.type_coerce
    body = read(receipts.c.body, sa.JSON)
    cost = body["cost"]
    op.execute(
        receipts.update().values(
            outcome=body["outcome"].as_string(),
            usd=cost["usd"].as_float(),
            **{name: cost[name].as_integer() for name in _COUNTED},
        )
    )
    op.create_index(
        "ix_receipts_figures",
        "receipts",
        [
            "namespace",
            "recorded_at",
            "outcome",
            "llm_calls",
            "prompt_tokens",
            "completion_tokens",
            "usd",
            "local_pairs",
        ],
        unique=False,
    )
