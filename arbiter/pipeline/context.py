"""What the stages work with: the ports, the policy, and the limits that keep the work bounded."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TypeAlias

from arbiter.domain.policy import Policy
from arbiter.ports import (
    ClaimKeys,
    Clock,
    Embedder,
    EntityExtractor,
    FactStore,
    Guard,
    Judge,
    VectorIndexes,
)

ProgressCallback = Callable[[int], None]
Stage: TypeAlias = Callable[[str], AbstractContextManager[None]]
"""Opened around each stage of a submission, with its name, for those who watch the work."""


def unwatched(_: str) -> AbstractContextManager[None]:
    """Watch nothing."""
    return nullcontext()


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of the work for one record; similarities are cosines in [-1, 1].

    ``near`` is the least similarity of a pair that shares its subject or a named thing, ``nearer`` that of
    a pair that shares neither. The ``nearest_related`` closest of the pairs that share one, and every pair
    that one road makes certain (same key, same reference, same text), are judged whatever their similarity.
    Where at least a ``crowd`` of facts is about the same thing, those are judged instead that are ``near``
    and stand out among these, or are as near as ``nearer``. Of facts about ``namesakes`` (Ana Lopez, Ana
    Silva) as many are judged at most: they may be one, but no judge can merge them.
    A known fact that is still unfinished ``left_after`` its arrival was left behind by whoever brought it;
    who submits it again finishes it. It is no harm if its first writer lives: the pairs are judged twice.
    """

    candidates: int = 32
    judged_pairs: int = 8
    nearest_related: int = 3
    near: float = 0.3
    nearer: float = 0.55
    crowd: int = 16
    namesakes: int = 1
    left_after: timedelta = timedelta(seconds=5)
    defer_ambiguous_subjects: bool = False


@dataclass(frozen=True, slots=True)
class Context:
    """Everything a use case needs, wired once."""

    store: FactStore
    embedder: Embedder
    indexes: VectorIndexes
    entities: EntityExtractor
    claim_keys: ClaimKeys
    judge: Judge
    guard: Guard
    policy: Policy
    clock: Clock
    limits: Limits = field(default_factory=Limits)
    stage: Stage = unwatched
