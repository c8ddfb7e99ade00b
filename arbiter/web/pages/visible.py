"""Text that is safe to look at: what cannot be seen, or would reorder its neighbours, is spelled out."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from itertools import groupby

from markupsafe import Markup, escape

_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_SPACING = frozenset("\n\t")
# They belong to other categories, yet nothing of them can be seen.
_BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
# They count as formatting, yet they are signs that can be seen.
_SIGNS = frozenset("\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2")
_JOINERS = frozenset("\u200c\u200d")


def seen(text: str) -> Markup:
    """Return a text as markup, escaped, with every hidden character as a small label that names it."""
    parts = [
        Markup("").join(
            Markup('<span class="ctl" title="{}">{}</span>').format(_name(char), _code(char))
            for char in chars
        )
        if hidden
        else escape(chars)
        for hidden, chars in _parts(text)
    ]
    return Markup("").join(parts)


def plain(text: str) -> str:
    """Return a text for places that take no markup, with every hidden character as its code in brackets."""
    return "".join(
        "".join(f"⟨{_code(char)}⟩" for char in chars) if hidden else chars for hidden, chars in _parts(text)
    )


def hidden(text: str) -> list[str]:
    """Return what hidden characters a text has, each once, as code and name, in the order of the text."""
    found = "".join(chars for is_hidden, chars in _parts(text) if is_hidden)
    return [f"{_code(char)} {_name(char)}" for char in dict.fromkeys(found)]


def _parts(text: str) -> Iterator[tuple[bool, str]]:
    """Yield stretches of a text in turn: those that can be seen, and those that cannot."""
    told = text.replace("\r\n", "\n")
    marked = ((_is_hidden(told, place), char) for place, char in enumerate(told))
    for is_hidden, found in groupby(marked, key=lambda pair: pair[0]):
        yield is_hidden, "".join(char for _, char in found)


def _is_hidden(text: str, place: int) -> bool:
    char = text[place]
    if char.isascii():
        return (char < " " or char == "\x7f") and char not in _SPACING
    if char in _JOINERS:
        # Between letters of scripts that join, or parts of one picture, they do what they are for.
        beside = (text[place - 1 : place], text[place + 1 : place + 2])
        return not all(neighbour and not neighbour.isascii() for neighbour in beside)
    return char in _BLANK or (unicodedata.category(char) in _HIDDEN and char not in _SIGNS)


def _code(char: str) -> str:
    return f"U+{ord(char):04X}"


def _name(char: str) -> str:
    return unicodedata.name(char, "CONTROL CHARACTER")
