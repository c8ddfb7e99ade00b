"""Which texts a model computes at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

MOST_TOKENS = 512
"""Tokens that one core computes at once: fewer or many more took longer a token with the packaged models."""


def token_batches(lengths: Sequence[int], most: int, *, parts: int = 1) -> Iterator[list[int]]:
    """Yield the places of texts, the shortest first, in batches of up to ``most`` tokens.

    Texts of like length come together, since a batch is padded to its longest and padding costs as much
    as words; it is counted. A text that is longer than ``most`` by itself is a batch of its own.

    Args:
        lengths: tokens of each text.
        most: tokens of a batch.
        parts: the least number of batches, where there are as many texts.
    """
    batch: list[int] = []
    share = -(-len(lengths) // parts)
    for place in sorted(range(len(lengths)), key=lengths.__getitem__):
        if len(batch) == share or (batch and (len(batch) + 1) * lengths[place] > most):
            yield batch
            batch = []
        batch.append(place)
    if batch:
        yield batch
