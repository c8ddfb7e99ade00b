"""Working on the queue together: claims, assignments, comments, skips, and answers at the same moment."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from threading import Barrier
from typing import Any, TypeVar

import pytest

from arbiter.adapters.sql_store import SqlStore
from arbiter.domain.review_answer import Answer, Ruled
from arbiter.domain.review_queue import Comment, QueueQuery, ReviewStatus
from arbiter.domain.vocabulary import RulingKind, Stakes
from arbiter.errors import ClaimedError, NotFoundError, RequestError, StaleRulingError, StoreError
from arbiter.pipeline.compile import compile_namespace
from arbiter.pipeline.context import Context
from arbiter.pipeline.reviews import Reviews
from arbiter.pipeline.submit import submit
from arbiter.testing import TableJudge
from tests.factories import day, make_record, verdict
from tests.unit.pipeline.conftest import context_on

PORTO = make_record("Rita was born in Porto.", subject="Rita", at=1)
FARO = make_record("Rita was born in Faro.", subject="Rita", source="crm", at=2)
TEA = make_record("Milo likes tea.", subject="Milo", at=3)
COFFEE = make_record("Milo hates tea.", subject="Milo", source="crm", at=4)
T = TypeVar("T")


def at(context: Context, days: float) -> Reviews:
    """Return the queue as it is worked on some days later."""
    return Reviews(replace(context, clock=lambda: day(100 + days)))


@pytest.fixture
def review_id(context: Context, judge: TableJudge) -> str:
    """Return the id of the more urgent of two questions: where Rita was born."""
    judge.table = {
        (PORTO.content, FARO.content): verdict("contradiction", stakes="high"),
        (TEA.content, COFFEE.content): verdict("contradiction", mutability="immutable"),
    }
    submit([PORTO, FARO, TEA, COFFEE], context)
    return context.store.reviews("default")[0].id


def test_an_item_in_hand_is_refused_to_everybody_else(context: Context, review_id: str) -> None:
    """Nobody else can claim, release or answer it; the error says who has it and until when."""
    reviews = Reviews(context)
    taken = reviews.claim(review_id, reviewer="ada", lasting=timedelta(minutes=10))
    assert (taken.work.claimed_by, taken.work.claimed_until) == ("ada", day(100) + timedelta(minutes=10))
    refused: list[Callable[[], object]] = [
        lambda: reviews.claim(review_id, reviewer="bob"),
        lambda: reviews.release(review_id, reviewer="bob"),
        lambda: reviews.rule(review_id, RulingKind.KEEP_A, reviewer="bob"),
        lambda: reviews.answer(review_id, Answer(RulingKind.MERGE, "bob", text="Rita was born.")),
    ]
    for attempt in refused:
        with pytest.raises(ClaimedError, match="in the hands of ada until 2026-04-11T09:10:00") as caught:
            attempt()
        assert (caught.value.claimant, caught.value.until) == ("ada", taken.work.claimed_until)
    assert context.store.rulings("default") == []
    assert reviews.rule(review_id, RulingKind.KEEP_A, reviewer="ada")
    assert context.store.queued("default", [review_id])[review_id].work.claimed_by is None


def test_a_claim_ends_by_itself(context: Context, review_id: str) -> None:
    """After its time another reviewer takes over; whoever renews it in time keeps it."""
    Reviews(context).claim(review_id, reviewer="ada", lasting=timedelta(hours=24))
    with pytest.raises(ClaimedError):
        at(context, 0.9).claim(review_id, reviewer="bob")
    at(context, 0.9).claim(review_id, reviewer="ada", lasting=timedelta(hours=12))
    with pytest.raises(ClaimedError):
        at(context, 1.3).claim(review_id, reviewer="bob")
    assert at(context, 1.4).claim(review_id, reviewer="bob").work.claimed_by == "bob"
    with pytest.raises(ClaimedError, match="in the hands of bob"):
        at(context, 1.4).rule(review_id, RulingKind.KEEP_A, reviewer="ada")


def test_a_released_item_is_free_for_others(context: Context, review_id: str) -> None:
    """Letting go of it twice, or of what nobody has in hand, is no error."""
    reviews = Reviews(context)
    reviews.claim(review_id, reviewer="ada")
    assert reviews.release(review_id, reviewer="ada").work.claimed_by is None
    assert reviews.release(review_id, reviewer="bob").work.claimed_by is None
    assert reviews.claim(review_id, reviewer="bob").work.claimed_by == "bob"


def test_the_next_item_is_the_most_urgent_that_is_free(context: Context, review_id: str) -> None:
    """Each reviewer gets another one; who has one in hand goes on with it; in the end nothing is left."""
    reviews = Reviews(context)
    first = reviews.claim_next(reviewer="ada")
    assert first is not None
    assert first.item.id == review_id
    second = reviews.claim_next(reviewer="bob")
    assert second is not None
    assert second.item.id != review_id
    assert reviews.claim_next(reviewer="kim") is None
    again = reviews.claim_next(reviewer="ada")
    assert again is not None
    assert again.item.id == review_id
    reviews.release(second.item.id, reviewer="bob")
    assert reviews.claim_next(QueueQuery(stakes=Stakes.HIGH), reviewer="kim") is None
    reviews.assign(second.item.id, "ada")
    assert reviews.claim_next(reviewer="kim") is None


def test_an_assignment_stays_and_locks_nobody_out(context: Context, review_id: str) -> None:
    """It says who is to look; anybody may answer, and it outlives the answer's being taken back."""
    reviews = Reviews(context)
    assert reviews.assign(review_id, "ada").work.assignee == "ada"
    reviews.rule(review_id, RulingKind.KEEP_A, reviewer="bob")
    with pytest.raises(StaleRulingError, match="no longer open"):
        reviews.assign(review_id, "kim")
    reviews.undo(context.store.rulings("default")[0].id, reviewer="bob")
    assert reviews.view(review_id).queued.work.assignee == "ada"
    assert reviews.assign(review_id, None).work.assignee is None


def test_comments_stay_with_the_item(context: Context, review_id: str) -> None:
    """Open or settled, whoever looks at it reads what was noted."""
    reviews = Reviews(context)
    first = reviews.comment(review_id, "Ask the registry.", author="ada")
    reviews.rule(review_id, RulingKind.KEEP_A, reviewer="ada")
    second = at(context, 1).comment(review_id, "It was Porto.", author="bob")
    assert (first, second) == (
        Comment(review_id, "ada", day(100), "Ask the registry."),
        Comment(review_id, "bob", day(101), "It was Porto."),
    )
    assert reviews.view(review_id).comments == (first, second)


@pytest.mark.parametrize("kind", [RulingKind.SKIP, RulingKind.NEEDS_CONTEXT])
def test_what_is_set_aside_comes_back_with_new_evidence_only(
    context: Context, review_id: str, kind: RulingKind
) -> None:
    """Compiles, rebuilds and re-reads leave it alone; a new source brings it back."""
    reviews = Reviews(context)
    assert reviews.rule(review_id, kind, reviewer="ada", reason="the scan is unreadable") == []
    for _ in range(2):
        assert reviews.view(review_id).queued.status is ReviewStatus.SET_ASIDE
        context.store.rebuild_views("default")
        compile_namespace("default", context)
        submit([PORTO, replace(FARO, observed_at=day(50))], context)
    assert [item.id for item in reviews.items()] != [review_id]
    submit([replace(PORTO, source=replace(PORTO.source, id="registry"))], context)
    assert reviews.view(review_id).queued.status is ReviewStatus.OPEN
    reviews.rule(review_id, kind, reviewer="ada", reason="still unreadable")
    assert reviews.view(review_id).queued.status is ReviewStatus.SET_ASIDE


def test_to_set_aside_again_is_the_ruling_that_there_is(context: Context, review_id: str) -> None:
    """From one who did not hear that it was done; another person or reason is another ruling."""
    reviews = Reviews(context)
    skip = Answer(RulingKind.SKIP, "ada", reason="not my field")
    first = reviews.answer(review_id, skip)
    assert reviews.answer(review_id, skip).ruling == first.ruling
    (batched,) = reviews.answer_all([(review_id, lambda _queued, _holding: skip)])
    assert isinstance(batched, Ruled)
    assert batched.ruling == first.ruling
    assert len(context.store.rulings("default")) == 1
    for other in (replace(skip, reviewer="bob"), replace(skip, reason="no time")):
        reviews.answer(review_id, other)
    assert len(context.store.rulings("default")) == 3


def test_what_is_set_aside_can_be_answered_or_taken_up_again(context: Context, review_id: str) -> None:
    """Somebody who knows may rule on it; whoever skipped it may undo that."""
    reviews = Reviews(context)
    reviews.rule(review_id, RulingKind.SKIP, reviewer="ada", reason="not my field")
    skip = reviews.view(review_id).holding
    assert skip is not None
    reviews.undo(skip.id, reviewer="ada")
    assert reviews.view(review_id).queued.status is ReviewStatus.OPEN
    reviews.rule(review_id, RulingKind.SKIP, reviewer="ada", reason="not my field")
    changed = reviews.rule(review_id, RulingKind.KEEP_A, reviewer="bob")
    assert {state.state.value for state in changed} == {"active", "tombstoned"}
    ruled = reviews.view(review_id).holding
    assert ruled is not None
    reviews.undo(ruled.id, reviewer="bob")
    assert reviews.view(review_id).queued.status is ReviewStatus.SET_ASIDE


def test_bad_names_times_and_notes_are_refused(context: Context, review_id: str) -> None:
    """Each error names its field, and nothing is written."""
    reviews = Reviews(context)
    faults: list[tuple[str, Callable[[], object]]] = [
        ("reviewer", lambda: reviews.claim(review_id, reviewer=" ")),
        ("lasting", lambda: reviews.claim(review_id, reviewer="ada", lasting=timedelta())),
        ("lasting", lambda: reviews.claim_next(reviewer="ada", lasting=timedelta(days=2))),
        ("assignee", lambda: reviews.assign(review_id, "")),
        ("author", lambda: reviews.comment(review_id, "Hm.", author="\x00")),
        ("text", lambda: reviews.comment(review_id, " ", author="ada")),
        ("reason", lambda: reviews.rule(review_id, RulingKind.SKIP, reviewer="ada")),
        ("limit", lambda: reviews.page(limit=0)),
        ("after", lambda: reviews.page(after="nowhere")),
    ]
    for field, attempt in faults:
        with pytest.raises(RequestError) as caught:
            attempt()
        assert caught.value.field == field
    for attempt in (
        lambda: reviews.claim("rev_0", reviewer="ada"),
        lambda: reviews.release("rev_0", reviewer="ada"),
        lambda: reviews.assign("rev_0", "ada"),
        lambda: reviews.comment("rev_0", "Hm.", author="ada"),
        lambda: reviews.view("rev_0"),
        lambda: reviews.undo("rul_0", reviewer="ada"),
    ):
        with pytest.raises(NotFoundError):
            attempt()
    found = context.store.queued("default", [review_id])[review_id]
    assert (found.work.claimed_by, found.work.assignee) == (None, None)
    assert context.store.comments("default", [review_id]) == {}


def at_once(workers: int, attempt: Callable[[int], T]) -> list[T | StoreError]:
    """Let threads do something at the same moment and return what each got, or why it was refused."""
    barrier = Barrier(workers)

    def one(number: int) -> T | StoreError:
        barrier.wait()
        try:
            return attempt(number)
        except StoreError as error:
            return error

    with ThreadPoolExecutor(workers) as pool:
        return list(pool.map(one, range(workers)))


@pytest.mark.parametrize("what", ["claim", "answer"])
def test_of_many_at_the_same_moment_one_gets_the_item(tmp_path: Path, judge: TableJudge, what: str) -> None:
    """One of eight threads claims or settles it; the others hear that it is taken or no longer open."""
    store = SqlStore(tmp_path / "facts.db", lambda: day(100))
    context = context_on(store, judge)
    judge.table = {(PORTO.content, FARO.content): verdict("contradiction", stakes="high")}
    submit([PORTO, FARO], context)
    reviews = Reviews(context)
    (item,) = reviews.items()

    def attempt(number: int) -> Any:
        if what == "claim":
            return reviews.claim(item.id, reviewer=f"r{number}")
        kind = (RulingKind.KEEP_A, RulingKind.KEEP_B)[number % 2]
        return reviews.answer(item.id, Answer(kind, f"r{number}"))

    results = at_once(8, attempt)
    refused = [result for result in results if isinstance(result, StoreError)]
    assert len(refused) == 7
    assert {type(error) for error in refused} == {ClaimedError if what == "claim" else StaleRulingError}
    assert len(store.rulings("default")) == (0 if what == "claim" else 1)
    store.close()
