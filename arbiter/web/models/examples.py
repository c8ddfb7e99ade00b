"""Examples for the OpenAPI document: two statements of one user, and what becomes of them."""

from __future__ import annotations

from pydantic import JsonValue

Example = dict[str, JsonValue]

_LISBON, _PORTO = "fact_e1b708eb6509f0e5387e2b0e", "fact_0c8fbaee9fde2f296a9f467d"
_KEYED = "keyed/1@b1ba1c6783c9"

EARLIER_RECORD: Example = {
    "content": "User lives in Lisbon.",
    "source": {"id": "chat:4711", "kind": "user_stated", "ref": "msg:12"},
    "observed_at": "2025-06-01T09:00:00Z",
    "subject": "user:42",
    "claim_key": "user.residence",
    "value": "Lisbon",
}
RECORD: Example = {
    "content": "User moved to Porto.",
    "source": {"id": "chat:4711", "kind": "user_stated", "ref": "msg:99"},
    "observed_at": "2026-03-02T09:00:00Z",
    "subject": "user:42",
    "claim_key": "user.residence",
    "value": "Porto",
}
VERDICT: Example = {
    "id": "1",
    "relation": "update",
    "confidence": 0.98,
    "probabilities": {},
    "current": "b",
    "update_kind": "state_change",
    "stale_risk": None,
    "attribute": "user.residence",
    "mutability": "mutable",
    "stakes": "normal",
    "judge": _KEYED,
    "reason": "user.residence: 'Lisbon' and 'Porto', changed",
    "unjudged": None,
    "guards": [],
    "error": None,
}
DECISION: Example = {
    "id": "dec_ff30c534603ce5a7d8ef395f",
    "pair": [_LISBON, _PORTO],
    "action": "supersede",
    "rule": "change",
    "winner": _PORTO,
    "loser": _LISBON,
    "explanation": "What can change: the later statement wins.",
    "scores": {"verdict_confidence": 0.98, "threshold": 0.8},
}
FULL_DECISION: Example = {
    **DECISION,
    "relation": "update",
    "reason": "update",
    "strategy": "recency",
    "stakes": "normal",
    "judge": _KEYED,
    "asks": False,
}
RECEIPT: Example = {
    "receipt_id": "rcpt_f2187811d8ac152b17091b75",
    "record_index": 0,
    "fact_id": _PORTO,
    "event_key": "chat:4711:msg:99",
    "namespace": "default",
    "stored": True,
    "outcome": "stored",
    "state": "active",
    "contested": False,
    "retryable": False,
    "reason": None,
    "relations": [
        {
            "fact_id": _LISBON,
            **{name: value for name, value in VERDICT.items() if name not in ("id", "error")},
            "current": "this",
            "cached": False,
        }
    ],
    "decisions": [DECISION],
    "review": [],
    "evidence": {
        "candidates": [
            {
                "fact_id": _LISBON,
                "similarity": 0.674951,
                "entity_overlap": 0.333333,
                "retrieved_by": ["claim_key", "entity", "subject", "vector"],
                "dropped_by": None,
            }
        ]
    },
    "cost": {"llm_calls": 0, "prompt_tokens": 0, "completion_tokens": 0, "usd": 0.0, "local_pairs": 0},
    "duplicate_of": None,
    "supersedes": [_LISBON],
}
NOW: Example = {
    **{
        name: RECEIPT[name]
        for name in ("outcome", "state", "contested", "retryable", "relations", "decisions", "review")
    },
    "state_reason": None,
    "successor": None,
    "duplicate_of": None,
    "supersedes": [_LISBON],
}
FACT: Example = {
    "fact_id": _PORTO,
    "content": "User moved to Porto.",
    "state": "active",
    "state_reason": None,
    "contested": False,
    "successor": None,
    "namespace": "default",
    "subject": "user:42",
    "claim_key": "user.residence",
    "value": "Porto",
    "sightings": [
        {
            "source": "chat:4711",
            "kind": "user_stated",
            "ref": "msg:99",
            "observed_at": "2026-03-02T09:00:00Z",
            "last_seen": "2026-03-02T09:00:00Z",
            "seen_count": 1,
            "record_index": 0,
        }
    ],
    "first_seen": "2026-03-02T09:00:00Z",
    "last_seen": "2026-03-02T09:00:00Z",
    "seen_count": 1,
    "sources": ["chat:4711"],
    "digest": "667f49bc8da6378839e96ac5",
}
RULING: Example = {
    "ruling": "keep_b",
    "digest_a": "1f0e4a0f9e1c6ac1b6f3e0a7",
    "digest_b": "9b2d51c87e64d1a5f7c03e52",
    "reason": "seen in the passport",
}
POLICY: Example = {
    "policy": {
        "thresholds": {"duplicate": 0.9, "update": 0.9},
        "rules": [{"id": "ask", "action": "review", "reason": "A person decides everything."}],
    }
}
