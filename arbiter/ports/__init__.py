"""The ports: everything the pipeline needs from outside, one small Protocol each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arbiter.ports.evidence import (
    ClaimKeys,
    Clock,
    Embedder,
    EntityExtractor,
    Guard,
    Judge,
    VectorIndex,
)
from arbiter.ports.reading import FactReader
from arbiter.ports.store import FactStore, Writing

if TYPE_CHECKING:
    from arbiter.ports.evidence import Vectors as Vectors

__all__ = [
    "ClaimKeys",
    "Clock",
    "Embedder",
    "EntityExtractor",
    "FactReader",
    "FactStore",
    "Guard",
    "Judge",
    "VectorIndex",
    "Writing",
]
