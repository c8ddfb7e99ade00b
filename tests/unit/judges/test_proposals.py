"""Proposed wordings: what they may name."""

from __future__ import annotations

import pytest

from arbiter.judges.guards import TextGuards
from tests.factories import make_record

A = "The fee is 3.5 % + 35 c, says Lena Voss."
B = "Since March the fee is 2.9 % + 30 c."


@pytest.mark.parametrize(
    ("proposal", "expected"),
    [
        ("Lena Voss says the fee was 3.5 % + 35 c and is 2.9 % + 30 c since March.", ()),
        ("The fee is 2.5 % + 30 c.", ("2.5 %",)),
        ("The fee was agreed with Marek Toth.", ("Marek", "Toth")),
        ("Fees fell. Lately they are lower.", ()),
    ],
)
def test_numbers_and_names_must_come_from_a_source(proposal: str, expected: tuple[str, ...]) -> None:
    """Each number and name of the wording is found in one of the two, or it is named here."""
    assert TextGuards().invented(proposal, make_record(A), make_record(B)) == expected
