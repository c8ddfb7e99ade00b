"""Marks of the words that differ."""

from __future__ import annotations

import pytest

from arbiter.interchange.word_marks import Run, word_marks


def marked(runs: list[Run]) -> str:
    """Write runs with the differing ones in brackets."""
    return "".join(f"[{run.text}]" if run.differs else run.text for run in runs)


@pytest.mark.parametrize(
    ("a", "b", "expected_a", "expected_b"),
    [
        (
            "User lives in Lisbon.",
            "User lives in Porto.",
            "User lives in [Lisbon].",
            "User lives in [Porto].",
        ),
        ("It costs 48,000 EUR", "It costs 52,000 EUR", "It costs [48,000] EUR", "It costs [52,000] EUR"),
        ("the Red  door", "The red door", "the Red  door", "The red door"),
        ("tea", "tea with milk", "tea", "tea [with milk]"),
        ("", "new", "", "[new]"),
        ("Seats: 12", "Seats 12.", "Seats: 12", "Seats 12."),
        ("group A+", "group A-", "group A[+]", "group A[-]"),
        ("at 4:30, v1.2", "at 4:45, v1.3", "at [4:30], [v1.2]", "at [4:45], [v1.3]"),
        ("Straße 5\n", "STRASSE 5", "Straße 5\n", "STRASSE 5"),
    ],
)
def test_word_marks(a: str, b: str, expected_a: str, expected_b: str) -> None:
    """What the other text lacks is marked; numbers are whole words; case, space and stops play no part."""
    runs_a, runs_b = word_marks(a, b)
    assert (marked(runs_a), marked(runs_b)) == (expected_a, expected_b)
    assert ("".join(r.text for r in runs_a), "".join(r.text for r in runs_b)) == (a, b)
