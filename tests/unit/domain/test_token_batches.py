"""Batches by length: nothing lost, nothing twice, never more than was asked."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from arbiter.domain.token_batches import token_batches


def test_the_shortest_come_first_and_padding_counts() -> None:
    """Five and five fit into ten; two and nine would be eighteen with the padding."""
    assert list(token_batches([9, 5, 2, 5], 10)) == [[2, 1], [3], [0]]


def test_what_is_too_long_for_any_batch_has_its_own() -> None:
    """A text is never left out for its length."""
    assert list(token_batches([30, 3, 40], 10)) == [[1], [0], [2]]


def test_few_texts_are_shared_out_among_parts() -> None:
    """Four texts for two cores are two batches though one would hold them; a single text stays one."""
    assert list(token_batches([1, 1, 1, 1], 10, parts=2)) == [[0, 1], [2, 3]]
    assert list(token_batches([1, 1, 1], 10, parts=2)) == [[0, 1], [2]]
    assert list(token_batches([1], 10, parts=2)) == [[0]]


def test_no_texts_make_no_batch() -> None:
    """Nothing is computed for nothing."""
    assert list(token_batches([], 10, parts=3)) == []


@given(lengths=st.lists(st.integers(1, 60)), most=st.integers(1, 200), parts=st.integers(1, 9))
def test_every_place_comes_once_within_the_bound(lengths: list[int], most: int, parts: int) -> None:
    """All places come once, in the order of their lengths; a batch over the bound holds one text."""
    batches = list(token_batches(lengths, most, parts=parts))
    places = [place for batch in batches for place in batch]
    assert sorted(places) == list(range(len(lengths)))
    assert [lengths[place] for place in places] == sorted(lengths)
    assert all(
        len(batch) == 1 or len(batch) * max(lengths[place] for place in batch) <= most for batch in batches
    )
