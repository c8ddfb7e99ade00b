"""What a store of some size costs: to open, to ask, to add to, in memory and on disk."""

from __future__ import annotations

import gc
import resource
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from heapq import nlargest
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from arbiter.api import Arbiter
from arbiter.pipeline.batches import batches
from arbiter.settings import Settings
from arbiter.wiring import build
from evals.benchmark.clocked import Stopwatch, clocked, seconds
from evals.benchmark.facts import namespace, stored, unseen

if TYPE_CHECKING:
    from arbiter.domain.facts import Record
    from arbiter.pipeline.context import Context

BATCH = 500
_NEAREST = 10
_KIB = 1 if sys.platform == "darwin" else 1024


@dataclass(frozen=True)
class Work:
    """How much of each kind is measured; 0 leaves it out."""

    new: int = 500
    bare: int = 200
    replayed: int = 20_000
    single: int = 200
    compiled_up_to: int = 100_000


@dataclass(frozen=True)
class Growth:
    """What one store costs.

    Rates are a second. ``new`` and ``bare`` are records that the store has not seen, with and without their
    subjects, ``single`` such records one at a time.

    Attributes:
        facts: facts in the store.
        namespaces: over how many namespaces they are spread.
        open_s: from nothing to the first record's receipt, in seconds; models and index included.
        index_s: of that, building the index of the first namespace from the log.
        reopen_s: as ``open_s`` for the next process, which finds a large index kept; None: not measured.
        memory: most memory that the process held, in bytes.
        disk: size of the file, in bytes.
        embedding: the embedding model alone, in this process.
        new: new records with subjects.
        bare: new records without.
        judged: pairs that the local judge read for a new record, and for one without a subject.
        replayed: records that the store has seen before.
        p50_ms: of a single new record, in milliseconds.
        p99_ms: the time that 99 of 100 stayed under.
        recall: share of the ten nearest facts that the index finds; None: not measured.
        compiled: facts compiled a second; None: not measured.
        shares: seconds for a new record by what they were spent on; embedding goes on beside the rest.
    """

    facts: int
    namespaces: int
    open_s: float
    index_s: float
    memory: int
    disk: int
    embedding: float
    new: float
    bare: float
    judged: tuple[float, float]
    replayed: float
    p50_ms: float
    p99_ms: float
    recall: float | None
    compiled: float | None
    shares: Mapping[str, float] = field(default_factory=dict)
    reopen_s: float | None = None


def measure(database: Path, facts: int, namespaces: int, settings: Settings, work: Work) -> Growth:
    """Measure a filled store. Run it in a process of its own: memory is that of the process."""
    disk = database.stat().st_size
    fresh = unseen(work.new, namespaces)
    bare = unseen(work.bare, namespaces, named=False, seed=3)
    first, *single = unseen(work.single + 1, namespaces, seed=4)
    watch = Stopwatch()
    begun = time.perf_counter()
    context = build(settings.model_copy(update={"database": str(database)}))
    with Arbiter(clocked(context, watch)) as arbiter:
        opened = time.perf_counter()
        context.indexes.current(namespace(0))
        index_s = time.perf_counter() - opened
        arbiter.submit([first])
        open_s = time.perf_counter() - begun
        embedding = work.new / seconds(
            lambda: [context.embedder.embed([r.content for r in b]) for b in batches(fresh, BATCH)]
        )
        # As the service does once it has loaded its models.
        gc.collect()
        gc.freeze()
        watch.seconds.clear()
        new_s, judged = _submitted(arbiter, fresh)
        shares = {part: seconds / work.new for part, seconds in watch.seconds.items()}
        bare_s, bare_judged = _submitted(arbiter, bare)
        known = list(stored(min(facts, 2_000), max(1, namespaces * 2_000 // facts)))
        again = [known[place % len(known)] for place in range(work.replayed)] if namespaces == 1 else []
        replayed = len(again) / _submitted(arbiter, again)[0] if again else 0.0
        times = sorted(_submitted(arbiter, [one])[0] for one in single)
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _KIB
        texts = [record.content for record in bare]
        found = recall(context, namespace(0), texts) if namespaces == 1 and texts else None
        compiled = facts / seconds(arbiter.compile) if facts <= work.compiled_up_to else None
    return Growth(
        facts=facts,
        namespaces=namespaces,
        open_s=open_s,
        index_s=index_s,
        memory=memory,
        disk=disk,
        embedding=embedding,
        new=work.new / new_s,
        bare=work.bare / bare_s,
        judged=(judged / work.new, bare_judged / work.bare),
        replayed=replayed,
        p50_ms=1e3 * times[len(times) // 2],
        p99_ms=1e3 * times[len(times) * 99 // 100],
        recall=found,
        compiled=compiled,
        shares=shares,
    )


def reopened(database: Path, namespaces: int, settings: Settings) -> float:
    """Return how long the next opening takes, to the first receipt. Run it in a process of its own, too."""
    (record,) = unseen(1, namespaces, seed=5)
    begun = time.perf_counter()
    with Arbiter.open(database, settings) as arbiter:
        arbiter.submit([record])
        return time.perf_counter() - begun


def _submitted(arbiter: Arbiter, records: Sequence[Record]) -> tuple[float, int]:
    """Submit records in batches; return the seconds and how many pairs the local judge read."""
    begun, read = time.perf_counter(), 0
    for batch in batches(records, BATCH):
        read += sum(receipt.cost.local_pairs for receipt in arbiter.submit(batch))
    return time.perf_counter() - begun, read


def recall(context: Context, name: str, queries: Sequence[str]) -> float:
    """Return the share of the ten nearest facts that the index of a namespace finds.

    The nearest are found by comparing each query with every vector of the log.
    """
    asked = context.embedder.embed(queries)
    best: list[list[tuple[float, str]]] = [[] for _ in queries]
    for _, ids, vectors in context.store.vectors(name, context.embedder.model_id, after=0):
        cosines = asked @ vectors.T
        for row, near in enumerate(np.argpartition(-cosines, min(_NEAREST, len(ids)) - 1, axis=1)):
            found = [(float(cosines[row, place]), ids[place]) for place in near[:_NEAREST]]
            best[row] = nlargest(_NEAREST, best[row] + found)
    hits = context.indexes.current(name).search(asked, limit=_NEAREST, min_similarity=-1.0)
    found_ids = [{fact_id for fact_id, _ in row} for row in hits]
    wanted = [{fact_id for _, fact_id in row} for row in best]
    return sum(len(w & f) for w, f in zip(wanted, found_ids, strict=True)) / sum(map(len, wanted))
