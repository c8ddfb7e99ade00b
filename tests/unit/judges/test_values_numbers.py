"""Numbers and quantities read out of texts, and when two are the same amount."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.judges.numerals import numbers, read_digits
from arbiter.judges.quantities import Quantity, quantities, same_quantity


def only(text: str) -> Quantity:
    """Return the one quantity of a text."""
    (found,) = quantities(text)
    return found.quantity


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1,150.00", ["1150.00"]),
        ("1.150,00", ["1150.00"]),
        ("30 000", ["30000"]),
        ("2.9k", ["2900.0"]),
        ("four thousand eight hundred and twelve", ["4812"]),
        ("a dozen", ["12"]),
        ("minus eighteen point four", ["-18.4"]),
        ("\u221225", ["-25"]),
        ("two fifths", ["0.4"]),
        ("three and a half million", ["3500000.0"]),
        ("2½", ["2.5"]),
        ("two three", ["2", "3"]),
        ("१२", ["12"]),
        ("10.4.2.17", []),
    ],
)
def test_numbers(text: str, expected: list[str]) -> None:
    """Digits in the usual notations and number words are read; what is no number is left out."""
    assert [number.readings[0] for number in numbers(text)] == [Decimal(value) for value in expected]


def test_a_point_before_three_digits_is_read_both_ways() -> None:
    """Half of the world writes thousands with a point."""
    assert read_digits("18.600") == (Decimal("18.600"), Decimal(18600))
    assert read_digits("0.412") == (Decimal("0.412"),)


@pytest.mark.parametrize("word", ["once", "second", "both", "one"])
def test_words_that_may_be_no_number_are_loose(word: str) -> None:
    """Such a word can meet a digit, but is no number to rely on."""
    assert [number.loose for number in numbers(word)] == [True]


@given(st.integers(0, 10**12))
def test_grouped_digits_keep_their_value(value: int) -> None:
    """A number with commas between its thousands is the number."""
    assert read_digits(f"{value:,}") == (Decimal(value),)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("3.5 kg", "3500 g"),
        ("31 kg", "31,000 g"),
        ("€1,150.00", "1150 euro"),
        ("42 cents", "€0.42"),
        ("PLN 30k", "30 000 złoty"),
        ("5 miles", "8 km"),
        ("-25 °C", "minus 13 degrees Fahrenheit"),
        ("10 bar", "145 psi"),
        ("three years", "36 months"),
        ("an hour and a half", "90 minutes"),
        ("6 ft 7 in", "2.0 m"),
        ("1 min 30 s", "90 seconds"),
        ("2 %", "200 basis points"),
        ("30 %", "0.3"),
        ("90 pounds a year", "£90"),
        ("3,400 euros a month", "40,800 euros a year"),
        ("10 km/h", "6.2 mph"),
        ("€3.5m", "3.5 million euros"),
        ("512 MB", "0.5 GB"),
        ("half a dozen", "six"),
        ("40", "forty seats"),
    ],
)
def test_same_amount_in_other_words(one: str, other: str) -> None:
    """Units, currencies, scales and number words make no difference to the amount."""
    assert same_quantity(only(one), only(other)) is True
    assert same_quantity(only(other), only(one)) is True


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("31 kg", "33 kg", False),
        ("5 mg", "5 g", False),
        ("5 kg", "5 lb", False),
        ("5 EUR", "5 USD", None),
        ("5 kg", "5 km", None),
        ("40", "41", False),
        ("€2 a day", "€2 a week", False),
    ],
)
def test_other_amounts(one: str, other: str, same: bool | None) -> None:  # noqa: FBT001
    """Equal numbers in other units are another amount; what cannot be converted is not compared."""
    assert same_quantity(only(one), only(other)) is same
    assert same_quantity(only(other), only(one)) is same


def test_both_numbers_of_a_range_have_the_unit() -> None:
    """A unit written once is meant for both numbers."""
    assert [found.quantity.units for found in quantities("30 x 20 mm")] == [("mm",), ("mm",)]
    assert [found.quantity.units for found in quantities("2\u20134 °C")] == [("degC",), ("degC",)]
