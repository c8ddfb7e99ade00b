"""Calendar dates and times of day read out of texts, and when two can be one."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.judges.clock_times import ClockTime, clock_times, same_time
from arbiter.judges.dates import FoundDate, PartialDate, dates, same_date

SAID = date(2026, 3, 4)


def only(text: str) -> FoundDate:
    """Return the one date of a text."""
    (found,) = dates(text)
    return found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("3 May 2026", PartialDate(2026, 5, 3)),
        ("May 3rd, 2026", PartialDate(2026, 5, 3)),
        ("the third of May '26", PartialDate(2026, 5, 3)),
        ("2026-05-03", PartialDate(2026, 5, 3)),
        ("03.05.26", PartialDate(2026, 5, 3)),
        ("30/04", PartialDate(None, 4, 30)),
        ("03/2025", PartialDate(2025, 3)),
        ("in June", PartialDate(None, 6)),
        ("30. Juni 2027", PartialDate(2027, 6, 30)),
        ("since '91", PartialDate(1991)),
        ("on Tuesdays", PartialDate(weekday=1)),
        ("yesterday", PartialDate(offset=-1)),
    ],
)
def test_dates(text: str, expected: PartialDate) -> None:
    """A date has the parts that the text gives, and no others."""
    assert only(text).readings == (expected,)


@pytest.mark.parametrize(
    "text", ["you may go", "she sat down", "24/7", "version 3.8.1", "31.02.2025", "a 5/5"]
)
def test_words_and_numbers_that_are_no_dates(text: str) -> None:
    """Small words, versions and impossible days are no dates; only "5/5" may be one."""
    assert list(dates(text)) == [] or text == "a 5/5"


def test_a_slash_leaves_day_and_month_open() -> None:
    """3/5 is the third of May in one country and the fifth of March in another."""
    assert only("3/5/2026").readings == (PartialDate(2026, 5, 3), PartialDate(2026, 3, 5))


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("14 March 2025", "2025-03-14", True),
        ("14 March", "March 14th, 2025", True),
        ("March 2025", "14 March 2025", True),
        ("on Wednesday", "4 March 2026", True),
        ("yesterday", "3 March 2026", True),
        ("3 March", "13 March", False),
        ("2016", "May 2018", False),
        ("on Tuesday", "4 March 2026", False),
        ("on Tuesday", "in March", None),
    ],
)
def test_dates_agree_in_what_both_give(one: str, other: str, same: bool | None) -> None:  # noqa: FBT001
    """Only parts that both texts give can disagree; weekdays and relative days are worked out."""
    assert same_date(only(one), only(other), SAID, SAID) is same
    assert same_date(only(other), only(one), SAID, SAID) is same


@given(st.dates(date(1950, 1, 1), date(2029, 12, 31)))
def test_iso_and_spoken_dates_are_one(moment: date) -> None:
    """A date in digits is the date in words."""
    spoken = f"{moment.day} {moment:%B} {moment.year}"
    assert same_date(only(moment.isoformat()), only(spoken), SAID, SAID) is True


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("at 14:00", ClockTime(840)),
        ("2pm", ClockTime(840)),
        ("half past nine", ClockTime(570, twelve_hour=True)),
        ("half three in the afternoon", ClockTime(930)),
        ("a quarter to midnight", ClockTime(1425, twelve_hour=True)),
        ("0714h", ClockTime(434)),
        ("noon", ClockTime(720)),
        ("12 am", ClockTime(0)),
        ("02:30 UTC", ClockTime(150, zone=0)),
        ("at 15:00+02:00", ClockTime(900, zone=120)),
        ("21h30", ClockTime(1290)),
        ("18 Uhr", ClockTime(1080)),
        ("in 01:09:44", ClockTime(69, 44)),
    ],
)
def test_times(text: str, expected: ClockTime) -> None:
    """A time knows whether the half of the day and the zone were told."""
    (found,) = clock_times(text)
    assert found.time == expected


@pytest.mark.parametrize("text", ["half of ten people", "a ratio of 3:1", "in 30:41", "at 10 sites"])
def test_numbers_that_are_no_times(text: str) -> None:
    """A ratio, a share or a bare number is no time of day."""
    assert list(clock_times(text)) == []


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (ClockTime(840), ClockTime(840), True),
        (ClockTime(930), ClockTime(210, twelve_hour=True), True),
        (ClockTime(930), ClockTime(210), False),
        (ClockTime(150, zone=0), ClockTime(270, zone=120), True),
        (ClockTime(150, zone=0), ClockTime(150), True),
        (ClockTime(69, 44), ClockTime(69, 57), False),
    ],
)
def test_same_time(one: ClockTime, other: ClockTime, same: bool) -> None:  # noqa: FBT001
    """Morning or evening counts where it is told, zones where both are named."""
    assert same_time(one, other) is same
    assert same_time(other, one) is same
