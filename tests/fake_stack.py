"""A whole arbiter on fakes around any judge, as the evals put one around the judge that they measure."""

from __future__ import annotations

from arbiter.adapters.policy_file import load_policy
from arbiter.pipeline.context import Context, Limits
from arbiter.pipeline.index import Indexes
from arbiter.ports import Judge
from arbiter.testing import BruteForceIndex, CapitalisedEntities, NoGuard, NoKeys, WordEmbedder
from arbiter.testing_store import MemoryStore
from tests.factories import day


def around(judge: Judge) -> Context:
    """Return a context with an empty store: what shares a subject, a name or most words is judged."""
    store, embedder = MemoryStore(lambda: day(10_000)), WordEmbedder()
    return Context(
        store=store,
        embedder=embedder,
        indexes=Indexes(store, embedder, BruteForceIndex),
        entities=CapitalisedEntities(),
        claim_keys=NoKeys(),
        judge=judge,
        guard=NoGuard(),
        policy=load_policy(),
        clock=lambda: day(10_000),
        limits=Limits(near=-1.0, nearer=0.75),
    )
