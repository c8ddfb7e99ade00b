"""What has become of a record since its receipt was given."""

from __future__ import annotations

from typing import Any

import pytest

from arbiter.api import Arbiter
from arbiter.domain.outcomes import Receipt
from arbiter.domain.vocabulary import RulingKind
from arbiter.errors import NotFoundError
from arbiter.pipeline.context import Context
from arbiter.testing import TableJudge
from tests.factories import make_record, verdict
from tests.unit.pipeline.conftest import DOWN

OLD = make_record("Rita lives in Bath.", subject="Rita")
NEW = make_record("Rita lives in York.", subject="Rita", at=9)


def held(context: Context, judge: TableJudge) -> tuple[Arbiter, Receipt, Receipt]:
    """Submit two residences while the judge is down, and bring it back."""
    judge.otherwise = DOWN
    arbiter = Arbiter(context)
    old, new = arbiter.submit([OLD, NEW])
    assert (old.outcome.value, new.outcome.value) == ("stored", "held")
    judge.otherwise = verdict("update")
    return arbiter, old, new


def now(arbiter: Arbiter, receipt: Receipt) -> dict[str, Any]:
    """Return what a receipt, read again, says about now."""
    found: Any = arbiter.receipt(receipt.id)
    told: dict[str, Any] = found["now"]
    return told


def test_a_held_record_is_still_held(context: Context, judge: TableJudge) -> None:
    """As long as no judge answered: the pair is unjudged, to be tried again, and a person is asked."""
    arbiter, old, new = held(context, judge)
    told = now(arbiter, new)
    assert (told["outcome"], told["state"], told["retryable"]) == ("held", "pending", True)
    (relation,) = told["relations"]
    assert (relation["fact_id"], relation["relation"]) == (old.fact_id, None)
    assert relation["unjudged"]["code"] == "judge_unavailable"
    assert [decision["action"] for decision in told["decisions"]] == ["hold"]
    assert told["review"] == list(new.review)


def test_the_final_outcome_stands_beside_the_first_one(context: Context, judge: TableJudge) -> None:
    """After a retry the receipt itself is as it was; ``now`` tells verdict, decision and state."""
    arbiter, old, new = held(context, judge)
    before = {key: value for key, value in arbiter.receipt(new.id).items() if key != "now"}
    arbiter.retry(at_once=True)
    after = arbiter.receipt(new.id)
    assert {key: value for key, value in after.items() if key != "now"} == before
    told = now(arbiter, new)
    assert (told["outcome"], told["state"], told["retryable"]) == ("stored", "active", False)
    assert [(r["fact_id"], r["relation"], r["current"]) for r in told["relations"]] == [
        (old.fact_id, "update", "this")
    ]
    assert [(d["action"], d["winner"]) for d in told["decisions"]] == [("supersede", new.fact_id)]
    assert (told["review"], told["supersedes"], told["duplicate_of"]) == ([], [old.fact_id], None)
    earlier = now(arbiter, old)
    assert (earlier["outcome"], earlier["state"], earlier["state_reason"]) == (
        "stored",
        "superseded",
        "update",
    )
    assert (earlier["successor"], earlier["supersedes"]) == (new.fact_id, [])


def test_what_was_held_may_turn_out_a_duplicate(context: Context, judge: TableJudge) -> None:
    """Then the outcome is the one that it would have had at once: merged."""
    arbiter, old, new = held(context, judge)
    judge.otherwise = verdict("duplicate")
    arbiter.retry(at_once=True)
    told = now(arbiter, new)
    assert (told["outcome"], told["state_reason"]) == ("merged", "duplicate")
    assert (told["duplicate_of"], told["successor"]) == (old.fact_id, old.fact_id)


def test_a_ruling_ends_the_waiting(context: Context, judge: TableJudge) -> None:
    """Where a person decided before any judge did, that is what became of it."""
    arbiter, _, new = held(context, judge)
    arbiter.review.rule(new.review[0], RulingKind.KEEP_B, reviewer="ada")
    told = now(arbiter, new)
    assert (told["outcome"], told["state"], told["review"]) == ("stored", "active", [])
    assert told["retryable"] is False
    assert [d["rule"] for d in told["decisions"]] == ["ruling-keep-one"]


def test_erased_words_do_not_come_back(context: Context, judge: TableJudge) -> None:
    """The receipt and what is told now have ids and labels, but nothing that could quote the fact."""
    arbiter, _, new = held(context, judge)
    judge.otherwise = verdict("update", reason="Bath was before York", attribute="home in York")
    arbiter.retry(at_once=True)
    arbiter.erase(new.fact_id or "")
    told = now(arbiter, new)
    assert (told["state"], told["state_reason"], told["retryable"]) == ("tombstoned", "erased", False)
    assert [r["relation"] for r in told["relations"]] == ["update"]
    assert "York" not in str(arbiter.receipt(new.id))


def test_receipts_keep_to_their_namespace(context: Context, judge: TableJudge) -> None:
    """Elsewhere there is no such receipt."""
    arbiter, _, new = held(context, judge)
    with pytest.raises(NotFoundError):
        arbiter.receipt(new.id, namespace="other")
