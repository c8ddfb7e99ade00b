"""The review queue as JSON."""

from __future__ import annotations

from dataclasses import replace

from arbiter.domain.evidence import Spend
from arbiter.domain.outcomes import Decision, FactState, ReviewItem, Ruling
from arbiter.domain.review_answer import Ruled
from arbiter.domain.review_queue import Comment, Place, QueueCounts, Queued, ReviewStatus, ReviewWork
from arbiter.domain.vocabulary import Action, Relation, RulingKind, Stakes, State, StateReason
from arbiter.interchange.fact_json import fact_json
from arbiter.interchange.receipts import decision_json, review_json, verdict_json
from arbiter.interchange.review_view_json import (
    comment_json,
    queue_counts_json,
    queue_page_json,
    queued_json,
    review_view_json,
    ruled_json,
    work_json,
)
from arbiter.pipeline.read import FactView
from arbiter.pipeline.review_view import QueuePage, ReviewView
from tests.factories import day, make_fact, verdict

A, B = make_fact("Rita was born in <b>Porto</b>.", at=1), make_fact("Rita was born in Faro.", at=2)
ITEM = ReviewItem(
    A.id,
    B.id,
    "conflict",
    "high-stakes-contradiction",
    "Which?",
    152,
    A.digest,
    B.digest,
    Relation.CONTRADICTION,
    Stakes.HIGH,
    reach=2,
    evidence="e1",
)
WORK = ReviewWork(ITEM.id, assignee="ada", claimed_by="bob", claimed_until=day(4))
QUEUED = Queued(ITEM, ReviewStatus.OPEN, day(1), None, WORK)
FOUND = verdict("contradiction", stakes="high")
DECISION = Decision(A.id, B.id, Action.REVIEW, "high-stakes-contradiction", "High stakes are never guessed.")
RULING = Ruling(
    "rul_1", "default", A.id, B.id, RulingKind.MERGE, "kim", day(2), A.digest, B.digest, merged="fact_m"
)
BACK = replace(RULING, id="rul_2", kind=RulingKind.RETRACT, merged=None, retracts="rul_1", at=day(3))
NOTE = Comment(ITEM.id, "ada", day(2), "=cmd|' /C calc'!A0")
VIEW = ReviewView(
    queued=QUEUED,
    now=day(3.5),
    a=FactView(A, FactState(A.id, State.ACTIVE, contested=True)),
    b=FactView(B, FactState(B.id, State.ACTIVE, contested=True)),
    judgement=FOUND,
    decisions=(DECISION,),
    rulings=(RULING, BACK),
    comments=(NOTE,),
)


def test_an_item_has_its_place_in_the_queue() -> None:
    """Priority and age are those of the moment; a claim that has ended is none."""
    told = queued_json(QUEUED, day(3.5))
    assert told == {
        **review_json(ITEM, is_open=True),
        "status": "open",
        "priority": 154,
        "reach": 2,
        "opened_at": "2026-01-02T09:00:00+00:00",
        "closed_at": None,
        "age_s": 216_000,
        "assignee": "ada",
        "claim": {"reviewer": "bob", "until": "2026-01-05T09:00:00+00:00"},
    }
    assert queued_json(QUEUED, day(4))["claim"] is None
    closed = replace(QUEUED, status=ReviewStatus.SET_ASIDE, closed_at=day(2))
    told = queued_json(closed, day(4))
    assert [told[key] for key in ("open", "status", "age_s", "closed_at")] == [
        False,
        "set_aside",
        86_400,
        "2026-01-03T09:00:00+00:00",
    ]


def test_a_view_has_texts_marks_evidence_and_what_was_ruled() -> None:
    """Everything that a page shows is there, each text as it is: whoever shows it escapes it."""
    told = review_view_json(VIEW)
    assert {key: told[key] for key in queued_json(QUEUED, VIEW.now)} == queued_json(QUEUED, VIEW.now)
    assert told["priority_parts"] == {"stakes": 100, "urgency": 50, "reach": 2, "age": 2}
    assert told["facts"] == {"a": fact_json(A, VIEW.a.state), "b": fact_json(B, VIEW.b.state)}
    assert told["marks"] == {
        "a": [
            {"text": "Rita was born in ", "differs": False},
            {"text": "<b>Porto</b>", "differs": True},
            {"text": ".", "differs": False},
        ],
        "b": [
            {"text": "Rita was born in ", "differs": False},
            {"text": "Faro", "differs": True},
            {"text": ".", "differs": False},
        ],
    }
    assert told["evidence"] == verdict_json(None, FOUND)
    assert told["decisions"] == [decision_json(DECISION)]
    assert told["proposed"] == {
        "action": "review",
        "rule": "high-stakes-contradiction",
        "explanation": "High stakes are never guessed.",
    }
    assert [(r["ruling"], r["merged"], r["retracts"]) for r in told["rulings"]] == [  # type: ignore[attr-defined]
        ("merge", "fact_m", None),
        ("retract", None, "rul_1"),
    ]
    assert (told["holding"], told["stale"]) == (None, False)
    assert told["comments"] == [comment_json(NOTE)]
    bare = review_view_json(replace(VIEW, judgement=None, decisions=(), rulings=(RULING,), comments=()))
    assert (bare["evidence"], bare["proposed"], bare["comments"]) == (None, None, [])
    assert bare["holding"] == "rul_1"


def test_a_page_says_where_to_read_on() -> None:
    """The place is text for the next request; null at the end."""
    place = Place(day(3), 154, ITEM.id)
    assert queue_page_json(QueuePage((VIEW,), place)) == {
        "items": [review_view_json(VIEW)],
        "next": str(place),
    }
    assert queue_page_json(QueuePage((), None)) == {"items": [], "next": None}


def test_the_counts_of_a_queue() -> None:
    """The oldest open item is told by time and by age."""
    counts = QueueCounts(2, 1, 3, 1, 1, {"guard": 1, "conflict": 1}, day(1))
    assert queue_counts_json(counts, day(3)) == {
        "open": 2,
        "set_aside": 1,
        "closed": 3,
        "high_stakes": 1,
        "claimed": 1,
        "kinds": {"conflict": 1, "guard": 1},
        "oldest": "2026-01-02T09:00:00+00:00",
        "oldest_s": 172_800,
    }
    assert queue_counts_json(QueueCounts(), day(3))["oldest_s"] is None


def test_what_a_ruling_did() -> None:
    """The ruling, the states that are others since, and what judging its text has cost."""
    state = FactState(A.id, State.SUPERSEDED, StateReason.RULING, "fact_m", decision="dec_1")
    told = ruled_json(Ruled(RULING, (state,), Spend(llm_calls=1, usd=0.5)))
    assert told["ruling"] == {
        "id": "rul_1",
        "a": A.id,
        "b": B.id,
        "ruling": "merge",
        "reviewer": "kim",
        "at": "2026-01-03T09:00:00+00:00",
        "relabel": None,
        "reason": "",
        "policy": "",
        "decision": None,
        "merged": "fact_m",
        "retracts": None,
    }
    assert told["changed"] == [
        {
            "fact_id": A.id,
            "state": "superseded",
            "state_reason": "ruling",
            "successor": "fact_m",
            "contested": False,
            "decision": "dec_1",
        }
    ]
    assert told["cost"] == {
        "llm_calls": 1,
        "prompt_tokens": 0,
        "completion_tokens": 0,
        "usd": 0.5,
        "local_pairs": 0,
    }


def test_who_works_on_an_item() -> None:
    """Assignment and claim, as they stand written."""
    claim = {"reviewer": "bob", "until": "2026-01-05T09:00:00+00:00"}
    assert work_json(WORK) == {"review_id": ITEM.id, "assignee": "ada", "claim": claim}
    assert work_json(ReviewWork(ITEM.id)) == {"review_id": ITEM.id, "assignee": None, "claim": None}
