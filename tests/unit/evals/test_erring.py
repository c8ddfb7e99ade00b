"""A judge that is wrong now and then."""

from __future__ import annotations

from collections import Counter

import pytest

from arbiter.domain.evidence import Judgement, RecordPair, Spend, Unjudged, Verdict
from arbiter.domain.vocabulary import Relation, UpdateKind
from arbiter.testing import TableJudge
from evals.erring import NEIGHBOURS, Erring
from tests.chat import pairs
from tests.factories import verdict


def knowing(judged: Judgement, told: list[RecordPair]) -> TableJudge:
    """Return a judge that answers the same of every pair, at a price."""
    known = {(pair.a.content, pair.b.content): judged for pair in told}
    return TableJudge(known, per_call=Spend(llm_calls=1), judge_id="inner/1")


def test_without_mistakes_it_answers_as_the_other_one() -> None:
    """Verdicts, cost and name are those of the judge behind it."""
    told = pairs(20)
    inner = knowing(verdict("update"), told)
    erring = Erring(inner, 0.0)
    assert erring.judge(told) == inner.judge(told)
    assert erring.judge_id == "inner/1"


@pytest.mark.parametrize("relation", Relation)
def test_a_mistake_is_a_neighbour_as_sure_as_the_answer(relation: Relation) -> None:
    """Every neighbour comes up; an update says which side stays and why, and nothing else does."""
    told = pairs(60)
    judged, spend = Erring(knowing(verdict(relation, confidence=0.7), told), 1.0).judge(told)
    assert spend == Spend(llm_calls=1)
    found = [mistake for mistake in judged if isinstance(mistake, Verdict)]
    assert len(found) == 60
    assert {mistake.relation for mistake in found} == set(NEIGHBOURS[relation])
    assert {mistake.confidence for mistake in found} == {0.7}
    sides = {(mistake.relation is Relation.UPDATE, mistake.current, mistake.update_kind) for mistake in found}
    assert sides <= {(True, "b", UpdateKind.STATE_CHANGE), (False, None, None)}


def test_the_share_the_pair_and_the_draw_say_what_is_mistaken() -> None:
    """A pair is mistaken in either orientation and in any company; another draw mistakes others."""
    told = pairs(400)
    inner = knowing(verdict("unrelated"), [*told, *(RecordPair(pair.b, pair.a) for pair in told)])

    def mistaken(draw: int) -> set[int]:
        judged, _ = Erring(inner, 0.25, draw).judge(told)
        return {place for place, found in enumerate(judged) if found != verdict("unrelated")}

    first, second = mistaken(0), mistaken(1)
    assert 70 < len(first) < 130
    assert 70 < len(second) < 130
    assert 5 < len(first & second) < 50
    for place in range(40):
        turned = RecordPair(told[place].b, told[place].a)
        (alone,), _ = Erring(inner, 0.25).judge([turned])
        assert isinstance(alone, Verdict)
        assert (alone.relation is Relation.COMPLEMENTARY) == (place in first)


def test_more_mistakes_hold_the_fewer() -> None:
    """What is mistaken at a share is mistaken at every larger one, so designs differ by nothing else."""
    told = pairs(200)
    inner = knowing(verdict("duplicate"), told)
    counted = Counter(
        place
        for share in (0.1, 0.3, 1.0)
        for place, found in enumerate(Erring(inner, share).judge(told)[0])
        if found != verdict("duplicate")
    )
    assert set(counted) == set(range(200))
    assert 10 < sum(times == 3 for times in counted.values()) < 35


def test_what_was_not_judged_stays_so() -> None:
    """A model that does not answer is not mistaken."""
    told = pairs(3)
    down = Unjudged("down", "", retryable=True)
    assert Erring(knowing(down, told), 1.0).judge(told)[0] == [down] * 3
