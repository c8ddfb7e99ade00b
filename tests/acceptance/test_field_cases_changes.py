"""Field cases of values that change, come back, are corrected, expire or were retired before."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from arbiter.domain.vocabulary import Outcome
from tests.acceptance.bench import bench, decision, outcomes, relation, says
from tests.acceptance.field_cases import CASES, covers, record, records, told

pytestmark = pytest.mark.filterwarnings("ignore:.*`ReadOnly` qualifier:UserWarning")


@pytest.mark.parametrize("together", [False, True], ids=["three writes", "one batch"])
@covers("back-to-the-first-value")
def test_a_value_that_comes_back_is_current_again(together: bool) -> None:  # noqa: FBT001  a parameter
    """The same words a second time retire what came between, and the receipt does not call that no news."""
    written = records(CASES["back-to-the-first-value"].steps[0])
    first, between = written[0]["content"], written[1]["content"]
    with bench(says(first, between, "update")) as on:
        receipts = on.add(*written) if together else [on.one(told) for told in written]
        assert on.states() == {first: "active", between: "superseded"}
        assert on.views()[between].state.successor == receipts[0].fact_id
        assert outcomes(receipts) == ["stored"] * 3


@covers("convention-changed-twice-in-minutes")
def test_the_last_of_three_decisions_within_minutes_holds() -> None:
    """Each is superseded by the one that came next."""
    one, two, three = records(CASES["convention-changed-twice-in-minutes"].steps[0])
    texts = [one["content"], two["content"], three["content"]]
    changes = [says(a, b, "update") for a, b in (texts[:2], texts[1:], texts[::2])]
    with bench(*changes) as on:
        first, second, third = on.add(one, two, three)
        assert relation(third, second.fact_id) == relation(second, first.fact_id) == "update"
        assert on.active() == {"Final decision, replaces the earlier ones: leave release notes unsigned."}
        views = on.views()
        assert [views[text].state.successor for text in texts] == [second.fact_id, third.fact_id, None]
        assert [decision(r, third.fact_id).action for r in (first, second)] == ["supersede", "supersede"]


@covers("tombstone-swallows-new-statement")
def test_a_fresh_statement_outlives_the_tombstone() -> None:
    """What the user took back and says again later is active again; the receipt says stored."""
    seeded, again = (record(step["records"][0]) for step in CASES["tombstone-swallows-new-statement"].steps)
    taken_back = told("Gunnar is not on the on-call list, that was wrong.", "2026-02-01", by="u:gunnar")
    taken_back |= {"subject": "Gunnar", "claim_key": "gunnar.on_call"}
    correction = says(seeded["content"], taken_back["content"], "update", update_kind="correction")
    with bench(correction) as on:
        on.add(seeded, taken_back)
        assert on.states() == {seeded["content"]: "tombstoned", taken_back["content"]: "active"}
        receipt = on.one(again)
        assert (receipt.outcome, receipt.stored, receipt.state) == ("stored", True, "active")
        assert receipt.duplicate_of is None
        assert on.states() == {seeded["content"]: "active", taken_back["content"]: "superseded"}


@covers("pruned-row-blocks-relearning")
def test_a_value_that_was_taken_back_can_be_learned_again() -> None:
    """The plate is active again, and the one that it had replaced stays superseded."""
    case = CASES["pruned-row-blocks-relearning"]
    (old, plate), (again,) = records(case.steps[0]), records(case.steps[1])
    taken_back = told("Correction: the van's plate is not MR 118.", "2025-07-01", by="u:f", subject="van")
    taken_back["claim_key"] = "van.plate"
    with bench(
        says(old["content"], plate["content"], "update"),
        says(plate["content"], taken_back["content"], "update", update_kind="correction"),
    ) as on:
        on.add(old, plate)
        on.one(taken_back)
        assert on.states()[plate["content"]] == "tombstoned"
        receipt = on.one(again)
        assert (receipt.outcome, receipt.state) == ("stored", "active")
        assert on.active() == {"The van's plate is MR 118."}
        assert on.views()[old["content"]].state.reason == "update"


@covers("expired-row-blocks-resave")
def test_what_expired_can_be_said_again() -> None:
    """The expired record is not read; said again without an end, it is, and counts as new information."""
    case = CASES["expired-row-blocks-resave"]
    (expired,), (again,) = records(case.steps[0]), records(case.steps[1])
    with bench() as on:
        on.clock.set(case.input["now"])
        on.one(expired)
        assert on.arbiter.search("meeting room") == []
        receipt = on.one(again)
        assert (receipt.outcome, receipt.stored, receipt.state) == ("merged", True, "active")
        (hit,) = on.arbiter.search("meeting room")
        assert [s.record.valid_to for s in hit.fact.sightings] == [
            datetime.fromisoformat("2026-01-02T00:00:00Z"),
            None,
        ]


@covers("immutable-bypassed-by-delete-and-add")
def test_no_detour_past_what_cannot_change() -> None:
    """An agent's attempt to take the number back waits for a person, its other number is superseded."""
    case = CASES["immutable-bypassed-by-delete-and-add"]
    (owned,), (other,) = records(case.steps[0]), records(case.steps[2])
    denied = told("FI-2207 is not the hull number.", "2025-12-01", by="agent:helper", kind="agent_inference")
    denied |= {"subject": "boat", "claim_key": "boat.hull_number"}
    with bench(
        says(owned["content"], denied["content"], "update", update_kind="correction"),
        says(owned["content"], other["content"], "contradiction"),
        keys={"boat.hull_number": '{ cardinality = "single", mutability = "immutable" }'},
    ) as on:
        kept = on.one(owned)
        queued = on.one(denied)
        assert decision(queued, kept.fact_id).rule == "correction-by-lesser"
        assert [{item.a, item.b} for item in on.arbiter.review.items()] == [{kept.fact_id, queued.fact_id}]
        added = on.one(other)
        made = decision(added, kept.fact_id)
        assert (relation(added, kept.fact_id), made.rule) == ("contradiction", "fixed-authority")
        assert (made.winner, added.state) == (kept.fact_id, "superseded")
        assert on.states()[owned["content"]] == "active contested"


@covers("conflict-outside-recency-window")
def test_an_old_record_is_found_behind_three_hundred_others() -> None:
    """The equal claim key finds it, whatever has been said since."""
    case = CASES["conflict-outside-recency-window"]
    (old,), (new,) = records(case.steps[0]), records(case.steps[2])
    made = case.steps[1]["generate"]
    start = datetime.fromisoformat("2025-06-01T00:00:00Z")
    notes = [
        {
            "content": made["content"].replace("{i}", str(number)),
            "observed_at": (start + timedelta(minutes=number)).isoformat(),
            **{name: made[name] for name in ("subject", "source", "confidence")},
        }
        for number in range(made["n"])
    ]
    with bench(says(old["content"], new["content"], "update")) as on:
        (old_id,) = on.seed(old)
        assert len(set(on.seed(*notes))) == 300
        receipt = on.one(new)
        assert (relation(receipt, old_id), decision(receipt, old_id).action) == ("update", "supersede")
        assert receipt.supersedes == (old_id,)
        assert len(receipt.relations) == 8
        states = on.states()
        assert (states.pop(old["content"]), set(states.values())) == ("superseded", {"active"})


@covers("correction-outnumbered-by-repeats")
def test_a_correction_is_not_outvoted() -> None:
    """Three times the wrong date by an agent, once the right one by the host: the wrong one is gone."""
    case = CASES["correction-outnumbered-by-repeats"]
    (right,) = records(case.steps[1])
    with bench() as on:
        wrong = on.add(*records(case.steps[0]))
        receipt = on.one(right)
        assert relation(receipt, wrong[0].fact_id) == "update"
        made = decision(receipt, wrong[0].fact_id)
        assert (made.action, made.rule, made.winner) == ("tombstone", "correction", receipt.fact_id)
        assert (made.scores["other_votes"], made.scores["challenger_votes"]) == (1.0, 1.0)
        assert on.states() == {"The glazing workshop is on 9 May.": "tombstoned", right["content"]: "active"}
        assert receipt.outcome is Outcome.STORED
