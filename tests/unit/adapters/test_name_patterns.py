"""Names by their spelling."""

from __future__ import annotations

import pytest

from arbiter.adapters.name_patterns import is_name, numbered, spelled_names


def names(text: str) -> set[str]:
    """Return the names in a text as they stand there."""
    return {text[start:end] for start, end in spelled_names(text)}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("the service is called “blue harbor” now", {"blue harbor"}),
        ('it says "we will never ever do that again" there', set()),
        ("the shop's owner's dog", set()),
        ("failed on checkout-api and in billing_v2", {"checkout-api", "billing_v2"}),
        ("runs on PostgreSQL 16", {"PostgreSQL"}),
        ("needs QZTA, LX-41 and web-01", {"QZTA", "LX-41", "web-01"}),
        ("shipment 4Q-118 left", {"4Q-118"}),
        ("see app.acme.io", {"app.acme.io"}),
        ("about ticket 5520 and order no. 70418", {"ticket 5520", "order no. 70418"}),
        ("fixed in #4471", {"#4471"}),
        ("takes 5mg at 10am on the 2nd, in 90s, 32k tokens, a 3-day trip, since mid-2024", set()),
        ("in Q3 and H1 of FY26, v2 of it, 20 kV and 512 MB, at 14:00 CET", set()),
        ("we met Blue Harbor Logistics twice", {"Blue Harbor Logistics"}),
        ("he wrote to Jean-Luc de la Fontaine", {"Jean-Luc de la Fontaine"}),
        ("the guests of Adler & Sons", {"Adler & Sons"}),
        ("as Klyne's VPN was down", {"Klyne's", "VPN"}),
        ("the CEO of Acme resigned", {"CEO", "Acme"}),
        ("Yesterday it rained. Everyone left. The User stayed", set()),
        ("Blue Harbor is closed", {"Blue Harbor"}),
        ("On Monday, I've seen Lee in March", {"Lee"}),
        ("Seven Ways To Cook An Egg In Under Ten Minutes", set()),
        ("THE OFFICE IS CLOSED", set()),
        ("用户在3号楼 và ở Đà Nẵng", {"Đà Nẵng"}),
        ("", set()),
    ],
)
def test_spelled_names(text: str, expected: set[str]) -> None:
    """Quoted, coded, numbered and capitalised names are found; quantities, periods and openings are not."""
    assert names(text) == expected


def test_a_sentence_may_start_with_a_word_nobody_knows() -> None:
    """One capitalised word at the start is a name where it is no word of the language."""
    text = "Ferrolane signed. Everyone cheered."
    found = spelled_names(text, ordinary=lambda word: word != "ferrolane")
    assert [text[start:end] for start, end in found] == ["Ferrolane"]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("order no. 70418", "order 70418"),
        ("Ticket #5520", "Ticket 5520"),
        ("patient 20731", "patient 20731"),
        ("#88", "#88"),
        ("Corso Nove", None),
        ("Kafka 3.7", None),
    ],
)
def test_numbered(name: str, expected: str | None) -> None:
    """Number signs go, and only where there is a number."""
    assert numbered(name) == expected


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("acme", True),
        ("#88", True),
        ("价格", True),
        ("user", False),
        ("monday", False),
        ("2026", False),
        ("c", False),
    ],
)
def test_is_name(word: str, expected: bool) -> None:  # noqa: FBT001
    """Common words, bare numbers and single letters stand for nothing."""
    assert is_name(word) is expected
