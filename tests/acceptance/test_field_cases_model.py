"""Field cases of what a language model writes: its reply as the case gives it, in our schema, over HTTP."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from arbiter.domain.evidence import Unjudged, Verdict
from arbiter.domain.outcomes import Receipt
from arbiter.scan import scan
from tests.acceptance.bench import Bench, bench, decision, judgement, outcomes, relation
from tests.acceptance.field_cases import CASES, adapted, covers, record, records, told
from tests.chat import item, reply
from tests.scanning import write_lines
from tests.scripted_server import Answer, Request

pytestmark = pytest.mark.filterwarnings("ignore:.*`ReadOnly` qualifier:UserWarning")

UNUSABLE = {
    # Asked once more after each reply that is of no use, then given up.
    "reasoning-model-returns-nothing": "the reply has no verdict on this pair",
    "two-opposite-verdicts": "the reply has verdicts on this pair that disagree",
    "invented-record-id": "the reply has no verdict on this pair",
}


@contextmanager
def replied(case_id: str, text: str, **verdict: Any) -> Iterator[tuple[Bench, Receipt | None, Receipt]]:
    """Play a case whose model gives one reply; yield the store and the receipts of both records."""
    case = CASES[case_id]
    with bench(script=lambda _: Answer(adapted(text, **verdict))) as on:
        existing = [on.one(record(raw)) for raw in case.input["existing"]]
        yield on, existing[0] if existing else None, on.one(record(case.input["candidate"]))


@covers("verdict-wrapped-in-prose")
def test_a_verdict_inside_prose_counts() -> None:
    """It is there and unambiguous: contradiction, with its own confidence, before a person."""
    with replied("verdict-wrapped-in-prose", CASES["verdict-wrapped-in-prose"].input["reply"]) as (on, a, b):
        assert a is not None
        found = judgement(b, a.fact_id)
        assert isinstance(found, Verdict)
        assert (found.relation, found.confidence) == ("contradiction", 0.88)
        assert (decision(b, a.fact_id).action, decision(b, a.fact_id).rule) == ("review", "conflict-open")
        assert set(on.states().values()) == {"active contested"}
        assert len(on.server.requests) == 1


@pytest.mark.parametrize("case_id", UNUSABLE)
@covers(*UNUSABLE)
def test_a_reply_that_is_no_answer_decides_nothing(case_id: str) -> None:
    """The stored record stays active, the new one is kept and waits, and the receipt says why."""
    with replied(case_id, CASES[case_id].input["reply"], current="b") as (on, a, b):
        assert a is not None
        found = judgement(b, a.fact_id)
        assert isinstance(found, Unjudged)
        assert (found.code, found.message, found.retryable) == ("judge_reply", UNUSABLE[case_id], True)
        assert (decision(b, a.fact_id).action, decision(b, a.fact_id).rule) == ("hold", "unjudged")
        assert (b.outcome, b.stored, b.retryable) == ("held", True, True)
        assert b.reason is not None
        assert b.reason.code == "not_judged"
        assert b.cost.llm_calls == len(on.server.requests) == 2
        existing, candidate = CASES[case_id].input["existing"][0], CASES[case_id].input["candidate"]
        assert on.states() == {existing["content"]: "active", candidate["content"]: "pending"}
        assert [entry.kind for entry in on.arbiter.review.items()] == ["unjudged"]


@covers("judge-down-reads-as-approval")
def test_a_model_that_does_not_answer_in_time_approves_of_nothing() -> None:
    """No relation, no confidence, no score: unavailable, and held."""
    case = CASES["judge-down-reads-as-approval"]
    existing, candidate = record(case.input["existing"][0]), record(case.input["candidate"])
    never = threading.Event()
    with bench(script=lambda _: Answer(hold=never), llm_deadline_s=0.3) as on:
        a, b = on.one(existing), on.one(candidate)
        never.set()
        found = judgement(b, a.fact_id)
        assert isinstance(found, Unjudged)
        # The request and the whole question have the same time; whichever ends first is named.
        assert found.code in {"judge_unavailable", "deadline"}
        assert found.retryable
        assert (decision(b, a.fact_id).action, decision(b, a.fact_id).scores) == ("hold", {})
        assert (b.outcome, b.retryable) == ("held", True)
        assert on.states() == {existing["content"]: "active", candidate["content"]: "pending"}


@covers("nothing-stored-yet-called-duplicate")
def test_an_empty_store_asks_no_model() -> None:
    """Nothing can be a duplicate of nothing."""
    case_id = "nothing-stored-yet-called-duplicate"
    with replied(case_id, CASES[case_id].input["reply"]) as (on, _, receipt):
        assert (receipt.outcome, receipt.state) == ("stored", "active")
        assert receipt.relations == ()
        assert on.server.requests == []


@covers("update-text-is-the-old-text")
def test_the_record_counts_and_not_the_models_text() -> None:
    """The new record is active in its own words; the text that the model wrote is no fact."""
    case_id = "update-text-is-the-old-text"
    candidate = CASES[case_id].input["candidate"]["content"]
    with replied(case_id, CASES[case_id].input["reply"], current="b") as (on, a, b):
        assert a is not None
        assert relation(b, a.fact_id) == "update"
        assert (decision(b, a.fact_id).action, decision(b, a.fact_id).winner) == ("supersede", b.fact_id)
        assert on.active() == {candidate}
        assert len(on.states()) == 2
        assert on.views()[candidate].fact.sightings[0].record.content == candidate


@covers("malformed-reply-hidden-by-200")
def test_one_reply_cut_off_degrades_one_record() -> None:
    """The second record is held and says so; the others are stored."""
    case = CASES["malformed-reply-hidden-by-200"]
    cut_off = case.input["classifier_stub"]["item 1"]
    bad = frozenset({case.input["store"][0]["content"], case.input["records"][1]["content"]})

    def script(request: Request) -> Answer:
        (shown,) = request.pairs
        meant = frozenset({shown["a"]["text"], shown["b"]["text"]}) == bad
        return Answer(cut_off if meant else reply(item(1, "unrelated")))

    with bench(script=script, llm_pairs_per_call=1) as on:
        stored = on.one(record(case.input["store"][0]))
        receipts = on.add(*records(case.input))
        assert outcomes(receipts) == ["stored", "held", "stored"]
        assert relation(receipts[1], stored.fact_id) == "judge_reply"
        assert [receipt.retryable for receipt in receipts] == [False, True, False]
        assert [receipt.stored for receipt in receipts] == [True] * 3
        assert sorted(on.states().values()) == ["active", "active", "active", "pending"]


@covers("delete-entries-without-id")
def test_a_run_in_which_every_verdict_failed_says_so(tmp_path: Path) -> None:
    """No reply says which pair it is about: three pairs unjudged in the totals, none decided."""
    pairs = CASES["delete-entries-without-id"].input["pairs"]
    lines = [
        told(text, f"2026-0{month}-01", subject=f"tank {number}")
        for number, pair in enumerate(pairs, start=1)
        for month, text in enumerate(pair, start=1)
    ]
    nameless = item(relation="update", current="b")
    del nameless["pair"]
    about_tanks = {frozenset(pair) for pair in pairs}

    def script(request: Request) -> Answer:
        found = [
            nameless
            if frozenset((shown["a"]["text"], shown["b"]["text"])) in about_tanks
            else item(shown["pair"], "unrelated")
            for shown in request.pairs
        ]
        return Answer(reply(*found))

    with bench(script=script) as on:
        summary = scan(on.arbiter, [write_lines(tmp_path / "tanks.jsonl", lines)], tmp_path / "out")
        assert summary.unjudged == {"judge_reply": 3}
        assert (summary.relations.get("update", 0), summary.to_review) == (0, 3)
        assert (summary.outcomes["stored"], summary.outcomes["held"]) == (3, 3)
        swept = on.arbiter.compile()
        assert (swept.retried, swept.created, swept.changed) == (3, 0, 0)
        assert sorted(on.states().values()) == ["active"] * 3 + ["pending"] * 3
