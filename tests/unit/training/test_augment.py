"""Variants keep what the label rests on."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random

from arbiter.training.augment import NONE, Augmentation
from arbiter.training.read_pairs import read_examples
from tests.unit.training.tiny import contrast_rows, row, written


def test_variants_keep_label_statements_and_times(tmp_path: Path) -> None:
    """Over many draws a pair keeps its two statements, its times and its label."""
    for example in read_examples(written(tmp_path / "pairs.jsonl", contrast_rows(1))):
        for seed in range(50):
            varied = Augmentation().vary(example, Random(seed))
            assert varied.relation == example.relation
            assert {varied.pair.a.content, varied.pair.b.content} == {
                example.pair.a.content,
                example.pair.b.content,
            }
            assert varied.pair.a.observed_at == example.pair.a.observed_at


def test_an_update_is_never_turned_around(tmp_path: Path) -> None:
    """Its statements would change places in time, which is another claim."""
    (example,) = read_examples(written(tmp_path / "pairs.jsonl", [row("Rent is 9.", "Rent is 8.", "update")]))
    texts = Counter(Augmentation().vary(example, Random(seed)).pair.a.content for seed in range(200))
    assert texts == {"Rent is 9.": 200}


def test_subjects_follow_the_phenomenon(tmp_path: Path) -> None:
    """Unrelated statements about one subject get one subject, about two mostly two."""
    pairs = [
        row("Ana likes tea.", "Ana owns a van.", "unrelated", phenomenon="same_subject_far_topic"),
        row("Ana likes tea.", "Ben owns a van.", "unrelated", phenomenon="other_topic"),
    ]
    always = Augmentation(swap=False, subjects=1.0, attributes=0.0)
    same, other = (
        sum(
            varied.pair.a.subject == varied.pair.b.subject
            for varied in (always.vary(example, Random(seed)) for seed in range(200))
        )
        for example in read_examples(written(tmp_path / "pairs.jsonl", pairs))
    )
    assert same > 180
    assert other < 75


def test_none_changes_nothing(tmp_path: Path) -> None:
    """The empty augmentation returns pairs and contexts as they are."""
    for example in read_examples(written(tmp_path / "pairs.jsonl", contrast_rows(2))):
        assert NONE.vary(example, Random(1)) == example
        assert NONE.context(("days",), Random(1)) == ("days",)
