"""A store in plain dictionaries, for tests: it keeps every promise of the port and puts nothing on disk."""

from __future__ import annotations

from arbiter.testing_store.answers import MemoryAnswers
from arbiter.testing_store.keys import MemoryKeys
from arbiter.testing_store.store import MemoryStore

__all__ = ["MemoryAnswers", "MemoryKeys", "MemoryStore"]
