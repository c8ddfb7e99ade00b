"""Policies, what another one would change, and where facts stand, as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arbiter.domain.outcomes import FactState
from arbiter.domain.policy import Policy
from arbiter.interchange.receipts import Json, decision_json

if TYPE_CHECKING:
    from arbiter.pipeline.compile import Flip

_SECONDS_OF_A_DAY = 86_400


def policy_json(policy: Policy) -> Json:
    """Return a policy as JSON, its rules in the order in which they are tried."""
    return {
        "digest": policy.digest,
        "thresholds": dict(policy.thresholds),
        "judges": {kind: dict(least) for kind, least in policy.judges.items()},
        "rules": [
            {
                "id": rule.id,
                "when": {name: sorted(words) for name, words in rule.when.items()},
                "action": rule.action.value,
                "strategy": rule.strategy and rule.strategy.value,
                "asks": rule.asks,
                "reason": rule.reason,
            }
            for rule in policy.rules
        ],
        "sources": [
            {"match": source.match, "event_key": source.event_key.value, "weight": source.weight}
            for source in policy.sources
        ],
        "unseen_after_days": policy.unseen_after.total_seconds() / _SECONDS_OF_A_DAY,
    }


def flip_json(flip: Flip) -> Json:
    """Return what another policy would change about one fact as JSON."""
    return {
        "namespace": flip.namespace,
        "fact_id": flip.fact_id,
        "content": flip.content,
        "before": state_json(flip.before),
        "after": state_json(flip.after),
        "decisions": [decision_json(decision) for decision in flip.decisions],
    }


def state_json(state: FactState) -> Json:
    """Return where a fact stands as JSON."""
    return {
        "fact_id": state.fact_id,
        "state": state.state.value,
        "state_reason": state.reason and state.reason.value,
        "successor": state.successor,
        "contested": state.contested,
        "decision": state.decision,
    }
