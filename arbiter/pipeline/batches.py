"""Many things, a bounded number at a time: every long pass over a store or a file goes in batches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

T = TypeVar("T")


def batches(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Yield the items in lists of at most ``size``; none is empty."""
    rest = iter(items)
    while batch := list(islice(rest, size)):
        yield batch
