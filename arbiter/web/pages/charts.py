"""Pictures of the dashboard: where everything stands in them, computed where it can be tested."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from math import ceil, log10

_GAP = 0.25
_THINNEST = 0.8


@dataclass(frozen=True, slots=True)
class Block:
    """A part of a column; ``y`` and ``height`` in percent of the picture, from the top."""

    label: str
    tone: str
    amount: float
    y: float
    height: float


@dataclass(frozen=True, slots=True)
class Column:
    """A day; ``x`` and ``width`` in percent of the picture."""

    day: date
    amount: float
    x: float
    width: float
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Columns:
    """A picture of days side by side. ``top`` is the amount at its upper edge; ``tones`` are those in it."""

    columns: tuple[Column, ...]
    top: float
    tones: Mapping[str, str]

    @property
    def total(self) -> float:
        """What all days have together."""
        return sum(column.amount for column in self.columns)

    @property
    def peak(self) -> Column:
        """The day that has most."""
        return max(self.columns, key=lambda column: column.amount)


@dataclass(frozen=True, slots=True)
class Bar:
    """One of several amounts, the longest bar 100 percent wide."""

    label: str
    amount: int
    width: float


@dataclass(frozen=True, slots=True)
class Interval:
    """A share in [0, 1] with its 95 % interval, None where nothing was said; ``said`` is out of how many."""

    label: str
    share: float | None
    low: float
    high: float
    said: int

    @property
    def span(self) -> float:
        """How wide the interval is."""
        return self.high - self.low


def columns(
    days: Sequence[date], amounts: Mapping[date, Mapping[str, float]], tones: Mapping[str, str]
) -> Columns:
    """Return a picture of days; ``amounts`` holds those of each day by name, ``tones`` the colour of a name.

    Parts lie one on the other in the order of ``tones``, the first at the bottom; very small ones are drawn
    a little too high, so that they can be seen.
    """
    sums = {day: sum(amounts.get(day, {}).values()) for day in days}
    top = nice(max(sums.values(), default=0.0))
    width = 100 / max(1, len(days))
    made = []
    for place, day in enumerate(days):
        level = 100.0
        blocks = []
        for label, tone in tones.items():
            amount = amounts.get(day, {}).get(label, 0)
            if amount > 0:
                height = min(level, max(_THINNEST, 100 * amount / top))
                level -= height
                blocks.append(Block(label, tone, amount, round(level, 3), round(height, 3)))
        made.append(
            Column(
                day,
                sums[day],
                round(width * (place + _GAP / 2), 3),
                round(width * (1 - _GAP), 3),
                tuple(blocks),
            )
        )
    used = {block.label for column in made for block in column.blocks}
    return Columns(tuple(made), top, {label: tone for label, tone in tones.items() if label in used})


def ranked(amounts: Mapping[str, int], limit: int = 8) -> list[Bar]:
    """Return amounts as bars, the largest first; beyond ``limit`` the smallest are one bar together."""
    ordered = sorted(
        ((amount, label) for label, amount in amounts.items() if amount > 0), key=lambda a: (-a[0], a[1])
    )
    if len(ordered) > limit:
        rest = ordered[limit - 1 :]
        ordered = [*ordered[: limit - 1], (sum(amount for amount, _ in rest), f"{len(rest)} others")]
    most = max((amount for amount, _ in ordered), default=1)
    return [Bar(label, amount, round(100 * amount / most, 2)) for amount, label in ordered]


def nice(most: float) -> float:
    """Return the least round number (1, 2 or 5 times a power of ten) that is not below an amount."""
    if most <= 0:
        return 1.0
    power = 10.0 ** (ceil(log10(most)) - 1)
    return next(power * step for step in (1, 2, 5, 10) if power * step >= most * (1 - 1e-9))
