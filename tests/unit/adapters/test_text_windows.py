"""Windows of long texts, and how their vectors become one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.adapters.text_windows import text_vectors, windows
from arbiter.errors import EmbeddingError


@pytest.mark.parametrize(
    ("length", "size", "expected"),
    [
        (0, 5, [(0, 0)]),
        (3, 5, [(0, 3)]),
        (5, 5, [(0, 5)]),
        (6, 5, [(0, 3), (3, 6)]),
        (11, 5, [(0, 3), (3, 7), (7, 11)]),
    ],
)
def test_windows(length: int, size: int, expected: list[tuple[int, int]]) -> None:
    """As few as it takes, as even as can be."""
    assert windows(length, size) == expected


@given(st.integers(1, 5000), st.integers(1, 300))
def test_windows_cover_a_text_once(length: int, size: int) -> None:
    """No token is lost or read twice, none is in too long a window, and the lengths differ by one at most."""
    cuts = windows(length, size)
    assert [token for start, end in cuts for token in range(start, end)] == list(range(length))
    lengths = [end - start for start, end in cuts]
    assert max(lengths) <= size
    assert max(lengths) - min(lengths) <= 1
    assert len(cuts) == -(-length // size)


def test_a_text_is_the_mean_of_its_windows_by_their_tokens() -> None:
    """Three tokens one way and four the other: the direction 3-4, of length 1."""
    vectors = np.array([[0, 1], [1, 0], [0, 1]], dtype=np.float32)
    result = text_vectors(vectors, [1, 0, 0], [9, 3, 4], count=2)
    assert result == pytest.approx(np.array([[0.6, 0.8], [0.0, 1.0]]))
    assert result.dtype == np.float32


def test_a_text_without_tokens_has_the_vector_of_its_window() -> None:
    """A weight of nothing would make it nothing."""
    vectors = np.array([[0.6, 0.8]], dtype=np.float32)
    assert text_vectors(vectors, [0], [0], count=1) == pytest.approx(vectors)


@pytest.mark.parametrize("value", [0.0, float("nan"), float("inf")])
def test_what_is_no_direction_is_refused(value: float) -> None:
    """A zero vector is like nothing and like everything; it is never handed on."""
    vectors = np.array([[1, 0], [value, value]], dtype=np.float32)
    with pytest.raises(EmbeddingError, match="zero or not finite"):
        text_vectors(vectors, [0, 1], [1, 1], count=2)
