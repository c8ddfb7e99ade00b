"""semhash, a package that takes duplicates out of data sets: the same words, or near vectors.

Its own default model comes from a hub, so it gets the packaged embedder; its threshold is its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import TYPE_CHECKING

from arbiter.domain.evidence import Judgement, RecordPair, Spend
from arbiter.errors import MissingExtraError
from arbiter.ports import Embedder
from evals.baselines.answers import apart, same

if TYPE_CHECKING:
    from arbiter.ports import Vectors


class SemanticHash:
    """Merges what semhash calls a duplicate of the earlier text.

    Raises:
        MissingExtraError: semhash is not installed.
    """

    def __init__(self, embedder: Embedder) -> None:
        try:
            from semhash import SemHash
        except ImportError as error:
            raise MissingExtraError("semhash is missing: install arbiter[evals]") from error
        self._embedder = embedder
        self._semhash = SemHash
        self.judge_id = f"baseline/semhash@{version('semhash')}/{embedder.model_id}"

    def judge(self, pairs: Sequence[RecordPair]) -> tuple[list[Judgement], Spend]:
        """Judge pairs; the answers stand in the order of the pairs."""
        texts = sorted({side.content for pair in pairs for side in (pair.a, pair.b)})
        known = _Known(dict(zip(texts, self._embedder.embed(texts), strict=True))) if texts else _Known({})
        return [self._judge(pair, known) for pair in pairs], Spend()

    def _judge(self, pair: RecordPair, known: _Known) -> Judgement:
        stored = self._semhash.from_records([pair.a.content], model=known)
        found = stored.deduplicate([pair.b.content])
        return same(self.judge_id) if found.filtered else apart(self.judge_id)


class _Known:
    """Vectors computed in one go, given out as semhash asks for them."""

    def __init__(self, vectors: Mapping[str, Vectors]) -> None:
        self._vectors = vectors

    def encode(self, inputs: Sequence[str], **_: object) -> Vectors:
        """Return the vectors of texts."""
        import numpy as np

        return np.stack([self._vectors[text] for text in inputs])
