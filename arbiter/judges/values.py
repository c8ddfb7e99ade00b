"""Values of a known type: are two the same, and which one does a text state?

Every answer may be None: a value that cannot be read for sure is compared by nobody here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from functools import partial
from typing import TypeAlias

from rapidfuzz.fuzz import ratio

from arbiter.domain.canonical import canonical, fold_name
from arbiter.domain.facts import Record
from arbiter.judges.alignment import align, side
from arbiter.judges.clock_times import ClockTime, clock_times, same_time
from arbiter.judges.dates import FoundDate, PartialDate, same_date
from arbiter.judges.lexicon import lexicon
from arbiter.judges.quantities import Found, same_quantity
from arbiter.judges.reading import Reading, fold_code, read
from arbiter.judges.value_guards import Item, is_denied, value_findings
from arbiter.judges.word_guards import small_words

Comparison: TypeAlias = Callable[[str, str], bool | None]

_YES = frozenset({"yes", "y", "true", "on", "1", "enabled", "active", "ja", "oui", "sí", "sim"})
_NO = frozenset({"no", "n", "false", "off", "0", "disabled", "inactive", "none", "nein", "non", "não"})
_LIST = re.compile(r",|;|&|/|\b(?:and|or)\b")
_EXCHANGEABLE = frozenset({"name", "category", "code"})
# Above this likeness (of 100) two names may be two spellings of one.
_LOOKS_ALIKE = 80
_SCHEME = re.compile(r"^(?:https?://)?(?:www\.)?")
_PHONE_DIGITS = 7


def same_value(
    a: str, b: str, value_type: str, said: tuple[date, date], canonical_name: Callable[[str], str] = fold_name
) -> bool | None:
    """Are two values of a type the same? None: it cannot be told for sure.

    "Porto" and "Porto, Portugal" are neither the same nor two values.

    ``said`` are the days on which they were said, for "yesterday" and its like.
    """
    if canonical(a) == canonical(b):
        return True
    comparisons: Mapping[str, Comparison] = {
        "number": _same_quantity,
        "quantity": _same_quantity,
        "money": _same_quantity,
        "date": partial(_same_date, said=said),
        "time": _same_time,
        "boolean": _same_boolean,
        "email": _same_folded,
        "code": _same_folded,
        "url": _same_url,
        "phone": _same_phone,
        "name": partial(_same_name, canonical_name=canonical_name),
        "category": partial(_same_name, canonical_name=canonical_name),
    }
    return comparisons.get(value_type, partial(_same_text, said=said))(a, b)


def is_of_type(value: str, value_type: str) -> bool:
    """Can a value be read as one of its type? Of names, categories, codes and free texts any text is one."""
    reading = read(value)
    checks: Mapping[str, Callable[[], bool]] = {
        "number": lambda: len(reading.quantities) == 1,
        "quantity": lambda: len(reading.quantities) == 1,
        "money": lambda: len(reading.quantities) == 1,
        "date": lambda: len(reading.dates) == 1,
        "time": lambda: _time(value) is not None,
        "boolean": lambda: canonical(value) in _YES | _NO,
        "email": lambda: "@" in value,
        "url": lambda: "." in value or ":" in value,
        "phone": lambda: len(re.sub(r"\D", "", value)) >= _PHONE_DIGITS,
    }
    return checks.get(value_type, lambda: True)()


def stated_values(a: Record, b: Record, value_type: str, spellings: frozenset[str]) -> tuple[str, str] | None:
    """Return what each record gives as its value: its field, or the one value of the type in its text.

    ``spellings`` are the words by which the attribute is called.
    """
    if not a.value and not b.value and value_type in _EXCHANGEABLE:
        exchanged = _exchanged(a.content, b.content)
        if exchanged is not None:
            return exchanged
    left = a.value or _value_in(a, b, value_type, spellings)
    right = b.value or _value_in(b, a, value_type, spellings)
    return (left, right) if left and right else None


def _value_in(record: Record, other: Record, value_type: str, spellings: frozenset[str]) -> str | None:
    """Return the only value of the type that the text states of its subject; None if it states more."""
    reading = read(record.content)
    subject = record.subject or ""
    if value_type in {"number", "quantity", "money"}:
        return _only(reading, _fitting(_stated(reading, reading.quantities, subject), value_type))
    if value_type == "date":
        return _only(reading, _stated(reading, reading.dates, subject))
    if value_type == "time":
        return _only(reading, _stated(reading, reading.times, subject))
    if value_type in {"code", "email", "url"}:
        named = set(read(subject).codes)
        own = [token.surface for token in reading.tokens if token.kind == "code" and token.text not in named]
        return own[0] if len(own) == 1 else None
    return _name_in(record, other, spellings) if value_type == "name" else None


def _name_in(record: Record, other: Record, spellings: frozenset[str]) -> str | None:
    """Return the one name in a text that tells of nothing but subject, attribute and that name."""
    mine, theirs = side(record.content), side(other.content)
    about = side(" ".join((record.subject or "", *sorted(spellings))))
    names = [p for p in mine.pieces if p.is_name and not about.knows(p)]
    places = [mine.pieces.index(p) for p in names]
    in_one_run = bool(places) and places[-1] - places[0] == len(places) - 1
    rest = (p for p in mine.pieces if p.is_content and p.kind == "word" and p not in names)
    if not in_one_run or any(not about.knows(p) and not theirs.knows(p) for p in rest):
        return None
    return " ".join(p.surface for p in names)


def _stated(reading: Reading, items: Sequence[Item], subject: str) -> list[Item]:
    """Leave out what the text denies and what belongs to the name of the subject ("berth 4")."""
    named = {canonical(word) for word in subject.split()}
    return [
        item
        for item in items
        if not is_denied(reading, item.start) and canonical(reading.text[item.start : item.end]) not in named
    ]


def _fitting(found: list[Found], value_type: str) -> list[Found]:
    """Keep amounts of money for money, and amounts with a unit for quantities, if there are any."""
    sure = [f for f in found if not f.quantity.loose] or found
    if value_type == "money":
        return [f for f in sure if f.quantity.is_money] or sure
    if value_type == "quantity":
        return [f for f in sure if f.quantity.units] or sure
    return sure


def _only(reading: Reading, items: Sequence[Item]) -> str | None:
    return reading.text[items[0].start : items[0].end] if len(items) == 1 else None


def _exchanged(a: str, b: str) -> tuple[str, str] | None:
    """Return the one name, code or short term in which two otherwise equal sentences differ."""
    if b < a:
        turned = _exchanged(b, a)
        return turned and (turned[1], turned[0])
    alignment = align(a, b)
    if len(alignment.changes) != 1:
        return None
    change, small = alignment.changes[0], lexicon().small_words
    pieces = (*change.a, *change.b)
    if not change.a or not change.b or max(len(change.a), len(change.b)) > 3:
        return None
    if any(p.kind not in {"word", "code", "run"} or p.text in small or not p.is_content for p in pieces):
        return None
    return " ".join(p.surface for p in change.a), " ".join(p.surface for p in change.b)


def _same_quantity(a: str, b: str) -> bool | None:
    left, right = read(a).quantities, read(b).quantities
    if len(left) != 1 or len(right) != 1 or _qualified(a) != _qualified(b):
        return None
    return same_quantity(left[0].quantity, right[0].quantity)


def _qualified(text: str) -> tuple[int, frozenset[str]]:
    """Return denials and qualifiers such as "at least": with other ones a number is another value."""
    words = small_words(text)
    return len(words.negations), frozenset({*words.qualifiers, *words.quantifiers})


def _same_date(a: str, b: str, said: tuple[date, date]) -> bool | None:
    left, right = read(a).dates, read(b).dates
    if len(left) != 1 or len(right) != 1:
        return None
    same = same_date(left[0], right[0], *said)
    return same if same is False or _precision(left[0]) == _precision(right[0]) else None


def _precision(found: FoundDate) -> tuple[bool, ...]:
    reading: PartialDate = found.readings[0]
    if reading.offset is not None:
        return (True, True, True)
    return (reading.year is not None, reading.month is not None, reading.day is not None)


def _same_time(a: str, b: str) -> bool | None:
    left, right = _time(a), _time(b)
    return None if left is None or right is None else same_time(left, right)


def _time(text: str) -> ClockTime | None:
    """Read a time of day; a bare hour ("8") may be morning or evening."""
    found = list(clock_times(text))
    if len(found) == 1:
        return found[0].time
    bare = text.strip()
    return ClockTime(60 * int(bare), twelve_hour=True) if bare.isdecimal() and len(bare) <= 2 else None


def _same_boolean(a: str, b: str) -> bool | None:
    left, right = canonical(a), canonical(b)
    if not {left, right} <= _YES | _NO:
        return None
    return (left in _YES) == (right in _YES)


def _same_folded(a: str, b: str) -> bool:
    return fold_code(canonical(a)).replace(" ", "") == fold_code(canonical(b)).replace(" ", "")


def _same_url(a: str, b: str) -> bool:
    left, right = (_SCHEME.sub("", canonical(url)).rstrip("/") for url in (a, b))
    return left == right


def _same_phone(a: str, b: str) -> bool | None:
    """Compare digits; a number without its country code meets the one with it."""
    left, right = (re.sub(r"\D", "", number).lstrip("0") for number in (a, b))
    if min(len(left), len(right)) < _PHONE_DIGITS:
        return None
    return left.endswith(right) or right.endswith(left)


def _same_name(a: str, b: str, canonical_name: Callable[[str], str]) -> bool | None:
    left, right = canonical_name(a), canonical_name(b)
    words_a, words_b = side(left).texts, side(right).texts
    if left == right or (words_a == words_b and len(words_a) > 1):
        return True
    if words_a <= words_b or words_b <= words_a or _LIST.search(left) or _LIST.search(right):
        return None
    if (
        _qualified(a) != (0, frozenset())
        or _qualified(b) != (0, frozenset())
        or ratio(left, right) >= _LOOKS_ALIKE
    ):
        return None
    if (
        any(p.kind == "word" and side(b).knows(p) for p in side(a).pieces)
        or _is_short_for(a, b)
        or _is_short_for(b, a)
    ):
        return None
    return False


def _is_short_for(short: str, long: str) -> bool:
    """Is it made of the initials of the longer name?"""
    return canonical(short) == "".join(word[0] for word in canonical(long).split())


def _same_text(a: str, b: str, said: tuple[date, date]) -> bool | None:
    """Free texts differ for sure only where all their words are shared and a typed value is another one."""
    left, right = side(a), side(b)
    words = [p for p in left.pieces if p.kind == "word" and not right.knows(p)]
    words += [p for p in right.pieces if p.kind == "word" and not left.knows(p)]
    if words or _qualified(a) != _qualified(b):
        return None
    return False if any(value_findings(read(a), read(b), *said)) else None
