"""What two people answer in an annotation tool, for the exports that the tests read back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from tests.exchange_cases import HOSTILE, PROPOSED, REVIEWS, SAME, UNJUDGED

Values: TypeAlias = Mapping[str, str]

PEOPLE = ("kim", "lee")
SUBMITTED: tuple[tuple[str, str, Values], ...] = (
    (
        SAME,
        "kim",
        {"ruling": "merge", "relation": "duplicate", "text": PROPOSED, "reason": "one\n<b>fee</b>"},
    ),
    (REVIEWS[0], "kim", {"ruling": "keep_b", "relation": "contradiction"}),
    (REVIEWS[0], "lee", {"ruling": "keep_b", "relation": "contradiction", "reason": "passport"}),
    (REVIEWS[1], "kim", {"ruling": "keep_a", "relation": "contradiction"}),
    (REVIEWS[1], "lee", {"ruling": "relabel", "relation": "update"}),
    (REVIEWS[2], "lee", {"ruling": "needs_context", "relation": "contradiction"}),
    (
        REVIEWS[3],
        "kim",
        {"ruling": "relabel", "relation": "duplicate", "reason": HOSTILE[3], "comment": HOSTILE[1]},
    ),
    (REVIEWS[4], "kim", {"ruling": "skip", "relation": "contradiction"}),
    (UNJUDGED, "lee", {"ruling": "keep_both"}),
)
"""Review, person, and what they filled in; the relation is left as it was, or changed with a relabel."""
DISCARDED: tuple[tuple[str, str, Values], ...] = ((REVIEWS[2], "kim", {"ruling": "keep_a"}),)
"""Cancelled in Label Studio, discarded in Argilla."""
DRAFTS: tuple[tuple[str, str, Values], ...] = ((UNJUDGED, "kim", {"ruling": "keep_a"}),)
"""Saved, and not sent."""
