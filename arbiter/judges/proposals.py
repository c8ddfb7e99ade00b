"""A merged wording that a model proposes may name nothing that its sources do not name."""

from __future__ import annotations

from collections.abc import Iterator

from arbiter.judges.reading import Reading, Token, read

_TYPED = ("quantity", "date", "time", "code")


def invented(text: str, a: str, b: str) -> tuple[str, ...]:
    """Return the numbers, dates, times, identifiers and capitalised words that neither source has.

    The first word of a sentence is capitalised by rule, so it counts as a name only if it is written
    so elsewhere too; here it is left out.
    """
    known = {key for source in (a, b) for key in _keys(read(source))}
    told = read(text)
    opening = _sentence_starts(told)
    return tuple(
        token.surface
        for token in told.tokens
        if (token.kind in _TYPED or _is_name(token, opening)) and (token.kind, token.text) not in known
    )


def _keys(reading: Reading) -> Iterator[tuple[str, str]]:
    return ((token.kind, token.text) for token in reading.tokens)


def _is_name(token: Token, opening: set[int]) -> bool:
    return token.kind == "word" and token.surface[:1].isupper() and token.start not in opening


def _sentence_starts(reading: Reading) -> set[int]:
    starts: set[int] = set()
    fresh = True
    for token in reading.tokens:
        if token.kind == "mark":
            fresh = fresh or token.surface in ".!?"
        elif fresh:
            starts.add(token.start)
            fresh = False
    return starts
