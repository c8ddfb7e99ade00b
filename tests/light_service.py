"""A service that starts in a moment: the real store, routes and keyed judge, words in place of models.

``python -m tests.light_service DATABASE PORT`` serves until it is killed.
"""

from __future__ import annotations

import sys

import uvicorn

from arbiter.adapters.claim_keys import ClaimKeyRegistry
from arbiter.adapters.policy_file import load_policy
from arbiter.adapters.sql_store import SqlStore
from arbiter.api import Arbiter
from arbiter.judges.guards import TextGuards
from arbiter.pipeline.context import Context, Limits
from arbiter.pipeline.index import Indexes
from arbiter.ports import Clock
from arbiter.settings import Settings
from arbiter.testing import BruteForceIndex, CapitalisedEntities, WordEmbedder
from arbiter.web.app import build
from arbiter.web.service import Service
from arbiter.wiring import build_judge, now


def light_context(database: str, clock: Clock = now) -> Context:
    """Return a context on a file or a server in which only what shares a claim key is compared."""
    keys = ClaimKeyRegistry.load()
    guard, policy = TextGuards(keys.canonical_name), load_policy()
    store, embedder = SqlStore(database, clock), WordEmbedder()
    return Context(
        store=store,
        embedder=embedder,
        indexes=Indexes(store, embedder, BruteForceIndex),
        entities=CapitalisedEntities(),
        claim_keys=keys,
        judge=build_judge(Settings(judge="none"), policy, keys, guard),
        guard=guard,
        policy=policy,
        clock=clock,
        limits=Limits(near=0.99, nearer=0.99, nearest_related=0, crowd=1000),
    )


def main(database: str, port: str) -> None:
    """Serve a store on a port of this machine."""
    context = light_context(database)
    app = build(Settings(), lambda settings: Service(Arbiter(context), settings))
    uvicorn.run(app, port=int(port), log_config=None, ws="none")


if __name__ == "__main__":
    main(*sys.argv[1:])
