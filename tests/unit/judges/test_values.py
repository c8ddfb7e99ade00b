"""Values of a known type: the same, another one, or not to be told."""

from __future__ import annotations

from datetime import date

import pytest

from arbiter.domain.canonical import fold_name
from arbiter.judges.values import is_of_type, same_value, stated_values
from tests.factories import make_record

SAID = (date(2026, 1, 1), date(2026, 1, 2))
ALIASES = {"usa": "united states"}


def canonical_name(name: str) -> str:
    """Return the folded name, one alias resolved."""
    folded = fold_name(name)
    return ALIASES.get(folded, folded)


@pytest.mark.parametrize(
    ("value_type", "one", "other", "same"),
    [
        ("name", "Okafor, Ngozi", "Ngozi Okafor", True),
        ("name", "USA", "United States", True),
        ("name", "Lisbon", "Porto", False),
        ("name", "Porto", "Porto, Portugal", None),
        ("name", "Catherine Meyer", "Katherine Meyer", None),
        ("name", "HPMAS", "Harbour Pilots Mutual Aid Society", None),
        ("name", "Ana and Ben", "Carl", None),
        ("category", "open", "closed", False),
        ("category", "not open", "closed", None),
        ("number", "two", "2", True),
        ("number", "5", "at least 5", None),
        ("number", "5 to 7", "6", None),
        ("quantity", "3.5 kg", "3500 g", True),
        ("money", "€1,150.00", "1150 euro", True),
        ("money", "€1,150", "€1,250", False),
        ("date", "3 May 2026", "2026-05-03", True),
        ("date", "2026", "May 2026", None),
        ("date", "yesterday", "3 May 2026", False),
        ("time", "half past nine", "9:30", True),
        ("time", "14:00", "2pm", True),
        ("time", "8", "20:00", True),
        ("boolean", "yes", "true", True),
        ("boolean", "on", "disabled", False),
        ("boolean", "perhaps", "no", None),
        ("email", "Ana@Example.org", "ana@example.org", True),
        ("email", "ana@example.org", "ben@example.org", False),
        ("url", "https://www.example.org/", "example.org", True),
        ("phone", "030 1234567", "+49 30 1234567", True),
        ("phone", "030 1234567", "030 1234568", False),
        ("phone", "110", "112", None),
        ("code", "PSV-207", "psv 207", True),
        ("code", "FI-2207", "FI-2270", False),
        ("category", "A+", "A-", False),
        ("text", "net 30", "net 60", False),
        ("text", "likes tea", "prefers tea", None),
        ("text", "Same  words", "same words", True),
    ],
)
def test_same_value(value_type: str, one: str, other: str, same: bool | None) -> None:  # noqa: FBT001
    """Notation makes no difference, containment and doubt make no answer."""
    assert same_value(one, other, value_type, SAID, canonical_name) is same
    assert same_value(other, one, value_type, SAID, canonical_name) is same


@pytest.mark.parametrize(
    ("value_type", "one", "other", "values"),
    [
        ("name", "Hanne was born in Ribe.", "Hanne was born in Odense.", ("Ribe", "Odense")),
        ("category", "Donor 12 has blood group A+.", "Donor 12 has blood group A-.", ("A+", "A-")),
        ("quantity", "It weighs 31 kg.", "It weighs 33 kg and seats two.", ("31 kg", "33 kg")),
        ("time", "Stand-up is at 09:15.", "Stand-up has moved to 09:45.", ("09:15", "09:45")),
        ("code", "It runs in north-2.", "It runs in south-1.", ("north-2", "south-1")),
        ("number", "5 seats", "Correction: not 5, it was 6 seats", ("5", "6")),
        ("number", "between 5 and 7 seats", "6 seats", None),
        ("name", "Ana met Ben and Carl.", "Ana works with Dora.", None),
        ("text", "Ana likes tea.", "Ana likes jazz.", None),
    ],
)
def test_values_read_from_texts(
    value_type: str, one: str, other: str, values: tuple[str, str] | None
) -> None:
    """A value is read from a text only where it is the only one of its type, on both sides."""
    a, b = make_record(one), make_record(other)
    assert stated_values(a, b, value_type, frozenset()) == values
    assert stated_values(b, a, value_type, frozenset()) == (values and (values[1], values[0]))


def test_the_number_in_the_name_of_the_subject_is_no_value() -> None:
    """Berth 4 is not 4 metres long."""
    a = make_record("Berth 4 is 30 m long.", subject="berth 4")
    b = make_record("Berth 4 has a length of 36 m.", subject="Berth 4")
    assert stated_values(a, b, "number", frozenset()) == ("30 m", "36 m")


def test_a_name_is_read_where_the_text_tells_nothing_else() -> None:
    """The attribute's own words explain the rest of the sentence."""
    a = make_record("The clinic is supervised by Dr Amari.", subject="clinic")
    b = make_record("Since May Dr Lindqvist has been in charge of the clinic.", subject="clinic")
    spellings = frozenset({"supervisor", "supervised", "charge"})
    assert stated_values(a, b, "name", spellings) == ("Amari", "Lindqvist")
    assert stated_values(a, b, "name", frozenset({"owner"})) is None


def test_fields_come_before_texts() -> None:
    """A value field is taken as it is, and the other side may still be read."""
    a = make_record("Ana moved.", value="Porto")
    b = make_record("Ana moved again.", value="Lisbon")
    assert stated_values(a, b, "name", frozenset()) == ("Porto", "Lisbon")
    assert stated_values(a, make_record("Ana moved again."), "name", frozenset()) is None


@pytest.mark.parametrize(
    ("value_type", "values", "others"),
    [
        ("number", ("12", "1,200.50", "five"), ("many", "10-12", "")),
        ("quantity", ("30 days", "12"), ("a while",)),
        ("money", ("12 EUR", "$5"), ("a lot", "12 EUR or 15 EUR")),
        ("date", ("2026-01-02", "3 May", "1990", "yesterday"), ("never", "n/a")),
        ("time", ("9:30", "8"), ("early",)),
        ("boolean", ("yes", "Off"), ("maybe",)),
        ("email", ("ana@example.org",), ("ana",)),
        ("url", ("https://example.org", "example.org/a"), ("the site",)),
        ("phone", ("+351 912 345 678",), ("112", "none")),
        ("name", ("Porto", "12"), ()),
        ("text", ("anything at all",), ()),
    ],
)
def test_values_of_a_type(value_type: str, values: tuple[str, ...], others: tuple[str, ...]) -> None:
    """What can be read as one value of the type is one; more than one, or none, is not."""
    assert [value for value in values if not is_of_type(value, value_type)] == []
    assert [value for value in others if is_of_type(value, value_type)] == []
