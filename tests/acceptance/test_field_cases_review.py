"""Field cases of people deciding: who can lose, what is remembered, and what reading must not do."""

from __future__ import annotations

import pytest

from arbiter import RulingKind
from arbiter.domain.outcomes import review_id
from arbiter.domain.review_queue import QueueQuery
from arbiter.errors import NotFoundError, StaleRulingError
from arbiter.interchange.review_files import export_open
from arbiter.pipeline.review_exchange import queued_views
from tests.acceptance.bench import Bench, bench, relation, says
from tests.acceptance.field_cases import CASES, covers, record, told

pytestmark = pytest.mark.filterwarnings("ignore:.*`ReadOnly` qualifier:UserWarning")


@covers("only-the-older-side-can-lose")
def test_a_reviewer_can_rule_against_the_newer_record() -> None:
    """The misread height is a tombstone; who ruled and when is in the history."""
    shown = CASES["only-the-older-side-can-lose"].input["item"]
    existing, candidate = record(shown["existing"]), record(shown["candidate"])
    with bench(
        says(existing["content"], candidate["content"], "contradiction"),
        # A height that seldom changes would be settled by authority, and nobody would be asked.
        keys={"*.height": '{ cardinality = "single", mutability = "mutable" }'},
    ) as on:
        a, b = on.one(existing), on.one(candidate)
        (item,) = on.arbiter.review.items()
        assert (item.a, item.b, item.kind) == (a.fact_id, b.fact_id, "conflict")
        on.clock.set("2027-01-02T10:00:00Z")
        changed = on.arbiter.review.rule(item.id, RulingKind.KEEP_A, reviewer="kim", reason="OCR")
        assert on.states() == {existing["content"]: "active", candidate["content"]: "tombstoned"}
        assert {state.fact_id: state.reason for state in changed} == {a.fact_id: None, b.fact_id: "ruling"}
        assert b.fact_id is not None
        (ruled,) = [entry for entry in on.arbiter.history(b.fact_id) if entry.kind == "ruling"]
        assert (ruled.at, ruled.detail["reviewer"], ruled.detail["ruling"]) == (on.clock.now, "kim", "keep_a")
        assert [made.action for made in on.decisions(b.fact_id)] == ["tombstone"]


@covers("retired-record-demotes-live-one")
def test_a_retired_record_cannot_be_put_over_the_live_one() -> None:
    """The pair is not before people: there is nothing to rule on, and the live record stays."""
    retired, live = (record(raw) for raw in CASES["retired-record-demotes-live-one"].input["store"])
    with bench(says(retired["content"], live["content"], "update")) as on:
        a, b = on.one(retired), on.one(live)
        assert on.states() == {retired["content"]: "superseded", live["content"]: "active"}
        assert a.fact_id is not None
        assert b.fact_id is not None
        with pytest.raises(NotFoundError):
            on.arbiter.review.rule(review_id(a.fact_id, b.fact_id), RulingKind.KEEP_A, reviewer="kim")
        assert on.active() == {live["content"]}


def in_conflict(on: Bench, existing: str, candidate: str) -> str:
    """Submit two texts that contradict one another and return the id of the review item."""
    on.answers |= {said.key: said for said in [says(existing, candidate, "contradiction")]}
    on.one(told(existing, "2026-02-01"))
    receipt = on.one(told(candidate, "2026-02-02", by="u:2"))
    (item,) = receipt.review
    return item


@covers("queue-position-used-as-id")
def test_items_are_ruled_on_by_their_id_alone() -> None:
    """A position names nothing, a settled item cannot be settled again, the others are untouched."""
    queue = CASES["queue-position-used-as-id"].input["queue"]
    with bench() as on:
        k1, k2, k3 = (in_conflict(on, *queue[name]) for name in ("k1", "k2", "k3"))
        on.arbiter.review.rule(k1, RulingKind.KEEP_A, reviewer="kim")
        with pytest.raises(NotFoundError):
            on.arbiter.review.rule("0", RulingKind.KEEP_A, reviewer="kim")
        with pytest.raises(StaleRulingError, match="no longer open"):
            on.arbiter.review.rule(k1, RulingKind.KEEP_B, reviewer="kim")
        assert {item.id for item in on.arbiter.review.items()} == {k2, k3}
        states = on.states()
        assert [states[text] for text in queue["k1"]] == ["active", "tombstoned"]
        assert {states[text] for name in ("k2", "k3") for text in queue[name]} == {"active contested"}


@covers("reading-the-queue-changes-it")
def test_to_read_the_queue_changes_nothing() -> None:
    """The item was closed by the erasure, at that time; two exports a day apart are the same."""
    lamp = CASES["reading-the-queue-changes-it"].input
    with bench() as on:
        on.clock.set("2026-02-03T00:00:00Z")
        item = in_conflict(on, *lamp["pair"])
        other = in_conflict(on, "Gate 3 is locked at night.", "Gate 3 is never locked.")
        shown = on.arbiter.review.show(item)
        on.clock.set(lamp["steps"][1]["at"])
        on.arbiter.erase(shown.b)
        assert on.arbiter.context.store.review("default", item) == (shown, False)
        exports = []
        for step in lamp["steps"][2:]:
            on.clock.set(step["at"])
            exports.append(exported(on))
        assert exports[0] == exports[1]
        assert [item_id in exports[0] for item_id in (item, other)] == [False, True]
        marks = [
            (e.at.isoformat(), e.detail["contested"])
            for e in on.arbiter.history(shown.a)
            if e.kind == "state"
        ]
        assert marks[-2:] == [("2026-02-03T00:00:00+00:00", True), ("2026-03-01T00:00:00+00:00", False)]
        assert on.states()[lamp["pair"][0]] == "active"


def exported(on: Bench) -> str:
    """Return the open items as a file for reviewers."""
    return "".join(export_open(queued_views("default", QueueQuery(), on.arbiter.context), "jsonl"))


@pytest.mark.parametrize("side", ["a", "b"])
@pytest.mark.parametrize("label", ["contradiction", "duplicate", "nothing"])
def test_to_erase_one_side_frees_the_other(label: str, side: str) -> None:
    """Contested with it, merged into it or waiting for a judge: the other one stands for itself now."""
    one, other = "The lamp at gate 2 is broken.", "Gate 2's lamp is broken."
    with bench(says(one, other, label)) as on:
        a, b = on.one(told(one, "2026-02-01")), on.one(told(other, "2026-02-02", by="u:2"))
        assert relation(b, a.fact_id) == ("judge_reply" if label == "nothing" else label)
        erased, kept = (a, b) if side == "a" else (b, a)
        assert erased.fact_id is not None
        assert kept.fact_id is not None
        on.arbiter.erase(erased.fact_id)
        for from_scratch in (False, True):
            left = on.arbiter.fact(kept.fact_id).state
            assert (left.state, left.contested, left.successor) == ("active", False, None)
            assert on.arbiter.review.items() == []
            on.arbiter.compile(from_scratch=from_scratch)


@covers("dismissed-pair-returns-daily")
def test_a_pair_that_a_person_cleared_is_not_raised_again() -> None:
    """Not by a sweep, not from scratch, and not when both are said again in the opposite order."""
    existing, candidate = CASES["dismissed-pair-returns-daily"].input["pair"]
    with bench() as on:
        item = in_conflict(on, existing, candidate)
        on.arbiter.review.rule(item, RulingKind.KEEP_BOTH, reviewer="kim")
        both = {existing: "active", candidate: "active"}
        for from_scratch in (False, True):
            assert on.arbiter.compile(from_scratch=from_scratch).created == 0
            assert (on.arbiter.review.items(), on.states()) == ([], both)
        on.one(told(candidate, "2026-03-01", by="u:3"))
        on.one(told(existing, "2026-03-02", by="u:3"))
        assert on.arbiter.compile().created == 0
        assert (on.arbiter.review.items(), on.states()) == ([], both)
        assert len(on.asked()) == 1
