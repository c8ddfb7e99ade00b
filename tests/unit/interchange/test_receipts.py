"""The JSON of receipts, verdicts, decisions and review items, key by key."""

from __future__ import annotations

import json

import pytest

from arbiter.domain.evidence import Candidate, GuardFinding, Spend, Unjudged, Verdict
from arbiter.domain.outcomes import Decision, FoundRelation, Reason, Receipt, ReviewItem
from arbiter.domain.vocabulary import (
    Action,
    Mutability,
    Outcome,
    Relation,
    Stakes,
    State,
    StateReason,
    Strategy,
    UpdateKind,
)
from arbiter.interchange.receipts import decision_json, receipt_json, review_json, verdict_json

FOUND = Verdict(
    relation=Relation.UPDATE,
    confidence=0.93,
    judge="local/abc",
    current="b",
    update_kind=UpdateKind.STATE_CHANGE,
    stale_risk="a",
    attribute="user.residence",
    mutability=Mutability.MUTABLE,
    stakes=Stakes.HIGH,
    reason="moved",
    probabilities={"update": 0.93, "duplicate": 0.07},
    guards=(GuardFinding("name", "Porto", "Rome"),),
    merged_text="not told",
    cached=True,
)
NOBODY = Unjudged(
    "judge_unavailable", "down", retryable=True, judge="llm/x", guards=(GuardFinding("date", "1", "2"),)
)
DECIDED = Decision(
    a="fact_a",
    b="fact_b",
    action=Action.SUPERSEDE,
    rule="mutable-later",
    explanation="the later one holds",
    relation=Relation.UPDATE,
    reason=StateReason.UPDATE,
    winner="fact_b",
    loser="fact_a",
    strategy=Strategy.RECENCY,
    stakes=Stakes.HIGH,
    judge="local/abc",
    scores={"votes": 2.0},
    asks=True,
)
BRIEFLY = {
    "id": DECIDED.id,
    "pair": ["fact_a", "fact_b"],
    "action": "supersede",
    "rule": "mutable-later",
    "winner": "fact_b",
    "loser": "fact_a",
    "explanation": "the later one holds",
    "scores": {"votes": 2.0},
}
BARE = Receipt(record_index=0, namespace="default", outcome=Outcome.REFUSED, stored=False)


def test_a_full_receipt() -> None:
    """Every field of a receipt stands under its name, and its parts in their shapes."""
    receipt = Receipt(
        record_index=7,
        namespace="default",
        outcome=Outcome.MERGED,
        stored=True,
        fact_id="fact_b",
        event_key="chat:1:m",
        state=State.SUPERSEDED,
        contested=True,
        retryable=True,
        reason=Reason("code", "message", "content"),
        relations=(FoundRelation("fact_a", "a", FOUND), FoundRelation("fact_c", "b", NOBODY)),
        decisions=(DECIDED,),
        review=("rev_1",),
        candidates=(
            Candidate("fact_a", 0.8, 0.5, ("claim_key", "vector")),
            Candidate("fact_d", None, 0.0, ("entity",), "screen"),
        ),
        cost=Spend(1, 200, 30, 0.004, 5),
        duplicate_of="fact_e",
        supersedes=("fact_a",),
    )
    told = receipt_json(receipt)
    assert json.loads(json.dumps(told)) == told
    assert told == {
        "receipt_id": receipt.id,
        "record_index": 7,
        "fact_id": "fact_b",
        "event_key": "chat:1:m",
        "namespace": "default",
        "stored": True,
        "outcome": "merged",
        "state": "superseded",
        "contested": True,
        "retryable": True,
        "reason": {"code": "code", "message": "message", "field": "content"},
        "relations": [
            {
                "fact_id": "fact_a",
                "relation": "update",
                "confidence": 0.93,
                "probabilities": {"update": 0.93, "duplicate": 0.07},
                "current": "this",
                "update_kind": "state_change",
                "stale_risk": "other",
                "attribute": "user.residence",
                "mutability": "mutable",
                "stakes": "high",
                "judge": "local/abc",
                "reason": "moved",
                "unjudged": None,
                "cached": True,
                "guards": [{"guard": "name", "other": "Porto", "this": "Rome"}],
            },
            {
                "fact_id": "fact_c",
                "relation": None,
                "confidence": None,
                "probabilities": {},
                "current": None,
                "update_kind": None,
                "stale_risk": None,
                "attribute": None,
                "mutability": None,
                "stakes": None,
                "judge": "llm/x",
                "reason": "",
                "unjudged": {"code": "judge_unavailable", "message": "down", "retryable": True},
                "cached": False,
                "guards": [{"guard": "date", "this": "1", "other": "2"}],
            },
        ],
        "decisions": [BRIEFLY],
        "review": ["rev_1"],
        "evidence": {
            "candidates": [
                {
                    "fact_id": "fact_a",
                    "similarity": 0.8,
                    "entity_overlap": 0.5,
                    "retrieved_by": ["claim_key", "vector"],
                    "dropped_by": None,
                },
                {
                    "fact_id": "fact_d",
                    "similarity": None,
                    "entity_overlap": 0.0,
                    "retrieved_by": ["entity"],
                    "dropped_by": "screen",
                },
            ]
        },
        "cost": {
            "llm_calls": 1,
            "prompt_tokens": 200,
            "completion_tokens": 30,
            "usd": 0.004,
            "local_pairs": 5,
        },
        "duplicate_of": "fact_e",
        "supersedes": ["fact_a"],
    }


@pytest.mark.parametrize("outcome", Outcome)
def test_every_outcome_has_the_same_keys(outcome: Outcome) -> None:
    """A caller can read any receipt alike; what does not apply is null or empty."""
    told = receipt_json(Receipt(record_index=0, namespace="default", outcome=outcome, stored=False))
    assert list(told) == [
        "receipt_id",
        "record_index",
        "fact_id",
        "event_key",
        "namespace",
        "stored",
        "outcome",
        "state",
        "contested",
        "retryable",
        "reason",
        "relations",
        "decisions",
        "review",
        "evidence",
        "cost",
        "duplicate_of",
        "supersedes",
    ]
    assert [told[key] for key in ("fact_id", "event_key", "state", "reason", "duplicate_of")] == [None] * 5


@pytest.mark.parametrize(("side", "current", "stale"), [("a", "this", "other"), ("b", "other", "this")])
def test_sides_are_told_from_the_fact_of_the_receipt(side: str, current: str, stale: str) -> None:
    """The side of the pair that is the other fact decides which is which."""
    relation = FoundRelation("fact_x", "a" if side == "a" else "b", FOUND)
    told = receipt_json(Receipt(0, "default", Outcome.STORED, stored=True, relations=(relation,)))
    (found,) = json.loads(json.dumps(told["relations"]))
    assert (found["current"], found["stale_risk"]) == (current, stale)
    assert found["guards"][0][stale] == "Porto"


def test_a_verdict() -> None:
    """A verdict names the sides of its pair and is not unjudged."""
    assert verdict_json("p1", FOUND) == {
        "id": "p1",
        "relation": "update",
        "confidence": 0.93,
        "probabilities": {"update": 0.93, "duplicate": 0.07},
        "current": "b",
        "update_kind": "state_change",
        "stale_risk": "a",
        "attribute": "user.residence",
        "mutability": "mutable",
        "stakes": "high",
        "judge": "local/abc",
        "reason": "moved",
        "guards": [{"guard": "name", "a": "Porto", "b": "Rome"}],
        "unjudged": None,
    }


def test_what_nobody_could_judge_has_no_label() -> None:
    """An unjudged pair has the same keys, a null relation and the reason why."""
    told = verdict_json("p1", NOBODY)
    assert told.keys() == verdict_json("p1", FOUND).keys()
    assert told["relation"] is None
    assert told["unjudged"] == {"code": "judge_unavailable", "message": "down", "retryable": True}
    assert told["guards"] == [{"guard": "date", "a": "1", "b": "2"}]


def test_a_decision() -> None:
    """A decision alone tells everything that led to it, with null where nothing did."""
    assert decision_json(DECIDED) == {
        **BRIEFLY,
        "relation": "update",
        "reason": "update",
        "strategy": "recency",
        "stakes": "high",
        "judge": "local/abc",
        "asks": True,
    }
    plain = decision_json(Decision("fact_a", "fact_b", Action.HOLD, "r", "why"))
    assert [plain[key] for key in ("winner", "loser", "relation", "reason", "strategy")] == [None] * 5


def test_a_review_item() -> None:
    """A review item says what is asked about which facts, and whether it is open."""
    item = ReviewItem(
        "fact_a",
        "fact_b",
        "conflict",
        "r1",
        "Which?",
        150,
        "x",
        "y",
        Relation.CONTRADICTION,
        Stakes.HIGH,
        "both",
    )
    assert review_json(item, is_open=False) == {
        "id": item.id,
        "open": False,
        "kind": "conflict",
        "a": "fact_a",
        "b": "fact_b",
        "question": "Which?",
        "priority": 150,
        "rule": "r1",
        "relation": "contradiction",
        "stakes": "high",
        "proposal": "both",
        "digest_a": "x",
        "digest_b": "y",
    }


def test_a_refused_record_cost_nothing() -> None:
    """What was not looked at has no relations and no cost."""
    assert receipt_json(BARE)["relations"] == []
    assert receipt_json(BARE)["cost"] == {
        "llm_calls": 0,
        "prompt_tokens": 0,
        "completion_tokens": 0,
        "usd": 0.0,
        "local_pairs": 0,
    }
