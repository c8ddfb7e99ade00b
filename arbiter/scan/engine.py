"""Where a scan computes: the port, and the plain engine, which computes here.

An engine has two things to do. It lets its workers read the parts of texts and pairs (parts.py), and it works
on the shards of a batch. All else is the same for every engine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Protocol, TypeVar

from arbiter.api import Arbiter
from arbiter.judges.llm import LlmJudge
from arbiter.judges.local import LocalJudge
from arbiter.ports import Judge
from arbiter.scan.models import Models
from arbiter.scan.parts import PartedEmbedder, PartedEntities, PartedJudge, PatientJudge, Workers
from arbiter.settings import Settings
from arbiter.wiring import Instruments

Item = TypeVar("Item")
Shard = TypeVar("Shard")
Result = TypeVar("Result")


class Engine(Protocol):
    """Computes a scan; what comes of it is the same with every engine."""

    def open(self, settings: Settings) -> Arbiter:
        """Open the store that the settings name; its texts and pairs are read where the engine computes.

        Raises:
            ConfigurationError: the settings, or a file they name, have faults.
            StoreError: the store cannot be opened.
        """
        ...

    def each(self, work: Callable[[Shard], Result], shards: Iterable[Shard]) -> list[Result]:
        """Do work on shards, of which none touches another, and return what came of it in their order.

        When it returns or raises, nothing is being worked on any more.
        """
        ...


class ProcessEngine:
    """Implements ``Engine`` in this process, one thing after the other."""

    def open(self, settings: Settings) -> Arbiter:
        """See ``Engine.open``."""
        models = Models.of(settings)
        return read_by(_Here(models), models, settings)

    def each(self, work: Callable[[Shard], Result], shards: Iterable[Shard]) -> list[Result]:
        """See ``Engine.each``."""
        return [work(shard) for shard in shards]


class _Here:
    """Implements ``Workers``."""

    def __init__(self, models: Models) -> None:
        self._models = models

    def map(
        self, function: Callable[[Models, Sequence[Item]], Result], parts: Iterable[Sequence[Item]]
    ) -> list[Result]:
        """See ``Workers.map``."""
        return [function(self._models, part) for part in parts]


def read_by(workers: Workers, models: Models, settings: Settings) -> Arbiter:
    """Open the store that the settings name; its texts and pairs are read by workers who have the models.

    Raises:
        ConfigurationError: the settings, or a file they name, have faults.
        StoreError: the store cannot be opened.
    """

    def placed(judge: Judge) -> Judge:
        if isinstance(judge, LocalJudge):
            return PartedJudge(judge, workers)
        return PatientJudge(judge) if isinstance(judge, LlmJudge) else judge

    context = Arbiter.open(settings=settings, instruments=Instruments(judge=placed)).context
    embedder = PartedEmbedder(models.embedder, workers)
    return Arbiter(replace(context, embedder=embedder, entities=PartedEntities(workers)))
