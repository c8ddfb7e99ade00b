"""Shares as bars: what a chart needs, computed where it can be tested."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

_NARROWEST = 0.6


@dataclass(frozen=True, slots=True)
class Slice:
    """One part of a bar. ``x`` and ``width`` are in percent of the bar; ``tone`` names its colour."""

    label: str
    tone: str
    count: int
    share: float
    x: float
    width: float


def stacked(parts: Iterable[tuple[str, str, int]]) -> list[Slice]:
    """Return the parts (label, tone, count) of a whole side by side; empty parts are left out.

    Very small parts are drawn a little too wide, so that they can be seen; the others give way.
    """
    filled = [part for part in parts if part[2] > 0]
    total = sum(count for _, _, count in filled)
    widths = [max(100 * count / total, _NARROWEST) for _, _, count in filled]
    scale = 100 / sum(widths) if widths else 0.0
    slices = []
    x = 0.0
    for (label, tone, count), width in zip(filled, widths, strict=True):
        slices.append(Slice(label, tone, count, count / total, round(x, 3), round(width * scale, 3)))
        x += width * scale
    return slices


def named(counts: Mapping[str, int], tones: Mapping[str, str]) -> list[tuple[str, str, int]]:
    """Return counts as parts in the order of ``tones``; the name is the label, underscores are spaces."""
    return [(name.replace("_", " "), tone, counts.get(name, 0)) for name, tone in tones.items()]
