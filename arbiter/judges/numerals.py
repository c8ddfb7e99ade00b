"""Numbers out of text: digits in the usual notations, and English number words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

_SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_ORDINALS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth "
    "fifteenth sixteenth seventeenth eighteenth nineteenth"
).split()
_SCALES = {
    "hundred": 100,
    "thousand": 1_000,
    "k": 1_000,
    "lakh": 100_000,
    "million": 1_000_000,
    "mio": 1_000_000,
    "mln": 1_000_000,
    "mn": 1_000_000,
    "crore": 10_000_000,
    "billion": 1_000_000_000,
    "bn": 1_000_000_000,
}
_VALUES = {
    **{word: value for value, word in enumerate(_SMALL)},
    **{word: 10 * place for place, word in enumerate(_TENS, start=2)},
}
ORDINALS = {
    **{word: value for value, word in enumerate(_ORDINALS, start=1)},
    **{f"{word[:-1]}ieth": 10 * place for place, word in enumerate(_TENS, start=2)},
    **{
        f"{tens}-{unit}": 10 * place + value
        for place, tens in enumerate(_TENS, start=2)
        for value, unit in enumerate(_ORDINALS[:9], start=1)
    },
}
# Words that mean a number without counting on being read as one: they can meet a digit on the other
# side, and are no difference by themselves.
_LOOSE = {**ORDINALS, "once": 1, "twice": 2, "thrice": 3, "both": 2, "pair": 2, "couple": 2, "single": 1}
_PARTS = {"half": 2, "halves": 2, "third": 3, "quarter": 4, "fifth": 5, "sixth": 6, "eighth": 8, "tenth": 10}
_PARTS |= {f"{part}s": share for part, share in _PARTS.items() if part not in {"half", "halves"}}
_FRACTIONS = {"½": "0.5", "¼": "0.25", "¾": "0.75", " and a half": "0.5"}

_GROUP = r"[,.'’\u00a0\u202f\u2009]"
_DIGITS = rf"(?<!\d)\d{{1,3}}(?: \d{{3}})+(?!\d)|\d{{1,30}}(?:{_GROUP}\d{{1,30}})*"
_WORD = "|".join(
    sorted([*_VALUES, "hundred", "thousand", "million", "billion", "dozen"], key=len, reverse=True)
)
_DIGIT_WORD = "|".join(_SMALL[:10])
_LOOSE_WORD = "|".join(sorted(_LOOSE, key=len, reverse=True))
_IN_DIGITS = re.compile(
    rf"(?P<sign>(?<![\w)])[-+\u2212](?=\d)|\bminus )?(?P<digits>{_DIGITS})(?P<half>[½¼¾]| and a half\b)?"
    r"(?: ?(?P<scale>hundred|thousand|million|billion|mio|mln|bn|mn|lakh|crore)\b|(?P<kilo>k)(?![\w°]))?"
    r"|(?P<fraction>(?<!\w)[½¼¾])"
)
_IN_WORDS = re.compile(
    rf"(?P<minus>\bminus )?\b(?P<words>(?:an? )?(?:{_WORD})(?:(?:-| | and )(?:{_WORD}))*)\b"
    r"(?:(?P<half> and a half(?: (?P<scale>million|billion|thousand)s?)?\b)"
    rf"| point (?P<decimals>(?:{_DIGIT_WORD})(?: (?:{_DIGIT_WORD}))*)\b"
    rf"|[- ](?P<parts>{'|'.join(_PARTS)})\b(?! (?:year|month|day|hour|ago)))?"
    rf"|\b(?P<loose>{_LOOSE_WORD})\b"
)
_NUMBER_WORDS = frozenset({*_VALUES, *_SCALES, *_LOOSE, "dozen"})
_HAS_DIGIT = re.compile(r"[\d½¼¾]")
_LETTERS = re.compile(r"[^\W\d_]+")
_THOUSANDS = re.compile(r"[1-9]\d{0,2}(?:([.,])\d{3})(?:\1\d{3})*")
_NO_LIMIT = 10**12
_BARE_TENTH = re.compile(r"[1-9]\d{0,2}\.\d{3}")


@dataclass(frozen=True, slots=True)
class Number:
    """A number at a place in a text; ``readings`` holds more than one value where notation is ambiguous.

    ``loose`` marks words such as "once", "second" or a lone "one", which may be no number at all.
    """

    start: int
    end: int
    readings: tuple[Decimal, ...]
    loose: bool = False


def lower_case(text: str) -> str:
    """Return the text in lower case, every character in its place."""
    lower = text.lower()
    if len(lower) == len(text):
        return lower
    return "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


def blank(text: str, start: int, end: int) -> str:
    """Return the text with one part blanked out, so that it is not read twice."""
    return f"{text[:start]}{chr(0) * (end - start)}{text[end:]}"


def numbers(text: str) -> Iterator[Number]:
    """Yield the numbers of a text; sequences such as version numbers are left out."""
    lower = lower_case(text)
    if _HAS_DIGIT.search(lower):
        for match in _IN_DIGITS.finditer(lower):
            readings = _read_digits(match)
            if readings:
                yield Number(match.start(), match.end(), readings)
                lower = blank(lower, match.start(), match.end())
    if not _NUMBER_WORDS.isdisjoint(_LETTERS.findall(lower)):
        for match in _IN_WORDS.finditer(lower):
            loose = match["loose"] is not None or match["words"] == "one"
            for value in _read_words(match):
                yield Number(match.start(), match.end(), (value,), loose)


def _read_digits(match: re.Match[str]) -> tuple[Decimal, ...]:
    if match["fraction"]:
        return (Decimal(_FRACTIONS[match["fraction"]]),)
    scale = match["scale"] or match["kilo"]
    factor = (_SCALES[scale] if scale else 1) * (1 if match["sign"] in {None, "+"} else -1)
    extra = Decimal(_FRACTIONS[match["half"]] if match["half"] else 0)
    return tuple((value + extra) * factor for value in read_digits(match["digits"]))


def _read_words(match: re.Match[str]) -> list[Decimal]:
    """Read "two and a half million", "three point nine", "two fifths", or a loose word."""
    if match["loose"]:
        return [Decimal(_LOOSE[match["loose"]])]
    values = _add_up(match["words"])
    if match["half"]:
        values[-1] = (values[-1] + Decimal("0.5")) * _SCALES.get(match["scale"], 1)
    elif match["decimals"]:
        digits = "".join(str(_VALUES[word]) for word in match["decimals"].split())
        values[-1] += Decimal(f"0.{digits}")
    elif match["parts"]:
        values[-1] /= _PARTS[match["parts"]]
    return [-value for value in values] if match["minus"] else values


def read_digits(token: str) -> tuple[Decimal, ...]:
    """Read digits with separators: "1,150.00", "1.150,00", "1 150"; empty if they are no one number.

    "1.250" has two readings, since half of the world writes thousands so.
    """
    bare = re.sub(r"['’\s]", "", token)
    commas, points = bare.count(","), bare.count(".")
    if commas and points:
        decimal = "," if bare.rindex(",") > bare.rindex(".") else "."
        if bare.count(decimal) > 1:
            return ()
        return (Decimal(bare.replace("." if decimal == "," else ",", "").replace(",", ".")),)
    if not commas and not points:
        return (Decimal(bare),)
    joined = Decimal(bare.replace(",", "").replace(".", ""))
    if commas + points > 1:
        return (joined,) if _THOUSANDS.fullmatch(bare) else ()
    if commas and _THOUSANDS.fullmatch(bare):
        return (joined,)
    value = Decimal(bare.replace(",", "."))
    return (value, joined) if _BARE_TENTH.fullmatch(bare) else (value,)


def _add_up(words: str) -> list[Decimal]:
    """Add up number words; words that do not add up ("two three") stay numbers of their own."""
    values: list[Decimal] = []
    total, current, room = 0, 0, _NO_LIMIT
    for word in re.split(r"[- ]", words):
        if word in {"a", "an"}:
            current, room = 1, 1
        elif word == "dozen":
            current = (current or 1) * 12
        elif word == "hundred":
            current, room = (current or 1) * 100, 100
        elif word in _SCALES:
            total, current, room = total + (current or 1) * _SCALES[word], 0, _NO_LIMIT
        elif word != "and":
            value = _VALUES[word]
            if value >= room:
                values.append(Decimal(total + current))
                total, current = 0, 0
            current, room = current + value, 10 if value >= 20 else 1
    return [*values, Decimal(total + current)]
