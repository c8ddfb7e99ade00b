"""Facts and judgements put straight into a store, so that no model is needed to have a case to look at."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from arbiter.api import Arbiter
from arbiter.domain.evidence import JudgedPair
from arbiter.domain.facts import Fact
from arbiter.domain.settle import settle


def keep(
    arbiter: Arbiter, facts: Iterable[Fact], pairs: Iterable[JudgedPair] = (), *, embedded: bool = True
) -> None:
    """Put facts of one namespace into the store as if they had been submitted and judged so.

    Their vectors are made up: each new fact points into a direction of its own.
    """
    kept = list(facts)
    context, namespace, ids = arbiter.context, kept[0].namespace, [fact.id for fact in kept]
    place = sum(1 for _ in context.store.fact_ids(namespace))
    with context.store.writing(namespace) as tx:
        tx.arrive([s for fact in kept for s in fact.sightings], {}, {i: frozenset() for i in ids})
        if embedded:
            directions = np.eye(context.embedder.dimension, dtype=np.float32)
            tx.put_vectors(context.embedder.model_id, ids, directions[place : place + len(ids)])
        tx.judged(list(pairs))
        tx.finish(ids)
        tx.apply(settle(tx.cluster(ids), context.policy))
