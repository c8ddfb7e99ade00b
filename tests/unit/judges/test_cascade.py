"""The cascade: who is asked, whose word counts, and what it costs."""

from __future__ import annotations

from arbiter.domain.evidence import Judgement, RecordPair, Spend, Unjudged, Verdict
from arbiter.domain.vocabulary import Relation
from arbiter.judges.cascade import CascadeJudge
from arbiter.testing import TableJudge
from tests.factories import make_record

LEAST = {Relation.DUPLICATE: 0.8, Relation.UPDATE: 0.9}
PAIR = RecordPair(make_record("The gate is open."), make_record("The gate stands open."))
OTHER = RecordPair(make_record("The lift is shut."), make_record("The lift stands shut."))


def says(answer: Judgement, price: int = 1) -> TableJudge:
    """Return a judge that gives the same answer to every pair."""
    return TableJudge(otherwise=answer, per_pair=Spend(local_pairs=price))


def unjudged(code: str) -> Unjudged:
    """Return the answer of a judge that cannot tell."""
    return Unjudged(code, "no answer", retryable=code != "not_decided")


def answer(*judges: TableJudge) -> Judgement:
    """Return what a cascade of these judges says of one pair."""
    (found,), _ = CascadeJudge(judges, least).judge([PAIR])
    return found


def least(verdict: Verdict) -> float:
    """Return the threshold of a verdict."""
    return LEAST.get(verdict.relation, 0.0)


def test_the_first_sure_verdict_ends_it() -> None:
    """Whoever comes after it is not asked."""
    sure, later = Verdict(Relation.DUPLICATE, 0.8, "local"), says(Verdict(Relation.UPDATE, 1.0, "llm"))
    assert answer(says(sure), later) == sure
    assert later.asked == []


def test_the_threshold_is_that_of_the_verdict() -> None:
    """The same confidence is enough for one relation and not for another."""
    unsure, dear = Verdict(Relation.UPDATE, 0.8, "local"), Verdict(Relation.DUPLICATE, 0.85, "llm")
    assert answer(says(unsure), says(dear)) == dear


def test_of_two_unsure_verdicts_the_dearer_counts() -> None:
    """The judge that comes later was asked because the earlier one was not sure."""
    cheap, dear = Verdict(Relation.UPDATE, 0.89, "local"), Verdict(Relation.DUPLICATE, 0.6, "llm")
    assert answer(says(cheap), says(dear)) == dear


def test_a_judge_out_of_reach_is_waited_for() -> None:
    """The pair is held and asked again; a judge that will never tell hides no verdict."""
    cheap = Verdict(Relation.UPDATE, 0.5, "local")
    down, left_open = unjudged("timeout"), unjudged("not_decided")
    assert answer(says(cheap), says(down)) == down
    assert answer(says(cheap), says(left_open)) == cheap
    assert answer(says(left_open), says(down)) == down
    assert answer(says(down), says(left_open)) == down


def test_only_what_is_left_open_is_asked_on() -> None:
    """A later judge gets the pairs without a sure verdict; answers keep their order, and all is paid for."""
    sure, unsure = Verdict(Relation.DUPLICATE, 0.9, "local"), Verdict(Relation.DUPLICATE, 0.5, "local")
    first, last = says(sure), says(Verdict(Relation.UNRELATED, 1.0, "llm"), price=10)
    first.table = {(OTHER.a.content, OTHER.b.content): unsure}
    found, spend = CascadeJudge([first, last], least).judge([PAIR, OTHER, PAIR])
    assert [verdict.relation.value for verdict in found if isinstance(verdict, Verdict)] == [
        "duplicate",
        "unrelated",
        "duplicate",
    ]
    assert last.asked == [(OTHER.a.content, OTHER.b.content)]
    assert spend == Spend(local_pairs=13)


def test_without_judges_nobody_can_tell() -> None:
    """An empty cascade says so."""
    found = answer()
    assert isinstance(found, Unjudged)
    assert found.code == "no_judge"
