"""The ports: everything the pipeline needs from outside, one small Protocol each."""

from __future__ import annotations

from arbiter.ports.evidence import (
    ClaimKeys,
    Clock,
    Embedder,
    EntityExtractor,
    Guard,
    Judge,
    VectorIndex,
    Vectors,
)
from arbiter.ports.reading import FactReader
from arbiter.ports.store import FactStore, Writing

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
    "Vectors",
    "Writing",
]
