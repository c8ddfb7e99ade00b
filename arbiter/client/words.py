"""The closed word lists of the service's JSON, as types. The domain's ``vocabulary`` says what they mean."""

from __future__ import annotations

from typing import Literal, TypeAlias

Relation: TypeAlias = Literal["duplicate", "update", "contradiction", "complementary", "unrelated"]
UpdateKind: TypeAlias = Literal["state_change", "correction", "refinement"]
Mutability: TypeAlias = Literal["immutable", "stable", "mutable", "ephemeral", "event"]
Stakes: TypeAlias = Literal["normal", "high"]
SourceKind: TypeAlias = Literal["user_stated", "verified_observation", "agent_inference", "third_party"]
State: TypeAlias = Literal["active", "superseded", "tombstoned", "pending"]
StateReason: TypeAlias = Literal[
    "duplicate",
    "update",
    "refinement",
    "authority",
    "confidence",
    "quorum",
    "correction",
    "ruling",
    "withdrawn",
    "unjudged",
    "erased",
]
Outcome: TypeAlias = Literal["stored", "unchanged", "merged", "held", "deferred", "refused"]
Action: TypeAlias = Literal[
    "reinforce", "supersede", "tombstone", "keep_both", "merge_proposal", "hold", "review"
]
Strategy: TypeAlias = Literal["recency", "confidence", "authority", "quorum", "llm", "current", "richer"]
EventKeyPolicy: TypeAlias = Literal["auto", "identity", "content"]
Side: TypeAlias = Literal["a", "b"]
OwnSide: TypeAlias = Literal["this", "other"]

ReviewStatus: TypeAlias = Literal["open", "set_aside", "closed"]
Answer: TypeAlias = Literal[
    "keep_a", "keep_b", "keep_both", "neither", "merge", "relabel", "skip", "needs_context"
]
RulingKind: TypeAlias = Literal[Answer, "undo", "retract"]
ImportStatus: TypeAlias = Literal[
    "applied",
    "already_settled",
    "commented",
    "stale",
    "disputed",
    "claimed",
    "not_found",
    "invalid",
    "failed",
]
OpenForm: TypeAlias = Literal[
    "jsonl", "csv", "label-studio", "label-studio-config", "argilla", "argilla-settings"
]
SettledForm: TypeAlias = Literal["jsonl", "csv", "training"]
ImportForm: TypeAlias = Literal["jsonl", "csv", "label-studio", "argilla"]
