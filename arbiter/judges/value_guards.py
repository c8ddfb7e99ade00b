"""Guards over typed values: numbers, units, dates, times of day and identifiers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import date
from typing import TypeVar

from arbiter.domain.evidence import GuardFinding
from arbiter.judges.alignment import SAME_TEMPLATE, Alignment
from arbiter.judges.clock_times import FoundTime, same_time
from arbiter.judges.dates import FoundDate, same_date
from arbiter.judges.lexicon import lexicon
from arbiter.judges.quantities import Found, same_quantity
from arbiter.judges.reading import Reading, plain

Item = TypeVar("Item", Found, FoundDate, FoundTime)

# "not" or "instead of" denies a value that follows at once.
_DENIAL_REACH = 24
_SHARE_TOLERANCE = 0.006


def value_findings(a: Reading, b: Reading, said_a: date, said_b: date) -> Iterator[GuardFinding]:
    """Yield the kinds of value of which each text has one that the other lacks.

    A value on one side only is a detail, not a difference. What a text denies ("not 5") is not its own.
    """
    left, right = _asserted(a, a.quantities), _asserted(b, b.quantities)
    numbers_a = [f for f in _unmatched(left, right, _same) if not f.quantity.loose]
    numbers_b = [f for f in _unmatched(right, left, _same) if not f.quantity.loose]

    days_left, days_right = _alike(_asserted(a, a.dates), _asserted(b, b.dates))
    days_a = _unmatched(days_left, days_right, lambda x, y: same_date(x, y, said_a, said_b))
    days_b = _unmatched(days_right, days_left, lambda x, y: same_date(x, y, said_b, said_a))

    times_left, times_right = _asserted(a, a.times), _asserted(b, b.times)
    times_a = _unmatched(times_left, times_right, lambda x, y: same_time(x.time, y.time))
    times_b = _unmatched(times_right, times_left, lambda x, y: same_time(x.time, y.time))

    numbers_a, days_b, times_b = _drop_spelt_otherwise(numbers_a, days_b, times_b, b.codes)
    numbers_b, days_a, times_a = _drop_spelt_otherwise(numbers_b, days_a, times_a, a.codes)
    numbers_a, numbers_b = _drop_shares(numbers_a, right, numbers_b)
    numbers_b, numbers_a = _drop_shares(numbers_b, left, numbers_a)

    if numbers_a and numbers_b:
        yield GuardFinding(_number_or_unit(numbers_a, numbers_b), _told(a, numbers_a), _told(b, numbers_b))
    elif (numbers_a and _years(days_b)) or (numbers_b and _years(days_a)):
        yield GuardFinding(
            "number",
            _told(a, numbers_a) or _told(a, _years(days_a)),
            _told(b, numbers_b) or _told(b, _years(days_b)),
        )
    if days_a and days_b and _disagree(days_a, days_b, said_a, said_b):
        yield GuardFinding("date", _told(a, days_a), _told(b, days_b))
    if times_a and times_b:
        yield GuardFinding("time", _told(a, times_a), _told(b, times_b))
    codes_a, codes_b = _foreign_codes(a, b), _foreign_codes(b, a)
    if codes_a and codes_b:
        yield GuardFinding("identifier", ", ".join(codes_a), ", ".join(codes_b))


def loose_number_findings(a: Reading, b: Reading, alignment: Alignment) -> Iterator[GuardFinding]:
    """Yield a word such as "second", "once" or "one" that stands where the other text has another number."""
    if alignment.closeness < SAME_TEMPLATE:
        return
    loose = {found.start for r in (a, b) for found in r.quantities if found.quantity.loose}
    for change in alignment.changes:
        left = [p for p in change.a if p.kind == "quantity" and p.key not in alignment.b.keys]
        right = [p for p in change.b if p.kind == "quantity" and p.key not in alignment.a.keys]
        if left and right and any(p.start in loose for p in (*left, *right)):
            yield GuardFinding("number", left[0].surface, right[0].surface)


def is_denied(reading: Reading, start: int) -> bool:
    """Does the text deny what starts at this place ("not 5", "instead of Monday")?"""
    before = reading.text[max(0, start - _DENIAL_REACH) : start].lower().replace("’", "'")
    return lexicon().denying.search(before) is not None


def _asserted(reading: Reading, items: Sequence[Item]) -> list[Item]:
    """Return what the text itself says: what it denies is left out, if anything is left then."""
    kept = [item for item in items if not is_denied(reading, item.start)]
    return kept or list(items)


def _alike(a: list[FoundDate], b: list[FoundDate]) -> tuple[list[FoundDate], list[FoundDate]]:
    """Leave weekdays out where both texts give calendar dates: "every Wednesday" is not the 4th."""
    dated_a, dated_b = ([d for d in side if d.readings[0].weekday is None] for side in (a, b))
    return (dated_a, dated_b) if dated_a and dated_b else (a, b)


def _unmatched(
    items: Sequence[Item], others: Sequence[Item], same: Callable[[Item, Item], bool | None]
) -> list[Item]:
    return [item for item in items if not any(same(item, other) for other in others)]


def _same(x: Found, y: Found) -> bool | None:
    return same_quantity(x.quantity, y.quantity)


def _disagree(a: Sequence[FoundDate], b: Sequence[FoundDate], said_a: date, said_b: date) -> bool:
    """Is there a pair of dates that cannot be one, rather than two that have nothing in common?"""
    return any(same_date(x, y, said_a, said_b) is False for x in a for y in b)


def _years(days: Sequence[FoundDate]) -> list[FoundDate]:
    """Return the years without month and day, which may be mere numbers."""
    return [found for found in days if found.readings[0].is_year]


def _drop_spelt_otherwise(
    numbers: list[Found], days: list[FoundDate], times: list[FoundTime], codes: Sequence[str]
) -> tuple[list[Found], list[FoundDate], list[FoundTime]]:
    """Drop numbers that the other text spells as part of a date, time or code, and those parts."""
    kept: list[Found] = []
    for found in numbers:
        value = found.quantity.readings[0]
        day = next((d for d in days if any(value in (r.day, r.year) for r in d.readings)), None)
        time = next((t for t in times if t.time.minutes in (value * 60, value * 60 - 720)), None)
        if day is not None:
            days = [d for d in days if d is not day]
        elif time is not None:
            times = [t for t in times if t is not time]
        elif found.quantity.units or not any(code.endswith(plain(value)) for code in codes):
            kept.append(found)
    return kept, days, times


def _drop_shares(
    numbers: list[Found], others: Sequence[Found], unmatched: list[Found]
) -> tuple[list[Found], list[Found]]:
    """Drop a percentage that the other text writes as two numbers ("60 percent", "180 of 300")."""
    kept: list[Found] = []
    for found in numbers:
        share = found.quantity.share
        parts = [
            part
            for part in others
            for whole in others
            if share is not None and _is_share(part, whole, float(share))
        ]
        if parts:
            unmatched = [other for other in unmatched if other not in parts]
        else:
            kept.append(found)
    return kept, unmatched


def _is_share(part: Found, whole: Found, share: float) -> bool:
    if part.quantity.units or not whole.quantity.readings[0]:
        return False
    return abs(float(part.quantity.readings[0] / whole.quantity.readings[0]) - share) <= _SHARE_TOLERANCE


def _number_or_unit(a: Sequence[Found], b: Sequence[Found]) -> str:
    """Name the difference: equal numbers with other units differ in the unit."""
    equal = any(set(x.quantity.readings) & set(y.quantity.readings) for x in a for y in b)
    return "unit" if equal else "number"


def _foreign_codes(reading: Reading, other: Reading) -> list[str]:
    """Return the codes that the other text has in no form."""
    digits = {plain(value) for found in other.quantities for value in found.quantity.readings}
    words = {token.text for token in other.tokens}
    return [
        code
        for code in reading.codes
        if code not in other.codes
        and code not in words
        and not any(code.endswith(number) for number in digits)
        and not any(
            known.startswith(code) or code.startswith(known) for known in other.codes if len(known) > 2
        )
    ]


def _told(reading: Reading, items: Sequence[Item]) -> str:
    return ", ".join(reading.text[item.start : item.end] for item in items)
