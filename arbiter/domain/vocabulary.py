"""The closed word lists of the domain. The words follow the labelling guide to the letter."""

from __future__ import annotations

from enum import StrEnum


class Relation(StrEnum):
    """How two facts relate."""

    DUPLICATE = "duplicate"
    UPDATE = "update"
    CONTRADICTION = "contradiction"
    COMPLEMENTARY = "complementary"
    UNRELATED = "unrelated"


class UpdateKind(StrEnum):
    """Why one fact takes the place of another."""

    STATE_CHANGE = "state_change"
    CORRECTION = "correction"
    REFINEMENT = "refinement"


class Mutability(StrEnum):
    """How the attribute behaves over time."""

    IMMUTABLE = "immutable"
    STABLE = "stable"
    MUTABLE = "mutable"
    EPHEMERAL = "ephemeral"
    EVENT = "event"


LIFETIMES = (
    Mutability.IMMUTABLE,
    Mutability.EVENT,
    Mutability.STABLE,
    Mutability.MUTABLE,
    Mutability.EPHEMERAL,
)
"""How long attributes keep their values, the longest first."""


class Stakes(StrEnum):
    """What acting on the wrong one can cost."""

    NORMAL = "normal"
    HIGH = "high"


class SourceKind(StrEnum):
    """Who says so, highest authority first."""

    USER_STATED = "user_stated"
    VERIFIED_OBSERVATION = "verified_observation"
    AGENT_INFERENCE = "agent_inference"
    THIRD_PARTY = "third_party"


class Explicitness(StrEnum):
    """Was it said, or concluded?"""

    STATED = "stated"
    INFERRED = "inferred"


class State(StrEnum):
    """Where a fact stands. Always derived by settle, never edited."""

    ACTIVE = "active"
    SUPERSEDED = "superseded"
    TOMBSTONED = "tombstoned"
    PENDING = "pending"


class StateReason(StrEnum):
    """Why a fact is no longer current."""

    DUPLICATE = "duplicate"
    UPDATE = "update"
    REFINEMENT = "refinement"
    AUTHORITY = "authority"
    CONFIDENCE = "confidence"
    QUORUM = "quorum"
    CORRECTION = "correction"
    RULING = "ruling"
    WITHDRAWN = "withdrawn"
    UNJUDGED = "unjudged"
    ERASED = "erased"


class Outcome(StrEnum):
    """What became of one submitted record."""

    STORED = "stored"
    UNCHANGED = "unchanged"
    MERGED = "merged"
    HELD = "held"
    DEFERRED = "deferred"
    REFUSED = "refused"


class Action(StrEnum):
    """What the policy makes of a pair."""

    REINFORCE = "reinforce"
    SUPERSEDE = "supersede"
    TOMBSTONE = "tombstone"
    KEEP_BOTH = "keep_both"
    MERGE_PROPOSAL = "merge_proposal"
    HOLD = "hold"
    REVIEW = "review"


class Strategy(StrEnum):
    """How a rule finds the winner of a pair."""

    RECENCY = "recency"
    CONFIDENCE = "confidence"
    AUTHORITY = "authority"
    QUORUM = "quorum"
    LLM = "llm"
    CURRENT = "current"
    RICHER = "richer"


class Standing(StrEnum):
    """The later claim's authority against the earlier one's."""

    LOWER = "lower"
    EQUAL = "equal"
    HIGHER = "higher"


class RulingKind(StrEnum):
    """What a person decided about a pair; ``a`` and ``b`` are the sides as they were shown.

    A merge puts one text in the place of both. A skip and a call for more context decide nothing: the
    question is set aside until there is other evidence. An undo takes back what was decided about the
    pair, whoever decided it; a retraction takes back one ruling, as if it had never been made.
    """

    KEEP_A = "keep_a"
    KEEP_B = "keep_b"
    KEEP_BOTH = "keep_both"
    NEITHER = "neither"
    MERGE = "merge"
    RELABEL = "relabel"
    SKIP = "skip"
    NEEDS_CONTEXT = "needs_context"
    UNDO = "undo"
    RETRACT = "retract"
