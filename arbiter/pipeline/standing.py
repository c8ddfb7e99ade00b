"""What has become of a record since its receipt was given: held pairs may have been settled meanwhile."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from arbiter.domain.evidence import Unjudged
from arbiter.domain.outcomes import FactState, FoundRelation, review_id
from arbiter.domain.review_queue import ReviewStatus
from arbiter.domain.standing import Standing
from arbiter.domain.vocabulary import Outcome, State, StateReason
from arbiter.pipeline.context import Context


def standing(
    namespace: str, fact_id: str, first: Outcome, others: Iterable[str], context: Context
) -> Standing:
    """Return where a fact stands. ``others`` are the facts that its receipt relates it to."""
    store = context.store
    state = store.states(namespace, [fact_id]).get(fact_id)
    decisions = store.decisions(namespace, [fact_id])
    partners = list(dict.fromkeys([*others, *(d.b if d.a == fact_id else d.a for d in decisions)]))
    found = store.verdicts(namespace, [_key(fact_id, other) for other in partners])
    asked = store.queued(namespace, [review_id(fact_id, other) for other in partners])
    relations = [
        FoundRelation(other, "b" if other == pair.b else "a", pair.judgement)
        for other in partners
        if (pair := found.get(_key(fact_id, other))) is not None
    ]
    return Standing(
        first=first,
        state=state or FactState(fact_id, State.PENDING, StateReason.UNJUDGED),
        relations=tuple(relations),
        decisions=tuple(decisions),
        review=tuple(sorted(name for name, item in asked.items() if item.status is ReviewStatus.OPEN)),
    )


def waiting_for_judges(namespace: str, fact_ids: Collection[str], context: Context) -> frozenset[str]:
    """Return which of these pending facts a judge may still settle: nothing is decided, or a pair is held."""
    decided = [decision.key for decision in context.store.decisions(namespace, fact_ids)]
    found = context.store.verdicts(namespace, decided)
    held = {
        fact_id
        for key, pair in found.items()
        if isinstance(pair.judgement, Unjudged) and pair.judgement.retryable
        for fact_id in key
    }
    known = {fact_id for key in decided for fact_id in key}
    return frozenset(fact_id for fact_id in fact_ids if fact_id in held or fact_id not in known)


def _key(one: str, other: str) -> tuple[str, str]:
    return (one, other) if one < other else (other, one)
