"""One pass over a text: its typed values and its words, in order, ready to be compared."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import Literal, TypeAlias

from arbiter.domain.canonical import canonical
from arbiter.judges.clock_times import FoundTime, clock_times
from arbiter.judges.dates import FoundDate, dates
from arbiter.judges.numerals import blank
from arbiter.judges.quantities import Found, quantities
from arbiter.judges.units import CURRENCIES, meanings

Kind: TypeAlias = Literal["word", "run", "mark", "quantity", "date", "time", "code"]

# How many texts the guards remember, so that a record is read once and not for each of its candidates.
KEPT_TEXTS = 2048
# Scripts that are written without spaces: their text is kept in runs.
UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_NO_LETTER = (
    r"\s\d\x00-\x2f\x3a-\x40\x5b-\x60\x7b-\xbf\xd7\xf7\u2000-\u206f"
    r"\u3000-\u3004\u3006-\u303f\uff00-\uff20\uff3b-\uff40\uff5b-\uff65"
)
_WORD = re.compile(
    rf"(?P<run>[{UNSPACED}]+)"
    rf"|(?P<word>[^{_NO_LETTER}{UNSPACED}]+(?:['’][^{_NO_LETTER}{UNSPACED}]+)*)"
    r"|(?P<mark>[,;:()/&.!?\u3001\u3002\uff0c\uff1b\uff1a])"
)
# Lengths are bounded so that no text, however odd, is searched again and again from each of its places.
_CODE = re.compile(
    r"https?://[^\s<>\"]{1,500}|(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}"
    r"|(?<![A-Za-z0-9])\d+(?:\.\d+){2,}(?![A-Za-z0-9])"
    r"|(?<![A-Za-z0-9])(?=[A-Za-z./_-]{0,40}\d)(?=[\d./_-]{0,40}[A-Za-z])"
    r"[A-Za-z0-9]{1,64}(?:[-/._][A-Za-z0-9]{1,64}){0,16}(?![A-Za-z0-9]|,\d)"
    r"|(?<![A-Za-z0-9])[A-Za-z]{1,2}[+#\u2212-]{1,2}(?=[\s.,;:)!?]|$)"
)
_VERSION_LETTER = re.compile(r"(?<!\w)[vV](?=\d)")
# "5mg", "9am", "12k", "36-month", "2x": a number with something attached, not a code.
_ATTACHED = re.compile(r"\d[\d.,]*-?(?P<tail>[A-Za-z]{1,12})(?:/(?P<per>[A-Za-z]{1,8}))?")
_TAILS = frozenset({"st", "nd", "rd", "th", "k", "x", "am", "pm", "s", "c", "p", "ish", "m", "bn", "mn"})
_PREFIXED_MONEY = re.compile(rf"(?:{'|'.join(sorted(CURRENCIES))}|Rs|kr|R(?=\d{{3}}))\d+k?")


@dataclass(frozen=True, slots=True)
class Token:
    """One word, run, mark or typed value. ``text`` is folded, ``surface`` as written."""

    kind: Kind
    text: str
    surface: str
    start: int


@dataclass(frozen=True, slots=True)
class Reading:
    """What a text consists of. ``codes`` are folded identifiers: letters and digits only."""

    text: str
    tokens: tuple[Token, ...]
    quantities: tuple[Found, ...]
    dates: tuple[FoundDate, ...]
    times: tuple[FoundTime, ...]
    codes: tuple[str, ...]


@lru_cache(maxsize=KEPT_TEXTS)
def read(text: str) -> Reading:
    """Read a text. The same text is read once."""
    cover = _Cover(unicodedata.normalize("NFC", text))
    cover.take_codes(_is_address)
    found_dates = tuple(dates(cover.rest))
    for day in found_dates:
        cover.take("date", str(day.readings), day.start, day.end)
    found_times = tuple(clock_times(cover.rest))
    for time in found_times:
        cover.take("time", str(time.time), time.start, time.end)
    cover.rest = _VERSION_LETTER.sub("\0", cover.rest)
    cover.take_codes(lambda code: not _is_number(code))
    found_quantities = tuple(quantities(cover.rest))
    for found in found_quantities:
        cover.take("quantity", plain(found.quantity.readings[0]), found.start, found.end)
    for match in _WORD.finditer(cover.rest):
        kind: Kind = "word" if match["word"] else "run" if match["run"] else "mark"
        cover.take(kind, canonical(match[0]).replace("’", "'"), match.start(), match.end())
    tokens = tuple(sorted(cover.tokens, key=lambda token: token.start))
    codes = tuple(token.text for token in tokens if token.kind == "code")
    return Reading(cover.text, tokens, found_quantities, found_dates, found_times, codes)


def plain(value: Decimal) -> str:
    """Write a number without exponent and needless zeros, so that equal numbers are spelt alike."""
    return f"{value.normalize():f}"


class _Cover:
    """A text whose parts are covered once they are read, so that each is read as one thing."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.rest = text
        self.tokens: list[Token] = []

    def take(self, kind: Kind, key: str, start: int, end: int) -> None:
        self.tokens.append(Token(kind, key, self.text[start:end], start))
        if kind not in {"word", "run", "mark"}:
            self.rest = blank(self.rest, start, end)

    def take_codes(self, wanted: Callable[[str], bool]) -> None:
        for match in _CODE.finditer(self.rest):
            if wanted(match[0]):
                self.take("code", fold_code(match[0]), match.start(), match.end())


def _is_address(code: str) -> bool:
    """Is it a mail or web address?"""
    return "@" in code or code.startswith("http")


def fold_code(code: str) -> str:
    """Return an identifier without case and separators, with its signs: "PSV-207" is "psv207"."""
    folded = code.casefold().replace("\u2212", "-")
    stem = folded.rstrip("+#-")
    return re.sub(r"[-/_]", "", stem) + folded[len(stem) :]


def _is_number(text: str) -> bool:
    """Is it a number with a unit, suffix or currency attached, rather than a code?"""
    if _PREFIXED_MONEY.fullmatch(text):
        return True
    match = _ATTACHED.fullmatch(text)
    if match is None:
        return False
    tail = match["tail"]
    if match["per"]:
        return bool(meanings(tail) and meanings(match["per"]))
    if "-" in text:
        return len(tail) >= 3
    return bool(meanings(tail)) or tail.casefold() in _TAILS
