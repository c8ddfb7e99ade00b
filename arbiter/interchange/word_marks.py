"""Which words of two texts differ."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from arbiter.domain.canonical import canonical

# "48,000", "4:30" and "user's" are one word each.
_TOKENS = re.compile(r"\w+(?:[.,:'’-]\w+)*\s*|[^\w\s]\s*|\s+")


_PUNCTUATION = re.compile(r"[\s.,:;!?'\"’“”„«»()\[\]…]*")


@dataclass(frozen=True, slots=True)
class Run:
    """A stretch of a text; ``differs`` where the other text does not have it."""

    text: str
    differs: bool


def word_marks(a: str, b: str) -> tuple[list[Run], list[Run]]:
    """Return both texts in stretches, those that only one of them has marked.

    Letter case, white space and punctuation on its own play no part; signs such as "+" do.
    """
    tokens_a, tokens_b = _TOKENS.findall(a), _TOKENS.findall(b)
    matcher = SequenceMatcher(
        None, [canonical(t) for t in tokens_a], [canonical(t) for t in tokens_b], autojunk=False
    )
    runs_a: list[Run] = []
    runs_b: list[Run] = []
    for kind, from_a, to_a, from_b, to_b in matcher.get_opcodes():
        _add(runs_a, tokens_a[from_a:to_a], differs=kind != "equal")
        _add(runs_b, tokens_b[from_b:to_b], differs=kind != "equal")
    return runs_a, runs_b


def _add(runs: list[Run], tokens: Sequence[str], *, differs: bool) -> None:
    """Add a stretch; the white space behind a marked one stays outside the mark."""
    text = "".join(tokens)
    differs = differs and not _PUNCTUATION.fullmatch(text)
    words = text.rstrip() if differs else text
    if words:
        runs.append(Run(words, differs))
    if words != text:
        runs.append(Run(text[len(words) :], differs=False))
