"""Quantities out of text: a number with its unit, currency or nothing at all."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import product

from arbiter.judges.numerals import Number, blank, numbers
from arbiter.judges.units import (
    AFTER_NUMBER,
    BEFORE_NUMBER,
    LOOK_BACK,
    RATE,
    conversion,
    is_money,
    is_rounded,
    meanings,
)

_HALF = re.compile(
    r"\b(?P<more>an? (?P<one>[a-z]+) and a )?half(?(more)| an? (?P<unit>[a-z]+))\b", re.IGNORECASE
)
_SMALL_MONEY = {"c": ("cEUR", "cUSD", "cAUD", "cCAD"), "p": ("cGBP",)}
_OF_A = re.compile(r" of an? ")
_MILLIONS = re.compile(r" ?(?:m|M|mm)(?!\w)")
_MILLIONS_BEFORE_MONEY = re.compile(r" ?[mM](?= ?(?:€|\$|£|euros?\b|dollars?\b|pounds?\b|[A-Z]{3}\b))")
# "1 min 30 s", "6 ft 7 in": the smaller unit goes on where the larger one stopped.
_SMALLER = {
    "ft": ("in", 12), "h": ("min", 60), "min": ("s", 60), "day": ("h", 24), "week": ("day", 7),
    "year": ("month", 12), "lb": ("oz", 16), "stone": ("lb", 14),
}  # fmt: skip
_BETWEEN_PARTS = re.compile(r",? (?:and )?")
_BETWEEN_SIDES = re.compile(r" ?(?:x|×|-|–|to|by|and|or) ?")
_INCHES = re.compile(r" ?(?:in|″|\")(?!\w)")


@dataclass(frozen=True, slots=True)
class Quantity:
    """An amount; ``units`` holds every unit that its spelling may stand for, and is empty for a bare number.

    ``per`` holds the units of a rate ("€2 per kg"). ``loose`` marks words that may be no number at all
    ("once", a lone "one").
    """

    readings: tuple[Decimal, ...]
    units: tuple[str, ...] = ()
    per: tuple[str, ...] = ()
    loose: bool = False

    @property
    def is_money(self) -> bool:
        """Is it an amount of money?"""
        return any(is_money(unit) for unit in self.units)

    @property
    def share(self) -> Decimal | None:
        """The share that a percentage stands for, as a fraction of 1; None if it is no percentage."""
        return self.readings[0] / 100 if self.units == ("percent",) else None


@dataclass(frozen=True, slots=True)
class Found:
    """A quantity and where it stands in the text."""

    start: int
    end: int
    quantity: Quantity


def quantities(text: str) -> Iterator[Found]:
    """Yield the quantities of a text from left to right."""
    found: list[Found] = []
    for match in _HALF.finditer(text) if "half" in text.lower() else ():
        units = meanings(match["one"] or match["unit"])
        if match["unit"] == "dozen":
            found.append(Found(match.start(), match.end(), Quantity((Decimal(6),))))
            text = blank(text, match.start(), match.end())
        elif units:
            amount = Decimal("1.5") if match["more"] else Decimal("0.5")
            found.append(Found(match.start(), match.end(), Quantity((amount,), units)))
            text = blank(text, match.start(), match.end())
    found += [_with_unit(text, number) for number in numbers(text)]
    return _joined(text, sorted(found, key=lambda f: f.start))


def same_quantity(a: Quantity, b: Quantity) -> bool | None:
    """Are two quantities the same amount? None: they measure different things.

    A bare number is compared by value alone, or as the share that a percentage stands for. Within one
    unit values must be equal; across units they may differ by rounding.
    """
    equal = any(x == y for x in a.readings for y in b.readings)
    if a.loose or b.loose:
        return equal
    if not a.units or not b.units:
        return equal or a.share in b.readings or b.share in a.readings
    if equal and not set(a.units).isdisjoint(b.units) and _rates_agree(a.per, b.per):
        return True
    answers = {
        _same_converted(float(x), float(y), line, unit_a)
        for x, y in product(a.readings, b.readings)
        for unit_a in a.units
        for line in _conversions(a, b, unit_a)
    }
    return any(answers) if answers else None


def _rates_agree(a: Sequence[str], b: Sequence[str]) -> bool:
    return not a or not b or not set(a).isdisjoint(b)


def _conversions(a: Quantity, b: Quantity, unit_a: str) -> Iterator[tuple[float, float]]:
    """Yield how values of b become values in the unit of a, by every meaning of the units."""
    for unit_b in b.units:
        line = conversion(unit_b, unit_a)
        if line is None:
            continue
        if not a.per or not b.per:
            yield line
            continue
        for per_a, per_b in product(a.per, b.per):
            rate = conversion(per_b, per_a)
            if rate is not None:
                yield line[0] / rate[0], 0.0


def _same_converted(x: float, y: float, line: tuple[float, float], unit: str) -> bool:
    converted = y * line[0] + line[1]
    return converted == x if line == (1.0, 0.0) else is_rounded(x, converted, unit)


def _with_unit(text: str, number: Number) -> Found:
    """Return the number with the unit that follows it, or with the currency on either side."""
    start, end = number.start, number.end
    if number.loose:
        return Found(start, end, Quantity(number.readings, loose=True))
    readings = number.readings
    before = BEFORE_NUMBER.search(text, max(0, start - LOOK_BACK), start)
    millions = (_MILLIONS if before else _MILLIONS_BEFORE_MONEY).match(text, end)
    if millions:
        end, readings = millions.end(), tuple(value * 1_000_000 for value in readings)
    if before:
        rate = RATE.match(text, end)
        units, per = meanings(before["code"] or before["sign"]), meanings(rate["per"]) if rate else ()
        return Found(before.start(), rate.end() if rate else end, Quantity(readings, units, per))
    of = _OF_A.match(text, end)
    after = AFTER_NUMBER.match(text, of.end() - 1 if of else end)
    if after is None:
        return Found(start, end, Quantity(readings))
    if after["unit"] in {"m", "M"} and after.end() == end + 1:
        readings = (*readings, *(value * 1_000_000 for value in readings))
    units = _SMALL_MONEY[after["small"]] if after["small"] else meanings(after["unit"] or after["sign"])
    per = meanings(after["per"] or after["each"] or "")
    if not per and "/" in "".join(units):
        units, per = tuple(unit.split("/")[0] for unit in units), tuple(unit.split("/")[1] for unit in units)
    return Found(start, after.end(), Quantity(readings, units, per))


def _joined(text: str, found: list[Found]) -> Iterator[Found]:
    """Add up "1 min 30 s", and give the first number of "30 x 20 mm" the unit of the second."""
    held: Found | None = None
    for item in found:
        if held is None:
            held = item
            continue
        between = text[held.end : item.start]
        total = _sum(text, held, item) if _BETWEEN_PARTS.fullmatch(between) else None
        if total is not None:
            held = total
            continue
        if item.quantity.units and not held.quantity.units and _BETWEEN_SIDES.fullmatch(between):
            shared = replace(held.quantity, units=item.quantity.units, per=item.quantity.per)
            held = replace(held, quantity=shared)
        yield held
        held = item
    if held is not None:
        yield held


def _sum(text: str, large: Found, small: Found) -> Found | None:
    """Return the sum of two quantities, if the second is in the next smaller unit of the first."""
    if len(large.quantity.units) != 1 or large.quantity.units[0] not in _SMALLER:
        return None
    unit, steps = _SMALLER[large.quantity.units[0]]
    inches = _INCHES.match(text, small.end) if unit == "in" and not small.quantity.units else None
    if inches is None and small.quantity.units != (unit,):
        return None
    total = large.quantity.readings[0] + small.quantity.readings[0] / steps
    return Found(
        large.start, inches.end() if inches else small.end, replace(large.quantity, readings=(total,))
    )
