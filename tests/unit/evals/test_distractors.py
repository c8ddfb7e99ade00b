"""Distractors: facts that have nothing to do with what is looked for."""

from __future__ import annotations

import re
from itertools import islice

from evals.distractors import distractors
from evals.suite_files import load_pairs


def test_they_are_different_and_always_the_same() -> None:
    """A seed gives the same facts, no two alike, each about the subject that it names."""
    found = list(distractors(300))
    assert len({record.content for record in found}) == 300
    assert found == list(distractors(300))
    assert found[:50] == list(islice(distractors(1_000), 50))
    assert found != list(distractors(300, seed=2))
    assert [record for record in found if not record.content.startswith(f"{record.subject}: ")] == []


def test_they_are_written_like_statements_of_the_contrast_sets() -> None:
    """Other digits, and as many of them."""
    known = {
        re.sub(r"\d", "9", side.content)
        for case in load_pairs("contrast")
        for side in (case.pair.a, case.pair.b)
    }
    told = {re.sub(r"\d", "9", record.content.partition(": ")[2]) for record in distractors(300)}
    assert told <= known
