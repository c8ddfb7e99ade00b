"""The ports: everything the pipeline needs from outside, one small Protocol each."""

from __future__ import annotations

from arbiter.ports.access import KeyStore
from arbiter.ports.answers import AnswerStore
from arbiter.ports.backlog import Backlog, LeaseStore
from arbiter.ports.evidence import (
    ClaimKeys,
    Clock,
    Embedder,
    EntityExtractor,
    Guard,
    IndexSnapshots,
    Judge,
    VectorIndex,
    VectorIndexes,
    Vectors,
)
from arbiter.ports.overview import Overview
from arbiter.ports.queue import ReviewQueue
from arbiter.ports.reading import FactReader
from arbiter.ports.store import FactStore, Writing

__all__ = [
    "AnswerStore",
    "Backlog",
    "ClaimKeys",
    "Clock",
    "Embedder",
    "EntityExtractor",
    "FactReader",
    "FactStore",
    "Guard",
    "IndexSnapshots",
    "Judge",
    "KeyStore",
    "LeaseStore",
    "Overview",
    "ReviewQueue",
    "VectorIndex",
    "VectorIndexes",
    "Vectors",
    "Writing",
]
