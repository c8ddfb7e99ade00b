"""The models of a scan, computed part by part by whoever has them.

The rounding of a vector or of a probability hangs on what is computed together with it, in its eighth digit.
So the parts are the same whoever computes them, and the result of a scan is the same to the last bit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from threading import Lock
from typing import Protocol, TypeVar

import numpy as np

from arbiter.domain.evidence import Judgement, RecordPair, Spend
from arbiter.pipeline.batches import batches
from arbiter.ports import Embedder, Judge, Vectors
from arbiter.scan.models import Models

Item = TypeVar("Item")
Result = TypeVar("Result")

TEXTS = 64
PAIRS = 32


class Workers(Protocol):
    """Whoever has the models."""

    def map(
        self, function: Callable[[Models, Sequence[Item]], Result], parts: Iterable[Sequence[Item]]
    ) -> list[Result]:
        """Return what a function makes of each part, in their order."""
        ...


class PartedEmbedder:
    """Implements ``Embedder``; ``model`` is the one that the workers have."""

    def __init__(self, model: Embedder, workers: Workers) -> None:
        self._model = model
        self._workers = workers

    @property
    def model_id(self) -> str:
        """See ``Embedder.model_id``."""
        return self._model.model_id

    @property
    def dimension(self) -> int:
        """See ``Embedder.dimension``."""
        return self._model.dimension

    def embed(self, texts: Sequence[str]) -> Vectors:
        """See ``Embedder.embed``."""
        places = _of_like_length([len(text) for text in texts], TEXTS)
        found = self._workers.map(Models.embed, [[texts[place] for place in part] for part in places])
        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for part, rows in zip(places, found, strict=True):
            vectors[part] = rows
        return vectors


class PartedEntities:
    """Implements ``EntityExtractor``."""

    def __init__(self, workers: Workers) -> None:
        self._workers = workers

    def extract(self, texts: Sequence[str]) -> list[frozenset[str]]:
        """See ``EntityExtractor.extract``."""
        parts = self._workers.map(Models.extract, batches(texts, TEXTS))
        return [names for part in parts for names in part]


class PartedJudge:
    """Implements ``Judge``; ``model`` is the local judge, which the workers have, too."""

    def __init__(self, model: Judge, workers: Workers) -> None:
        self._model = model
        self._workers = workers

    @property
    def judge_id(self) -> str:
        """See ``Judge.judge_id``."""
        return self._model.judge_id

    def judge(self, pairs: Sequence[RecordPair]) -> tuple[list[Judgement], Spend]:
        """See ``Judge.judge``."""
        places = _of_like_length([len(pair.a.content) + len(pair.b.content) for pair in pairs], PAIRS)
        found = self._workers.map(Models.judge, [[pairs[place] for place in part] for part in places])
        judged = {
            place: judgement
            for part, (judgements, _) in zip(places, found, strict=True)
            for place, judgement in zip(part, judgements, strict=True)
        }
        return [judged[place] for place in range(len(pairs))], sum((cost for _, cost in found), Spend())


class PatientJudge:
    """Implements ``Judge``: lets the judge inside answer one caller after the other.

    The time of a language model counts from the call, and its questions at a time are limited. If shards
    asked it side by side, some would wait for others until their time is over.
    """

    def __init__(self, judge: Judge) -> None:
        self._judge = judge
        self._turn = Lock()

    @property
    def judge_id(self) -> str:
        """See ``Judge.judge_id``."""
        return self._judge.judge_id

    def judge(self, pairs: Sequence[RecordPair]) -> tuple[list[Judgement], Spend]:
        """See ``Judge.judge``."""
        with self._turn:
            return self._judge.judge(pairs)


def _of_like_length(lengths: Sequence[int], size: int) -> list[list[int]]:
    """Return places in parts of at most ``size``: the short ones together, since padding costs time."""
    return list(batches(sorted(range(len(lengths)), key=lengths.__getitem__), size))
