"""The models alone: how fast they read, how soon a new process has an answer, how large they are."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arbiter.adapters.onnx_embedder import PACKAGED as EMBEDDING
from arbiter.adapters.onnx_embedder import OnnxEmbedder
from arbiter.adapters.spacy_entities import SpacyEntities
from arbiter.judges.local import PACKAGED as JUDGE
from arbiter.judges.local import LocalJudge
from arbiter.pipeline.batches import batches
from arbiter.training.read_pairs import read_examples
from evals.benchmark.clocked import seconds

if TYPE_CHECKING:
    from arbiter.domain.evidence import RecordPair

AT_ONCE = 32
"""How many texts or pairs a model is given."""
WORDS = range(12, 19)
"""How many words a text has."""

_PAIRS = Path(__file__).parents[1] / "training" / "pairs.jsonl"
_PASSES = 3


@dataclass(frozen=True)
class Model:
    """What one model takes.

    Attributes:
        what: the model.
        items: what it reads.
        rate: items a second on one core, the best of three passes.
        first_s: from the start of a process to its first answer, in seconds.
        weights: size of its file in bytes; None: it comes from a package of its own.
    """

    what: str
    items: str
    rate: float
    first_s: float
    weights: int | None


def measure_models(count: int) -> list[Model]:
    """Measure each model in a process of its own, on ``count`` texts or pairs of 15 words or so."""
    if not count:
        return []
    pairs = _pairs(count)
    texts = [pair.b.content for pair in pairs]
    return [
        _measured("embedding", "texts", texts, EMBEDDING / "model.onnx"),
        _measured("entities", "texts", texts, None),
        _measured("local judge", "pairs", pairs, JUDGE / "model.onnx"),
    ]


def _pairs(count: int) -> list[RecordPair]:
    read = (example.pair for example in read_examples(_PAIRS))
    fitting = [p for p in read if all(len(side.content.split()) in WORDS for side in (p.a, p.b))]
    return fitting[:count]


def _measured(what: str, items: str, given: Sequence[Any], weights: Path | None) -> Model:
    begun = time.perf_counter()
    with multiprocessing.get_context("spawn").Pool(1) as alone:
        alone.apply(answer, (what, given[:1]))
        first_s = time.perf_counter() - begun
        best = alone.apply(fastest, (what, given))
    return Model(what, items, len(given) / best, first_s, weights.stat().st_size if weights else None)


def answer(what: str, given: Sequence[Any]) -> None:
    """Load a model and let it read."""
    _reading(what)(given)


def fastest(what: str, given: Sequence[Any]) -> float:
    """Let a model read everything, 32 at once; return the seconds of the best pass, without its loading."""
    reading = _reading(what)
    reading(given[:1])
    return min(seconds(lambda: [reading(batch) for batch in batches(given, AT_ONCE)]) for _ in range(_PASSES))


def _reading(what: str) -> Callable[[Sequence[Any]], object]:
    if what == "embedding":
        return OnnxEmbedder(threads=1).embed
    return SpacyEntities().extract if what == "entities" else LocalJudge(threads=1).judge
