"""Pictures of the dashboard: where their parts stand."""

from __future__ import annotations

from datetime import date

import pytest

from arbiter.web.pages.charts import Bar, Block, columns, nice, ranked

MONDAY, TUESDAY = date(2026, 6, 1), date(2026, 6, 2)
TONES = {"stored": "good", "held": "warn", "refused": "bad"}


def test_columns_stack_their_parts() -> None:
    """The first part lies at the bottom; the upper edge is a round number; unused names are left out."""
    found = columns([MONDAY, TUESDAY], {MONDAY: {"held": 2, "stored": 6}, TUESDAY: {}}, TONES)
    first, second = found.columns
    assert first.blocks == (Block("stored", "good", 6, 40.0, 60.0), Block("held", "warn", 2, 20.0, 20.0))
    assert (first.x, first.width, second.x) == (6.25, 37.5, 56.25)
    assert (second.amount, second.blocks) == (0, ())
    assert (found.top, found.peak, dict(found.tones)) == (10.0, first, {"stored": "good", "held": "warn"})


def test_a_small_part_can_be_seen() -> None:
    """It is drawn a little too high, and never above the picture."""
    (only,) = columns([MONDAY], {MONDAY: {"stored": 1000, "held": 1, "refused": 1}}, TONES).columns
    assert [(block.y, block.height) for block in only.blocks] == [(50.0, 50.0), (49.2, 0.8), (48.4, 0.8)]
    (full,) = columns([MONDAY], {MONDAY: {"stored": 99.9, "held": 0.1}}, TONES).columns
    assert sum(block.height for block in full.blocks) == 100


def test_nothing_makes_an_empty_picture() -> None:
    """Days without anything have no parts, and the scale is one."""
    found = columns([MONDAY], {}, TONES)
    assert (found.top, found.tones, found.columns[0].blocks) == (1.0, {}, ())


@pytest.mark.parametrize(
    ("most", "top"),
    [(0, 1), (0.03, 0.05), (0.5, 0.5), (1, 1), (1.1, 2), (7, 10), (10, 10), (11, 20), (4321, 5000)],
)
def test_scales_end_at_round_numbers(most: float, top: float) -> None:
    """One, two or five times a power of ten, and never below what is shown."""
    assert nice(most) == pytest.approx(top)


def test_bars_are_ranked() -> None:
    """The largest is the longest; names decide between equals; nothing is no bar."""
    assert ranked({"b": 2, "a": 2, "c": 8, "d": 0}) == [
        Bar("c", 8, 100.0),
        Bar("a", 2, 25.0),
        Bar("b", 2, 25.0),
    ]
    assert ranked({}) == []


def test_many_bars_end_in_one() -> None:
    """What is beyond the limit is counted together."""
    found = ranked({name: number for number, name in enumerate("abcde", 1)}, limit=3)
    assert [(bar.label, bar.amount) for bar in found] == [("e", 5), ("d", 4), ("3 others", 6)]
