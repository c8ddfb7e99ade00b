"""What goes out: the open questions in order, and the pairs of which a decision stands."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from arbiter.api import Arbiter
from arbiter.domain.evidence import Unjudged, Verdict
from arbiter.domain.review_answer import Answer
from arbiter.domain.review_queue import QueueQuery
from arbiter.domain.vocabulary import Relation, RulingKind
from arbiter.pipeline import review_exchange
from arbiter.pipeline.review_exchange import queued_views, settled_pairs
from tests.exchange_cases import (
    PROPOSED,
    REVIEWS,
    SAME,
    SAME_A,
    SAME_B,
    SIDES,
    TOLD_A,
    TOLD_B,
    UNJUDGED,
    asking,
)
from tests.factories import pair
from tests.stored import keep

KEEP = Answer(RulingKind.KEEP_A, "kim")


@pytest.fixture
def arbiter() -> Iterator[Arbiter]:
    """Yield an arbiter that asks about every case."""
    with asking() as opened:
        yield opened


def ruled(arbiter: Arbiter) -> list[tuple[str, str, str]]:
    """Return reviewer, ruling and the words of side a of every settled pair."""
    return [
        (found.ruling.reviewer, found.ruling.kind.value, found.a.content)
        for found in settled_pairs("default", arbiter.context)
    ]


@pytest.mark.parametrize("size", [1, 2, 500])
def test_questions_come_in_order_whatever_the_batch(
    arbiter: Arbiter, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    """None is left out and none comes twice, most urgent first."""
    monkeypatch.setattr(review_exchange, "_BATCH", size)
    found = [view.queued.item.id for view in queued_views("default", QueueQuery(), arbiter.context)]
    assert (found[0], found[-1]) == (SAME, UNJUDGED)
    assert sorted(found[1:-1]) == sorted(REVIEWS)
    high = QueueQuery(text="monthly fee")
    assert [view.queued.item.id for view in queued_views("default", high, arbiter.context)] == [SAME]


@pytest.mark.parametrize("size", [1, 500])
def test_settled_pairs_have_their_ruling_and_what_was_found(
    arbiter: Arbiter, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    """A merge has its text, a pair that nobody could judge its failure; what waits is missing."""
    monkeypatch.setattr(review_exchange, "_BATCH", size)
    arbiter.review.answer(SAME, Answer(RulingKind.MERGE, "kim", text=PROPOSED))
    arbiter.review.answer(UNJUDGED, replace(KEEP, kind=RulingKind.KEEP_BOTH))
    arbiter.review.answer(REVIEWS[0], KEEP)
    arbiter.review.answer(REVIEWS[1], replace(KEEP, kind=RulingKind.SKIP, reason="later"))
    merged, told, kept = settled_pairs("default", arbiter.context)
    assert (merged.a, merged.b, merged.merged and merged.merged.content) == (SAME_A, SAME_B, PROPOSED)
    assert isinstance(merged.judgement, Verdict)
    assert (told.a, told.b, isinstance(told.judgement, Unjudged)) == (TOLD_A, TOLD_B, True)
    assert (kept.a, kept.b, kept.merged) == (*SIDES[0], None)
    assert kept.verdict is not None
    assert kept.verdict.relation is Relation.CONTRADICTION
    assert [found.item and found.item.id for found in (merged, told, kept)] == [SAME, UNJUDGED, REVIEWS[0]]


def test_what_was_taken_back_is_not_settled(arbiter: Arbiter) -> None:
    """Neither a ruling that was retracted nor a decision that was undone; the next ruling on the pair is."""
    first = arbiter.review.answer(REVIEWS[0], KEEP).ruling
    arbiter.review.undo(first.id, reviewer="lee")
    arbiter.review.answer(REVIEWS[1], KEEP)
    (decision,) = (
        d for d in arbiter.context.store.decisions("default", [SIDES[1][0].id]) if d.loser == SIDES[1][1].id
    )
    arbiter.undo(decision.id, reviewer="lee")
    assert ruled(arbiter) == []
    arbiter.review.answer(REVIEWS[0], replace(KEEP, reviewer="lee", kind=RulingKind.KEEP_BOTH))
    assert ruled(arbiter) == [("lee", "keep_both", SIDES[0][0].content)]


def test_settled_pairs_survive_the_views(arbiter: Arbiter) -> None:
    """They come from the log: when the queue is built again, none is missed though it is no longer in it."""
    arbiter.review.answer(REVIEWS[0], KEEP)
    arbiter.compile(from_scratch=True)
    assert ruled(arbiter) == [("kim", "keep_a", SIDES[0][0].content)]


def test_an_erased_text_goes_nowhere(arbiter: Arbiter) -> None:
    """Of a pair whose text, or whose merged text, is gone there is nothing to take out."""
    arbiter.review.answer(REVIEWS[0], KEEP)
    arbiter.review.answer(REVIEWS[1], KEEP)
    merged = arbiter.review.answer(SAME, Answer(RulingKind.MERGE, "kim", text=PROPOSED)).ruling.merged
    arbiter.erase(SIDES[0][1].id)
    arbiter.erase(merged or "")
    assert ruled(arbiter) == [("kim", "keep_a", SIDES[1][0].content)]


def test_the_verdict_is_the_one_that_was_ruled_on(arbiter: Arbiter) -> None:
    """What a judge finds afterwards was not put before the person."""
    arbiter.review.answer(REVIEWS[0], KEEP)
    arbiter.review.answer(UNJUDGED, replace(KEEP, kind=RulingKind.KEEP_BOTH))
    late = [pair(*SIDES[0], "duplicate"), pair(TOLD_A, TOLD_B, "complementary")]
    keep(arbiter, [SIDES[0][0], TOLD_A], late)
    kept, told = settled_pairs("default", arbiter.context)
    assert kept.verdict is not None
    assert kept.verdict.relation is Relation.CONTRADICTION
    assert isinstance(told.judgement, Unjudged)


def test_the_sides_are_those_that_the_person_saw(arbiter: Arbiter) -> None:
    """A verdict the other way round is turned to the sides of the ruling."""
    a, b = SIDES[0]
    update = pair(a, b, "update", current="b", kind="correction", confidence=0.3)
    keep(arbiter, [a], [replace(update, a=b.id, b=a.id)])
    arbiter.review.answer(REVIEWS[0], KEEP)
    (found,) = settled_pairs("default", arbiter.context)
    assert found.verdict is not None
    assert (found.a if found.verdict.current == "a" else found.b) == a


def test_namespaces_do_not_meet(arbiter: Arbiter) -> None:
    """Another namespace has neither questions nor settled pairs of this one."""
    arbiter.review.answer(REVIEWS[0], KEEP)
    assert list(queued_views("acme", QueueQuery(), arbiter.context)) == []
    assert list(settled_pairs("acme", arbiter.context)) == []
