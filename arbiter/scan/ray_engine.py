"""A scan on the cores of many machines, by Ray.

                          ┌─ workers ──────────────────────────────┐
    batch, and its        │ embed · names in texts · local judge   │  parts of 64 texts or 32 pairs
    shards by namespace   └────────────────────────────────────────┘
                 │                   ▲      │
                 └─► submit, as in ──┘      ▼
                     any process   ───► the store, written here and nowhere else

What costs time is to read: to embed texts, to find names in them, to judge pairs. That is computed by
workers, as functions of what is read and of nothing else: the texts of a batch together, then the pairs of
each shard. Everything that depends on what was written
before (what is known, what is near, what follows) stays in the process that scans, which alone has the
store. It runs the same stages as ever, in the order of the records within each namespace, and the namespaces
of a batch side by side, since nothing ever crosses them. From that follows the rest:

- The result is that of one process, receipt by receipt. To hand out whole namespaces instead would need a
  store for each worker, or one that all can reach, and one large namespace would keep one worker busy and
  leave the others idle. So it is never the shard that is handed out but its reading: of one large namespace
  every batch is spread over all workers.
- A worker that dies takes nothing with it. Ray computes its part again, on another one, and the answer is the
  same. A part has no effect that could come twice.
- Any store will do. A file of SQLite is written by one process, as always.
- A language model is asked from here, by the threads of its judge: it waits, it does not compute. So its key
  stays here, and its limits hold for the scan, not for each worker. Where its ceiling of cost is reached,
  the namespaces of a batch race for what is left, so it is open which pairs stay unjudged.

What stays here is about a fifth of the work where the packaged model judges; the first few cores help most.
Beyond that, several scans, each with its own namespaces, can share a cluster and a store on PostgreSQL.

Ray's tasks carry this. A run of Ray Data, which is made of them, takes half a second to set up (measured
with Ray 2.60; a task takes two milliseconds), and here each batch has to be read before the next one can be
asked about.
"""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol, TypeVar

from arbiter.api import Arbiter
from arbiter.errors import ConfigurationError
from arbiter.scan.engine import read_by
from arbiter.scan.models import Models
from arbiter.settings import Settings

Item = TypeVar("Item")
Shard = TypeVar("Shard")
Result = TypeVar("Result")

# Each may need a connection to the store; a process has 20.
_SHARDS_AT_ONCE = 16
# Neither the store nor a language model is any business of a worker.
_KEPT_HERE = ("config", "database", "llm_model", "llm_api_base", "llm_api_key")


class Cluster(Protocol):
    """Computes functions on many cores; see ``RayCluster``."""

    def map(self, function: Callable[..., Result], parts: Iterable[Sequence[object]]) -> list[Result]:
        """Return what a function makes of each part, its arguments, in their order."""
        ...


class RayEngine:
    """Implements ``Engine`` on a cluster, which must be there as long as its arbiters are open."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster

    def open(self, settings: Settings) -> Arbiter:
        """See ``Engine.open``."""
        job = Job.of(settings)
        return read_by(_Away(self._cluster, job), Models.of(job.settings), settings)

    def each(self, work: Callable[[Shard], Result], shards: Iterable[Shard]) -> list[Result]:
        """See ``Engine.each``."""
        with ThreadPoolExecutor(_SHARDS_AT_ONCE, thread_name_prefix="arbiter-shard") as threads:
            return list(threads.map(work, shards))


@dataclass(frozen=True, slots=True)
class Job:
    """What a worker has to know: the settings that are its business, and what its models must be."""

    settings: Settings
    identity: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, settings: Settings) -> Job:
        """Return the job for the models that settings name; it holds none of their secrets.

        Raises:
            ConfigurationError: a file that they name has faults, or an extra is missing.
        """
        defaults = {name: Settings.model_fields[name].default for name in _KEPT_HERE}
        # A worker has one core to itself.
        own = settings.model_copy(update={**defaults, "embedding_threads": 1})
        return cls(own, tuple(Models.of(own).identity.items()))


class _Away:
    """Implements ``Workers``."""

    def __init__(self, cluster: Cluster, job: Job) -> None:
        self._cluster = cluster
        self._job = job

    def map(
        self, function: Callable[[Models, Sequence[Item]], Result], parts: Iterable[Sequence[Item]]
    ) -> list[Result]:
        """See ``Workers.map``."""
        return self._cluster.map(compute, [(self._job, function, part) for part in parts])


def compute(job: Job, function: Callable[[Models, Sequence[Item]], Result], part: Sequence[Item]) -> Result:
    """Return what a function makes of a part. This is what runs on a worker.

    Raises:
        ConfigurationError: the models here are not those of the job.
    """
    return function(_models(job), part)


@lru_cache(maxsize=1)
def _models(job: Job) -> Models:
    """Return the models of a job. They stay loaded for its next part."""
    models = Models.of(job.settings)
    for name, wanted in job.identity:
        found = models.identity[name]
        if found != wanted:
            raise ConfigurationError(
                f"{name}: {found} on {platform.node()}, {wanted} where the scan runs; all machines of a "
                "cluster need the same"
            )
    return models
