"""Long texts in windows, so that their end counts as much as their start."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from arbiter.errors import EmbeddingError

if TYPE_CHECKING:
    from arbiter.ports import Vectors


def windows(length: int, size: int) -> list[tuple[int, int]]:
    """Cut ``length`` tokens into as few windows of up to ``size`` as it takes, as even as can be.

    Returns (start, end) of each; a text without tokens has one empty window.
    """
    count = max(1, -(-length // size))
    return [(length * i // count, length * (i + 1) // count) for i in range(count)]


def text_vectors(vectors: Vectors, texts: Sequence[int], tokens: Sequence[int], *, count: int) -> Vectors:
    """Return the vector of each text: the mean of its windows' vectors by their tokens, of length 1.

    Args:
        vectors: one a window, float32, shape (windows, dimension).
        texts: for each window the number of its text, 0 to ``count`` - 1.
        tokens: for each window how many tokens it holds.
        count: how many texts there are; each has at least one window.

    Raises:
        EmbeddingError: a vector is no direction: it holds NaN or infinity, or is zero.
    """
    sums = np.zeros((count, vectors.shape[1]), dtype=np.float32)
    np.add.at(sums, np.asarray(texts, dtype=np.intp), vectors * np.maximum(tokens, 1)[:, None])
    lengths = np.linalg.norm(sums, axis=1, keepdims=True)
    if not (np.isfinite(lengths).all() and (lengths > 0).all()):
        raise EmbeddingError("the model gave a vector that is zero or not finite")
    return np.asarray(sums / lengths, dtype=np.float32)
