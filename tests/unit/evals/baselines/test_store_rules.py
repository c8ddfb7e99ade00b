"""The rules that stores ship for texts: same words, shared words, near vectors, and the majority."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from arbiter.domain.evidence import RecordPair, Spend, Verdict
from arbiter.domain.vocabulary import Relation, UpdateKind
from arbiter.ports import Judge, Vectors
from evals.baselines.cosine import CosineDuplicates
from evals.baselines.exact_match import ExactMatch
from evals.baselines.jaccard import JaccardRecency, jaccard
from evals.baselines.majority import Majority
from evals.baselines.semantic_hash import SemanticHash
from tests.factories import make_record


class Angles:
    """An embedder whose texts are angles in degrees; the cosine of two texts is that of their difference."""

    model_id = "angles"
    dimension = 2

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return a point of the unit circle for each text."""
        angles = np.radians([float(text) for text in texts])
        return np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)


def texts(a: str, b: str) -> RecordPair:
    """Return a pair of texts, the second seen later."""
    return RecordPair(make_record(a), make_record(b, at=2))


def verdicts(judge: Judge, *pairs: RecordPair) -> list[Verdict]:
    """Judge pairs, all of which get a verdict that bears the judge's name and costs nothing."""
    found, spend = judge.judge(list(pairs))
    assert spend == Spend()
    judged = [verdict for verdict in found if isinstance(verdict, Verdict)]
    assert len(judged) == len(pairs)
    assert {verdict.judge for verdict in judged} <= {judge.judge_id}
    return judged


def relations(judge: Judge, *pairs: RecordPair) -> list[str]:
    """Judge pairs and return what they are called."""
    return [verdict.relation.value for verdict in verdicts(judge, *pairs)]


def test_exact_match_keeps_all_but_the_same_words_apart() -> None:
    """Case and the full stop are no difference; one other word is."""
    pairs = texts("Ana likes tea.", "ana likes tea"), texts("Ana likes tea.", "Ana likes jazz.")
    assert relations(ExactMatch(), *pairs) == ["duplicate", "unrelated"]


@pytest.mark.parametrize(
    ("a", "b", "index"),
    [
        ("Ana likes tea.", "tea, Ana likes!", 1.0),
        ("Ana likes tea.", "Ana likes jazz.", 0.5),
        ("Ana", "Ben", 0.0),
        ("?", "!", 1.0),
    ],
)
def test_the_jaccard_index_is_that_of_the_words(a: str, b: str, index: float) -> None:
    """Order, case and punctuation play no part."""
    assert jaccard(a, b) == index


def test_jaccard_takes_the_later_of_two_similar_texts() -> None:
    """The same words are the same; three of five shared words make an update; fewer make nothing."""
    same, update, apart = verdicts(
        JaccardRecency(),
        texts("Ana likes tea.", "Tea Ana likes."),
        texts("Ana likes green tea.", "Ana likes black tea."),
        texts("Ana likes tea.", "Ana likes jazz."),
    )
    assert (same.relation, same.current) == (Relation.DUPLICATE, None)
    assert (update.relation, update.current) == (Relation.UPDATE, "b")
    assert update.update_kind is UpdateKind.STATE_CHANGE
    assert apart.relation is Relation.UNRELATED
    assert {verdict.confidence for verdict in (same, update, apart)} == {1.0}


def test_cosine_merges_from_its_threshold_on() -> None:
    """The cosine of 23° is 0.9205, that of 24° 0.9135."""
    judge = CosineDuplicates(Angles())
    assert relations(judge, texts("0", "23"), texts("0", "24")) == ["duplicate", "unrelated"]
    assert judge.judge_id == "baseline/cosine@0.92/angles"
    assert judge.judge([]) == ([], Spend())


def test_semhash_merges_from_its_own_threshold_on() -> None:
    """The same words, or a cosine of 0.9: cos 25° is 0.906, cos 26° is 0.899."""
    judge = SemanticHash(Angles())
    pairs = texts("7", "7"), texts("0", "25"), texts("0", "26"), texts("26", "0")
    assert relations(judge, *pairs) == ["duplicate", "duplicate", "unrelated", "unrelated"]
    assert judge.judge([]) == ([], Spend())


def test_the_majority_is_always_the_same() -> None:
    """With the confidence of its share in the training pairs."""
    first, second = verdicts(Majority(), texts("Ana", "Ben"), texts("Ana", "Ana"))
    assert first == second
    assert (first.relation, round(first.confidence, 4)) == (Relation.COMPLEMENTARY, 0.2073)
