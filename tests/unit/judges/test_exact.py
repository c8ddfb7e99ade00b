"""The exact judge: the same words, and nothing else."""

from __future__ import annotations

from arbiter.domain.evidence import RecordPair, Unjudged, Verdict
from arbiter.domain.facts import Record
from arbiter.domain.vocabulary import Mutability, Relation, Stakes
from arbiter.judges.exact import ExactJudge
from tests.factories import make_record


def judge(a: Record, b: Record) -> Verdict | Unjudged:
    """Return the judgement of one pair."""
    (judgement,), _ = ExactJudge().judge([RecordPair(a, b)])
    return judgement


def test_the_same_words_are_a_duplicate() -> None:
    """Case and spaces aside, equal words are one fact; the higher stakes stay."""
    a = make_record("Permits are renewed in October.", stakes=Stakes.HIGH, claim_key="permits.renewal")
    b = make_record("permits are  renewed in october", at=1, stakes=Stakes.NORMAL)
    assert judge(a, b) == Verdict(
        relation=Relation.DUPLICATE,
        confidence=1.0,
        judge="exact/c1",
        attribute="permits.renewal",
        stakes=Stakes.HIGH,
        reason="the same words",
    )


def test_other_words_are_not_decided() -> None:
    """Any other text is left to the next judge."""
    judgement = judge(make_record("It weighs 5 kg."), make_record("It weighs 5000 g."))
    assert judgement == Unjudged(
        "not_decided", "the words or the subjects differ", retryable=False, judge="exact/c1"
    )


def test_subjects_must_not_contradict() -> None:
    """The same words of two subjects are two facts; a missing subject may be the same one."""
    ana, ben = make_record("Likes tea.", subject="Ana"), make_record("Likes tea.", subject="Ben")
    assert isinstance(judge(ana, ben), Unjudged)
    assert isinstance(judge(ana, make_record("Likes tea.", subject=" ana ")), Verdict)
    assert isinstance(judge(ana, make_record("Likes tea.")), Verdict)


def test_one_event_told_at_two_moments_is_not_decided() -> None:
    """The same reading at another moment is another point of a series."""
    a = make_record("Level: 61 percent.", mutability=Mutability.EVENT)
    b = make_record("Level: 61 percent.", at=1, mutability=Mutability.EVENT)
    assert isinstance(judge(a, b), Unjudged)
    assert isinstance(judge(a, a), Verdict)
