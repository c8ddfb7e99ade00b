"""Calendar dates out of text, with only the parts that the text gives: "May", "3 May", "2026-05-03"."""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta

from arbiter.judges.numerals import ORDINALS, blank, lower_case
from arbiter.judges.units import AFTER_NUMBER, BEFORE_NUMBER, LOOK_BACK

# English, German, French, Spanish, Portuguese, Italian and Dutch, as far as they are no other word.
_MONTH_NAMES = (
    "january jan januar janvier enero janeiro gennaio januari",
    "february feb februar février febrero fevereiro febbraio februari",
    "march mar märz mars marzo março maart",
    "april apr avril abril aprile",
    "may mai mayo maio maggio mei",
    "june jun juni juin junio junho giugno",
    "july jul juli juillet julio julho luglio",
    "august aug août agosto augustus",
    "september sept sep septembre septiembre setembro settembre",
    "october oct oktober octobre octubre outubro ottobre okt",
    "november nov novembre noviembre novembro",
    "december dec dezember décembre diciembre dezembro dicembre dez",
)
_MONTHS = {name: month for month, names in enumerate(_MONTH_NAMES, 1) for name in names.split()}
_WEEKDAY_NAMES = (
    "monday mondays mon montag lundi lunes",
    "tuesday tuesdays tues tue dienstag mardi martes",
    "wednesday wednesdays weds wed mittwoch mercredi miércoles",
    "thursday thursdays thurs thur thu donnerstag jeudi jueves",
    "friday fridays fri freitag vendredi viernes",
    "saturday saturdays sat samstag samedi sábado",
    "sunday sundays sun sonntag dimanche domingo",
)
_WEEKDAYS = {name: day for day, names in enumerate(_WEEKDAY_NAMES) for name in names.split()}
# Without a day or year beside them these are other words as well ("may", "mar", "sat", "sun").
_NEEDS_CAPITAL = {
    "may",
    "mar",
    "march",
    "jan",
    "mai",
    "dec",
    "mars",
    "sat",
    "sun",
    "mon",
    "wed",
    "fri",
    "thu",
    "tue",
}
_RELATIVE = {"today": 0, "tonight": 0, "yesterday": -1, "tomorrow": 1}

_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_WEEKDAY = "|".join(sorted(_WEEKDAYS, key=len, reverse=True))
_DAY_WORD = "|".join(sorted((word for word, day in ORDINALS.items() if day <= 31), key=len, reverse=True))
_YEAR = r"(?:19|20)\d\d"
_YEAR_AFTER = rf"(?:,? (?:of |de )?(?P<year>{_YEAR})\b| ?['’](?P<short>\d\d)\b)?"
# The stop of "Sept. 5" belongs to the date, the one that ends a sentence does not.
_STOP = r"(?:\.(?= ?['’\d]))?"
# Each pattern reads lower-case text, and is tried only where one of its words or a digit occurs.
_WITH_MONTH = (
    re.compile(
        rf"\b(?:(?P<day>\d{{1,2}})(?:st|nd|rd|th|\.)?|(?P<dayword>{_DAY_WORD}))(?: of| de)? ?"
        rf"(?P<month>{_MONTH})\b{_STOP}{_YEAR_AFTER}"
    ),
    re.compile(
        rf"\b(?P<month>{_MONTH})\b{_STOP} (?:the )?"
        rf"(?:(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\b(?![:.,]\d)|(?P<dayword>{_DAY_WORD})\b){_YEAR_AFTER}"
    ),
    re.compile(rf"\b(?P<month>{_MONTH})\b{_STOP}{_YEAR_AFTER}"),
)
_IN_DIGITS = re.compile(
    rf"(?P<iso>\b{_YEAR}(?P<dash>[-/])\d\d(?P=dash)\d\d(?=\b|t))"
    r"|(?<![\w./-])(?!24/7\b)(?P<first>\d{1,2})(?P<sep>[./])(?P<second>\d{1,2})"
    r"(?:(?P=sep)(?P<third>\d{4}|\d\d)(?!\w|[./-]\d)|(?<=/\d)(?![\w/-])|(?<=/\d\d)(?![\w/-]))"
    rf"|\b(?P<month_first>0[1-9]|1[0-2])/(?P<of_year>{_YEAR})\b"
    rf"|\b(?P<year_first>{_YEAR})-(?P<then_month>0[1-9]|1[0-2])\b(?!-)"
    rf"|(?<!\w)['’](?P<short>\d\d)\b|\b(?P<year>{_YEAR})\b(?![.,:]\d)"
)
_DAY_NAME = re.compile(rf"\b(?:(?P<weekday>{_WEEKDAY})|(?P<relative>{'|'.join(_RELATIVE)}))\b")
_DAY_NAMES = frozenset({*_WEEKDAYS, *_RELATIVE})
_LETTERS = re.compile(r"[^\W\d_]+")
_DIGIT = re.compile(r"\d")


@dataclass(frozen=True, slots=True)
class PartialDate:
    """A date with only its known parts; ``weekday`` counts from Monday = 0, ``offset`` in days from today."""

    year: int | None = None
    month: int | None = None
    day: int | None = None
    weekday: int | None = None
    offset: int | None = None

    def on(self, today: date) -> PartialDate:
        """Return the date with a relative day made absolute, given the day on which it was said."""
        if self.offset is None:
            return self
        try:
            absolute = today + timedelta(days=self.offset)
        except OverflowError:
            return PartialDate(weekday=self.weekday)
        return PartialDate(absolute.year, absolute.month, absolute.day)

    def agrees(self, other: PartialDate) -> bool | None:
        """Can both mean one day? None: they have no part in common.

        Parts that only one side gives are no disagreement.
        """
        pairs = (
            (self.year, other.year),
            (self.month, other.month),
            (self.day, other.day),
            (self._weekday(), other._weekday()),
        )
        shared = [mine == theirs for mine, theirs in pairs if mine is not None and theirs is not None]
        return all(shared) if shared else None

    @property
    def is_year(self) -> bool:
        """Is nothing but a year known? Then it may be a mere number: "2000 users"."""
        return self == PartialDate(self.year) and self.year is not None

    def _weekday(self) -> int | None:
        if self.weekday is not None or self.year is None or self.month is None or self.day is None:
            return self.weekday
        return calendar.weekday(self.year, self.month, self.day)


@dataclass(frozen=True, slots=True)
class FoundDate:
    """A date in a text; ``readings`` holds two where "3/5" may be May or March."""

    start: int
    end: int
    readings: tuple[PartialDate, ...]


def dates(text: str) -> Iterator[FoundDate]:
    """Yield the dates of a text."""
    lower = lower_case(text)
    words = frozenset(_LETTERS.findall(lower))
    if not words.isdisjoint(_MONTHS):
        for found in _with_month(text, lower):
            yield found
            lower = blank(lower, found.start, found.end)
    if _DIGIT.search(lower):
        for match in _IN_DIGITS.finditer(lower):
            if match["year"] and _is_amount(text, match):
                continue
            readings = tuple(reading for reading in _read_digits(match) if _exists(reading))
            if readings:
                yield FoundDate(match.start(), match.end(), readings)
    if not words.isdisjoint(_DAY_NAMES):
        for match in _DAY_NAME.finditer(lower):
            if _is_name(text[match.start() : match.end()]):
                yield FoundDate(match.start(), match.end(), (_read_day_name(match),))


def _with_month(text: str, lower: str) -> Iterator[FoundDate]:
    """Yield dates with a month's name: first those with a day before it, then after it, then without."""
    for pattern in _WITH_MONTH:
        for match in pattern.finditer(lower):
            reading = _read_month(match, text)
            if reading and _exists(reading):
                yield FoundDate(match.start(), match.end(), (reading,))
                lower = blank(lower, match.start(), match.end())


def same_date(a: FoundDate, b: FoundDate, said_a: date, said_b: date) -> bool | None:
    """Can two dates mean the same day, month or year? None: they have no part in common.

    ``said_a`` and ``said_b`` are the days on which the texts were said.
    """
    answers = {x.on(said_a).agrees(y.on(said_b)) for x in a.readings for y in b.readings}
    return True if True in answers else False if False in answers else None


def _read_month(match: re.Match[str], text: str) -> PartialDate | None:
    parts = match.groupdict()
    day = (
        int(match["day"])
        if parts.get("day")
        else ORDINALS[match["dayword"]]
        if parts.get("dayword")
        else None
    )
    year = _year(match["year"] or match["short"])
    if day is None and year is None and not _is_name(text[match.start("month") : match.end("month")]):
        return None
    return PartialDate(year, _MONTHS[match["month"]], day)


def _read_digits(match: re.Match[str]) -> list[PartialDate]:
    if match["iso"]:
        year, month, day = (int(part) for part in match["iso"].split(match["dash"]))
        return [PartialDate(year, month, day)]
    if match["first"]:
        first, second, of_year = int(match["first"]), int(match["second"]), _year(match["third"])
        orders = [(first, second)] if match["sep"] == "." else [(first, second), (second, first)]
        return [PartialDate(of_year, month, day) for day, month in dict.fromkeys(orders)]
    if match["month_first"]:
        return [PartialDate(int(match["of_year"]), int(match["month_first"]))]
    if match["year_first"]:
        return [PartialDate(int(match["year_first"]), int(match["then_month"]))]
    return [PartialDate(_year(match["year"] or match["short"]))]


def _read_day_name(match: re.Match[str]) -> PartialDate:
    if match["relative"]:
        return PartialDate(offset=_RELATIVE[match["relative"]])
    return PartialDate(weekday=_WEEKDAYS[match["weekday"]])


def _is_amount(text: str, match: re.Match[str]) -> bool:
    """Are the four digits an amount with a unit or currency, such as "2000 kg", rather than a year?"""
    before = BEFORE_NUMBER.search(text, max(0, match.start() - LOOK_BACK), match.start())
    return before is not None or AFTER_NUMBER.match(text, match.end()) is not None


def _year(digits: str | None) -> int | None:
    """Read a year; two digits lie between 1930 and 2029."""
    if digits is None:
        return None
    value = int(digits)
    return value if value >= 100 else value + (1900 if value >= 30 else 2000)


def _is_name(word: str) -> bool:
    """Is a word that is not only a month or weekday written as one?"""
    return word.casefold() not in _NEEDS_CAPITAL or word[0].isupper()


def _exists(reading: PartialDate) -> bool:
    if reading.month is None or reading.day is None:
        return True
    if not 1 <= reading.month <= 12:
        return False
    return 1 <= reading.day <= calendar.monthrange(reading.year or 2000, reading.month)[1]
