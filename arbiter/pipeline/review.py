"""What people decide: rulings on pairs, and taking decisions back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from arbiter.domain.canonical import digest
from arbiter.domain.facts import Fact, iso
from arbiter.domain.outcomes import Decision, FactState, ReviewItem, Ruling
from arbiter.domain.settle import settle
from arbiter.domain.vocabulary import Relation, RulingKind
from arbiter.errors import ConfigurationError, DependentDecisionError, StaleRulingError
from arbiter.pipeline.context import Context


def rule(
    namespace: str,
    review_id: str,
    kind: RulingKind,
    reviewer: str,
    context: Context,
    *,
    relabel: Relation | None = None,
    reason: str = "",
    seen: tuple[str, str] | None = None,
) -> list[FactState]:
    """Commit a person's ruling on a review item and return the states that changed.

    ``seen`` are the digests of both facts as the person saw them; by default those of the stored item.

    Raises:
        NotFoundError: there is no such item.
        StaleRulingError: the item is settled already, or one of the facts changed since it was seen.
        ConfigurationError: a relabel without a relation, or a relation without a relabel.
    """
    if (kind is RulingKind.RELABEL) != (relabel is not None):
        raise ConfigurationError("a relabel, and nothing else, names a relation", field="relabel")
    item, still_open = context.store.review(namespace, review_id)
    if not still_open:
        raise StaleRulingError(f"{review_id} is no longer open: it was settled, or its facts moved on")
    facts = context.store.facts(namespace, (item.a, item.b))
    _still_as_seen(item, facts[item.a], facts[item.b], seen or (item.digest_a, item.digest_b))
    ruling = _ruling(facts[item.a], facts[item.b], kind, reviewer, context)
    return _commit(namespace, [replace(ruling, relabel=relabel, reason=reason)], context)


def undo(
    namespace: str, decision_id: str, reviewer: str, context: Context, *, cascade: bool = False
) -> list[FactState]:
    """Take a decision back and return the states that changed.

    A later decision rests on it if it retired the winner, so that the chain went on from there, or the
    loser once more, so that taking this one back alone would change nothing. With ``cascade`` those are
    taken back together with it.

    Raises:
        NotFoundError: there is no such decision.
        DependentDecisionError: later decisions rest on it, and ``cascade`` is not set; it names them.
    """
    decision = context.store.decision(namespace, decision_id)
    later = [
        d
        for d in context.store.later_decisions(namespace, decision_id)
        if d.key != decision.key and d.loser in (decision.winner, decision.loser)
    ]
    if later and not cascade:
        listed = ", ".join(f"{d.id} ({d.rule})" for d in later)
        raise DependentDecisionError(
            f"{decision_id} cannot be undone alone: {listed} came later and rest on it; undo together?",
            dependents=tuple(d.id for d in later),
        )
    return _commit(
        namespace, [_undoing(namespace, d, reviewer, context) for d in (decision, *later)], context
    )


def _undoing(namespace: str, decision: Decision, reviewer: str, context: Context) -> Ruling:
    facts = context.store.facts(namespace, (decision.a, decision.b))
    ruling = _ruling(facts[decision.a], facts[decision.b], RulingKind.UNDO, reviewer, context)
    return replace(ruling, decision=decision.id)


def _still_as_seen(item: ReviewItem, a: Fact, b: Fact, seen: tuple[str, str]) -> None:
    for fact, digest_seen in ((a, seen[0]), (b, seen[1])):
        if fact.digest != digest_seen:
            raise StaleRulingError(f"{item.id}: {fact.id} changed since it was shown; look at the pair again")


def _ruling(a: Fact, b: Fact, kind: RulingKind, reviewer: str, context: Context) -> Ruling:
    at = context.clock()
    return Ruling(
        id="rul_" + digest(a.id, b.id, kind, reviewer, iso(at)),
        namespace=a.namespace,
        a=a.id,
        b=b.id,
        kind=kind,
        reviewer=reviewer,
        at=at,
        digest_a=a.digest,
        digest_b=b.digest,
        policy=context.policy.digest,
    )


def _commit(namespace: str, rulings: Sequence[Ruling], context: Context) -> list[FactState]:
    with context.store.writing(namespace) as tx:
        for ruling in rulings:
            tx.ruled(ruling)
        touched = {fact_id for ruling in rulings for fact_id in ruling.key}
        return tx.apply(settle(tx.cluster(touched), context.policy))
