"""Receipts, verdicts, decisions and review items as the JSON that users and their scripts rely on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from arbiter.domain.evidence import GuardFinding, Judgement, Side, Spend, Unjudged
from arbiter.domain.outcomes import Decision, FoundRelation, Receipt, ReviewItem
from arbiter.domain.standing import Standing

Json: TypeAlias = dict[str, object]
"""A JSON object: texts, numbers, truth values, None, lists and objects of these."""


def receipt_json(receipt: Receipt) -> Json:
    """Return a receipt as JSON; every outcome has the same keys.

    In its relations "this" is the fact of the receipt and "other" the one named by ``fact_id``.
    """
    reason = receipt.reason
    return {
        "receipt_id": receipt.id,
        "record_index": receipt.record_index,
        "fact_id": receipt.fact_id,
        "event_key": receipt.event_key,
        "namespace": receipt.namespace,
        "stored": receipt.stored,
        "outcome": receipt.outcome.value,
        "state": None if receipt.state is None else receipt.state.value,
        "contested": receipt.contested,
        "retryable": receipt.retryable,
        "reason": reason and {"code": reason.code, "message": reason.message, "field": reason.field},
        "relations": [_relation(found) for found in receipt.relations],
        "decisions": [_decided(decision) for decision in receipt.decisions],
        "review": list(receipt.review),
        "evidence": {
            "candidates": [
                {
                    "fact_id": candidate.fact_id,
                    "similarity": candidate.similarity,
                    "entity_overlap": candidate.entity_overlap,
                    "retrieved_by": list(candidate.retrieved_by),
                    "dropped_by": candidate.dropped_by,
                }
                for candidate in receipt.candidates
            ]
        },
        "cost": cost_json(receipt.cost),
        "duplicate_of": receipt.duplicate_of,
        "supersedes": list(receipt.supersedes),
    }


def standing_json(standing: Standing) -> Json:
    """Return what has become of a record since its receipt as JSON; the keys that both have mean the same."""
    state = standing.state
    return {
        "outcome": standing.outcome.value,
        "state": state.state.value,
        "state_reason": state.reason and state.reason.value,
        "successor": state.successor,
        "contested": state.contested,
        "retryable": standing.retryable,
        "relations": [_relation(found) for found in standing.relations],
        "decisions": [_decided(decision) for decision in standing.decisions],
        "review": list(standing.review),
        "duplicate_of": standing.duplicate_of,
        "supersedes": list(standing.supersedes),
    }


def verdict_json(pair_id: str | None, found: Judgement) -> Json:
    """Return what was found for the pair ``pair_id`` as JSON; the sides are "a" and "b"."""
    sides: dict[Side, str] = {"a": "a", "b": "b"}
    return {"id": pair_id, **_found(found, sides), "guards": _guards(found.guards, "a", "b")}


def decision_json(decision: Decision) -> Json:
    """Return a decision as JSON, with everything that led to it."""
    return {
        **_decided(decision),
        "relation": decision.relation and decision.relation.value,
        "reason": decision.reason and decision.reason.value,
        "strategy": decision.strategy and decision.strategy.value,
        "stakes": decision.stakes.value,
        "judge": decision.judge,
        "asks": decision.asks,
    }


def review_json(item: ReviewItem, *, is_open: bool) -> Json:
    """Return a review item as JSON."""
    return {
        "id": item.id,
        "open": is_open,
        "kind": item.kind,
        "a": item.a,
        "b": item.b,
        "question": item.question,
        "priority": item.priority,
        "rule": item.rule,
        "relation": item.relation and item.relation.value,
        "stakes": item.stakes.value,
        "proposal": item.proposal,
        "digest_a": item.digest_a,
        "digest_b": item.digest_b,
    }


def _relation(found: FoundRelation) -> Json:
    other = found.side
    this: Side = "a" if other == "b" else "b"
    sides: dict[Side, str] = {this: "this", other: "other"}
    judgement = found.judgement
    return {
        "fact_id": found.fact_id,
        **_found(judgement, sides),
        "cached": not isinstance(judgement, Unjudged) and judgement.cached,
        "guards": _guards(judgement.guards, sides["a"], sides["b"]),
    }


def _found(found: Judgement, sides: Mapping[Side, str]) -> Json:
    """Return what both shapes share; what nobody could tell is null, never a label."""
    if isinstance(found, Unjudged):
        unjudged = {"code": found.code, "message": found.message, "retryable": found.retryable}
        nothing: Json = dict.fromkeys(
            (
                "relation",
                "confidence",
                "current",
                "update_kind",
                "stale_risk",
                "attribute",
                "mutability",
                "stakes",
            )
        )
        return {**nothing, "probabilities": {}, "judge": found.judge, "reason": "", "unjudged": unjudged}
    return {
        "relation": found.relation.value,
        "confidence": found.confidence,
        "probabilities": dict(found.probabilities),
        "current": found.current and sides[found.current],
        "update_kind": found.update_kind and found.update_kind.value,
        "stale_risk": found.stale_risk and sides[found.stale_risk],
        "attribute": found.attribute,
        "mutability": found.mutability and found.mutability.value,
        "stakes": found.stakes and found.stakes.value,
        "judge": found.judge,
        "reason": found.reason,
        "unjudged": None,
    }


def _guards(guards: Iterable[GuardFinding], a: str, b: str) -> list[Json]:
    return [{"guard": guard.guard, a: guard.a, b: guard.b} for guard in guards]


def _decided(decision: Decision) -> Json:
    return {
        "id": decision.id,
        "pair": [decision.a, decision.b],
        "action": decision.action.value,
        "rule": decision.rule,
        "winner": decision.winner,
        "loser": decision.loser,
        "explanation": decision.explanation,
        "scores": dict(decision.scores),
    }


def cost_json(spend: Spend) -> Json:
    """Return what asking cost as JSON."""
    return {
        "llm_calls": spend.llm_calls,
        "prompt_tokens": spend.prompt_tokens,
        "completion_tokens": spend.completion_tokens,
        "usd": spend.usd,
        "local_pairs": spend.local_pairs,
    }
