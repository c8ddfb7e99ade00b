"""Which words of two texts differ."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TypeAlias

from arbiter.domain.canonical import canonical

# "48,000", "4:30" and "user's" are one word each.
_TOKENS = re.compile(r"\w+(?:[.,:'’-]\w+)*\s*|[^\w\s]\s*|\s+")
_PUNCTUATION = re.compile(r"[\s.,:;!?'\"’“”„«»()\[\]…]*")
_MOST_COMPARED = 40_000
"""So many words of one text times words of the other are compared, at most."""

_Stretch: TypeAlias = tuple[bool, int, int, int, int]
"""Whether both texts have it, from where to where in the one, and in the other."""


@dataclass(frozen=True, slots=True)
class Run:
    """A stretch of a text; ``differs`` where the other text does not have it."""

    text: str
    differs: bool


def word_marks(a: str, b: str) -> tuple[list[Run], list[Run]]:
    """Return both texts in stretches, those that only one of them has marked.

    Letter case, white space and punctuation on its own play no part; signs such as "+" do. In long texts
    words that both have once are matched first; what lies between two of them and is too long to be
    compared word by word is marked as a whole.
    """
    tokens_a, tokens_b = _TOKENS.findall(a), _TOKENS.findall(b)
    runs_a: list[Run] = []
    runs_b: list[Run] = []
    words_a, words_b = [canonical(t) for t in tokens_a], [canonical(t) for t in tokens_b]
    for same, from_a, to_a, from_b, to_b in _joined(_compared(words_a, words_b)):
        _add(runs_a, tokens_a[from_a:to_a], differs=not same)
        _add(runs_b, tokens_b[from_b:to_b], differs=not same)
    return runs_a, runs_b


def _compared(a: Sequence[str], b: Sequence[str]) -> Iterator[_Stretch]:
    """Yield what both have and what they do not, in order."""
    met = [] if len(a) * len(b) <= _MOST_COMPARED else _met(a, b)
    left = _MOST_COMPARED
    at_a = at_b = 0
    for to_a, to_b in [*met, (len(a), len(b))]:
        size = (to_a - at_a) * (to_b - at_b)
        if size <= left:
            left -= size
            matcher = SequenceMatcher(None, a[at_a:to_a], b[at_b:to_b], autojunk=False)
            for kind, start_a, end_a, start_b, end_b in matcher.get_opcodes():
                yield kind == "equal", at_a + start_a, at_a + end_a, at_b + start_b, at_b + end_b
        else:
            yield False, at_a, to_a, at_b, to_b
        at_a, at_b = min(to_a + 1, len(a)), min(to_b + 1, len(b))
        yield True, to_a, at_a, to_b, at_b


def _met(a: Sequence[str], b: Sequence[str]) -> list[tuple[int, int]]:
    """Return places of equal words: the common beginning and end, and between them words that are there once.

    Of the latter, as many as stand in the same order in both.
    """
    shorter = min(len(a), len(b))
    first = next((place for place in range(shorter) if a[place] != b[place]), shorter)
    last = next((back for back in range(shorter - first) if a[-1 - back] != b[-1 - back]), shorter - first)
    end_a, end_b = len(a) - last, len(b) - last
    once_a, once_b = Counter(a[first:end_a]), Counter(b[first:end_b])
    places = {word: place for place, word in enumerate(b[first:end_b], first) if once_b[word] == 1}
    between = [
        (place, places[word])
        for place, word in enumerate(a[first:end_a], first)
        if once_a[word] == 1 and word in places
    ]
    ends = [(end_a + back, end_b + back) for back in range(last)]
    return [*((place, place) for place in range(first)), *_rising(between), *ends]


def _rising(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the longest part of pairs, whose first numbers rise, in which the second ones rise, too."""
    lowest: list[int] = []
    tails: list[int] = []
    before: list[int | None] = []
    for place, (_, second) in enumerate(pairs):
        length = bisect_left(lowest, second)
        before.append(tails[length - 1] if length else None)
        lowest[length : length + 1] = [second]
        tails[length : length + 1] = [place]
    found: list[tuple[int, int]] = []
    at = tails[-1] if tails else None
    while at is not None:
        found.append(pairs[at])
        at = before[at]
    return found[::-1]


def _joined(stretches: Iterator[_Stretch]) -> Iterator[_Stretch]:
    """Yield stretches with neighbours of one kind made one, and empty ones left out."""
    held: _Stretch | None = None
    for stretch in stretches:
        same, from_a, to_a, from_b, to_b = stretch
        if from_a == to_a and from_b == to_b:
            continue
        if held is not None and held[0] == same:
            held = (same, held[1], to_a, held[3], to_b)
            continue
        if held is not None:
            yield held
        held = stretch
    if held is not None:
        yield held


def _add(runs: list[Run], tokens: Sequence[str], *, differs: bool) -> None:
    """Add a stretch; the white space behind a marked one stays outside the mark."""
    text = "".join(tokens)
    differs = differs and not _PUNCTUATION.fullmatch(text)
    words = text.rstrip() if differs else text
    if words:
        runs.append(Run(words, differs))
    if words != text:
        runs.append(Run(text[len(words) :], differs=False))
