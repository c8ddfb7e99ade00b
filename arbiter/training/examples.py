"""Labelled pairs as training sees them, and how they are split."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from random import Random
from typing import TypeAlias

from arbiter.domain.canonical import canonical, fingerprint
from arbiter.domain.evidence import RecordPair, Side
from arbiter.domain.facts import Record
from arbiter.domain.vocabulary import Mutability, Relation, Stakes, UpdateKind


@dataclass(frozen=True, slots=True)
class Example:
    """One labelled pair, oriented as judges get it; ``current`` and ``stale_risk`` name its sides.

    ``anchor`` is what the pairs of one contrast set share: the words of the record they were written for.
    """

    pair: RecordPair
    relation: Relation
    anchor: str
    current: Side | None = None
    update_kind: UpdateKind | None = None
    stale_risk: Side | None = None
    mutability: Mutability | None = None
    stakes: Stakes | None = None
    phenomenon: str = ""

    def swapped(self) -> Example:
        """Return the example with the two statements exchanged, each with its subject, key and value.

        Times and sources stay where they are. The same relation holds where neither statement takes the
        other's place.
        """
        a, b = self.pair.a, self.pair.b
        exchanged = RecordPair(_with_words(a, b), _with_words(b, a))
        other: dict[Side, Side] = {"a": "b", "b": "a"}
        return replace(self, pair=exchanged, stale_risk=other[self.stale_risk] if self.stale_risk else None)


def oriented(example: Example) -> Example:
    """Return the example with the earlier record first, as judges are asked."""
    a, b = example.pair.a, example.pair.b
    if (a.observed_at, fingerprint(a.content)) <= (b.observed_at, fingerprint(b.content)):
        return example
    other: dict[Side, Side] = {"a": "b", "b": "a"}
    return replace(
        example,
        pair=RecordPair(b, a),
        current=other[example.current] if example.current else None,
        stale_risk=other[example.stale_risk] if example.stale_risk else None,
    )


def split_by_anchor(
    examples: Sequence[Example], share: float, seed: int
) -> tuple[list[Example], list[Example]]:
    """Split into the rest and a held-out share, so that no statement stands on both sides.

    Pairs that share a statement, directly or through other pairs, stay together.

    Args:
        examples: pairs to be split.
        share: wanted part of the held-out side, in [0, 1]; whole groups are moved, so it is met roughly.
        seed: decides which groups are held out.
    """
    groups = list(_connected(examples))
    Random(seed).shuffle(groups)
    wanted = share * len(examples)
    held_out: set[int] = set()
    for group in groups:
        if len(held_out) + len(group) <= wanted:
            held_out.update(group)
    rest = [example for place, example in enumerate(examples) if place not in held_out]
    return rest, [examples[place] for place in sorted(held_out)]


def apart(examples: Iterable[Example], held_out: Iterable[Example]) -> list[Example]:
    """Return the examples none of whose statements stands in the held-out ones."""
    known = {canonical(text) for example in held_out for text in _texts(example)}
    return [example for example in examples if known.isdisjoint(map(canonical, _texts(example)))]


def pair_key(pair: RecordPair) -> frozenset[str]:
    """Return what a pair says, whatever its order."""
    return frozenset((canonical(pair.a.content), canonical(pair.b.content)))


AskedKey: TypeAlias = tuple[frozenset[str], timedelta, bool]


def asked_key(pair: RecordPair) -> AskedKey:
    """Return what a judge is asked of a pair, whatever its order: words, gap in time, one source or two.

    Two statements that were made at once contradict each other; a year apart the later one is an update.
    """
    gap = abs(pair.b.observed_at - pair.a.observed_at)
    return pair_key(pair), gap, pair.a.source.id == pair.b.source.id


def _texts(example: Example) -> tuple[str, str]:
    return example.pair.a.content, example.pair.b.content


def _connected(examples: Sequence[Example]) -> Iterable[list[int]]:
    parent: dict[str, str] = {}

    def root(text: str) -> str:
        parent.setdefault(text, text)
        while parent[text] != text:
            parent[text] = parent[parent[text]]
            text = parent[text]
        return text

    for example in examples:
        a, b = (root(canonical(text)) for text in _texts(example))
        parent[a] = b
    groups: dict[str, list[int]] = {}
    for place, example in enumerate(examples):
        groups.setdefault(root(canonical(example.pair.a.content)), []).append(place)
    return groups.values()


def _with_words(record: Record, words: Record) -> Record:
    return replace(
        record, content=words.content, subject=words.subject, claim_key=words.claim_key, value=words.value
    )
