"""Near vectors: two texts whose embeddings are close enough are the same fact.

0.92 is the threshold that several stores ship.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from arbiter.domain.evidence import Judgement, RecordPair, Spend
from arbiter.ports import Embedder
from evals.baselines.answers import apart, same


class CosineDuplicates:
    """Merges texts from a cosine similarity on.

    Args:
        embedder: gives the vectors.
        least: cosine similarity from which on two texts are the same, in [-1, 1].
    """

    def __init__(self, embedder: Embedder, least: float = 0.92) -> None:
        self._embedder = embedder
        self._least = least

    @property
    def judge_id(self) -> str:
        """Name, threshold and embedder."""
        return f"baseline/cosine@{self._least:g}/{self._embedder.model_id}"

    def judge(self, pairs: Sequence[RecordPair]) -> tuple[list[Judgement], Spend]:
        """Judge pairs; the answers stand in the order of the pairs."""
        if not pairs:
            return [], Spend()
        left, right = (
            self._embedder.embed([side.content for side in sides])
            for sides in ([pair.a for pair in pairs], [pair.b for pair in pairs])
        )
        similarities = np.einsum("ij,ij->i", left, right)
        return [
            same(self.judge_id) if similarity >= self._least else apart(self.judge_id)
            for similarity in similarities
        ], Spend()
