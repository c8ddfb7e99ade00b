"""Marks of the words that differ."""

from __future__ import annotations

from difflib import SequenceMatcher
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.interchange import word_marks as word_marks_module
from arbiter.interchange.word_marks import Run, word_marks

choices = Random(7).choices


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


WORDS = [f"w{number}" for number in range(700)]
OFTEN = " ".join(choices("ab", k=4_000))
ALSO = " ".join(choices("ab", k=4_000))
PAGE = " ".join(word if number % 7 else "the" for number, word in enumerate(WORDS))


@pytest.mark.parametrize(
    ("a", "b", "expected_a", "expected_b"),
    [
        # Words that are there once say where the others belong.
        (PAGE, PAGE.replace("w300", "x"), PAGE.replace("w300", "[w300]"), PAGE.replace("w300", "[x]")),
        (PAGE, f"so {PAGE} then", PAGE, f"[so] {PAGE} [then]"),
        (f"{PAGE} end", f"{PAGE} and end", f"{PAGE} end", f"{PAGE} [and] end"),
        # The same words all over: what both begin and end with is found, the rest is too much to compare.
        ("a " * 900 + "x " + "a " * 900, "a " * 1800, "a " * 900 + "[x] " + "a " * 900, "a " * 1800),
        (f"so p {OFTEN} q end", f"so r {ALSO} s end", f"so [p {OFTEN} q] end", f"so [r {ALSO} s] end"),
        # What changed its place is marked where it was and where it is.
        (
            " ".join(WORDS),
            " ".join([*WORDS[650:], *WORDS[:650]]),
            " ".join(WORDS[:650]) + f" [{' '.join(WORDS[650:])}]",
            f"[{' '.join(WORDS[650:])}] " + " ".join(WORDS[:650]),
        ),
    ],
)
def test_long_texts(a: str, b: str, expected_a: str, expected_b: str) -> None:
    """They are compared like short ones as far as that can be done in passing."""
    runs_a, runs_b = word_marks(a, b)
    assert (marked(runs_a), marked(runs_b)) == (expected_a, expected_b)


@given(*[st.lists(st.sampled_from(["a", "b ", "c.", "+", " "]), max_size=30).map("".join)] * 2)
def test_nothing_is_lost_and_nothing_common_is_claimed(a: str, b: str) -> None:
    """However little is compared, the runs are the texts, and what is unmarked in both is the same."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(word_marks_module, "_MOST_COMPARED", 12)
        runs_a, runs_b = word_marks(a, b)
    assert ("".join(run.text for run in runs_a), "".join(run.text for run in runs_b)) == (a, b)
    kept = [
        [char for run in runs if not run.differs for char in run.text if char.isalnum() or char == "+"]
        for runs in (runs_a, runs_b)
    ]
    assert kept[0] == kept[1]


def test_what_nobody_can_compare_costs_little(monkeypatch: pytest.MonkeyPatch) -> None:
    """The matcher sees no more words of long texts than it may."""
    compared: list[int] = []

    class Counting(SequenceMatcher[str]):
        """A matcher that counts what it is given."""

        def __init__(self, junk: None, a: list[str], b: list[str], *, autojunk: bool) -> None:
            compared.append(len(a) * len(b))
            super().__init__(junk, a, b, autojunk=autojunk)

    monkeypatch.setattr(word_marks_module, "SequenceMatcher", Counting)
    for a, b in ((OFTEN, ALSO), ("+" * 8_000, "+-" * 4_000), (PAGE, PAGE[::-1]), (PAGE, " ".join(WORDS))):
        compared.clear()
        word_marks(a, b)
        assert sum(compared) <= 40_000
