"""The public fakes know just enough to be believed."""

from __future__ import annotations

import pytest

from arbiter.testing import BruteForceIndex, CapitalisedEntities, WordEmbedder


def test_shared_words_bring_texts_together() -> None:
    """Four of four, three of four, none of four words shared."""
    one, same, near, far = WordEmbedder(1024).embed(
        ["she lives in Porto", "in PORTO she lives", "she lives in Lisbon", "invoices are due monthly"]
    )
    assert float(one @ same) == pytest.approx(1.0, abs=1e-5)
    assert float(one @ near) == pytest.approx(0.75, abs=0.1)
    assert float(one @ far) == pytest.approx(0.0, abs=0.1)


def test_the_dimension_is_part_of_the_id() -> None:
    """Vectors of two dimensions are never compared."""
    assert (WordEmbedder(64).dimension, WordEmbedder(64).model_id) == (64, "words-64")


def test_the_index_keeps_its_own_copy() -> None:
    """A caller may reuse its array."""
    index = BruteForceIndex()
    vectors = WordEmbedder(64).embed(["tea"])
    index.add(["a"], vectors)
    vectors[:] = 0
    assert index.search(WordEmbedder(64).embed(["tea"]), limit=1, min_similarity=0.5) == [[("a", 1.0)]]


def test_runs_of_capitalised_words_are_names() -> None:
    """Wherever they stand; punctuation and small words end a run."""
    assert CapitalisedEntities().extract(["Ana Silva met Rui, Max and the IBM crew."]) == [
        frozenset({"ana silva", "rui", "max", "ibm"})
    ]
