"""What people decide: answers to review items, and taking decisions and rulings back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import timedelta

from arbiter.domain.canonical import digest
from arbiter.domain.facts import Fact, iso
from arbiter.domain.outcomes import Decision, FactState, ReviewItem, Ruling
from arbiter.domain.review_answer import Answer, Ruled, check_name
from arbiter.domain.review_queue import Queued
from arbiter.domain.rulings import ASIDE, Key, in_effect
from arbiter.domain.settle import settle
from arbiter.domain.vocabulary import RulingKind
from arbiter.errors import DependentDecisionError, StaleRulingError
from arbiter.pipeline.context import Context
from arbiter.pipeline.merge import Wording, judge_against_others, prepare, write_down
from arbiter.pipeline.prepare import left_behind
from arbiter.pipeline.review_work import open_to, queued
from arbiter.ports import Writing

_TICK = timedelta(microseconds=1)


def answer(namespace: str, review_id: str, given: Answer, context: Context) -> Ruled:
    """Commit a person's answer to a review item as a ruling.

    Everything that speaks against it is looked at in the transaction that commits it, so of two answers
    at once one is refused. The same merge, or the same setting aside, by the same person again is the
    ruling that there is.

    Raises:
        RequestError: the answer is not complete, or its text names what neither side names.
        NotFoundError: there is no such item.
        ClaimedError: somebody else has the item in hand.
        StaleRulingError: the item is settled already, or one of the facts changed since it was seen.
    """
    given.check()
    wording = _wording(namespace, review_id, given, context)
    with context.store.writing(namespace) as tx:
        found = queued(namespace, review_id, context)
        cluster = tx.cluster(found.item.key)
        holding = holding_ruling(cluster.rulings, found.item.key)
        if holding is not None and _given_before(found, given, wording, holding):
            ruling, changed = holding, []
            # Whoever gave it may have died before the text was judged.
            unjudged = wording is not None and bool(left_behind(namespace, [wording.fact_id], context))
        else:
            ruling = ruling_of(found, given, cluster.facts, cluster.rulings, context)
            unjudged = False
            if wording is not None:
                unjudged = write_down(namespace, wording, context, tx)
                ruling = replace(ruling, merged=wording.fact_id, sighting=wording.sighting.id)
            tx.ruled(ruling)
            if found.work.claimed_by is not None:
                tx.works(replace(found.work, claimed_by=None, claimed_until=None))
            changed = tx.apply(settle(tx.cluster(ruling.facts), context.policy))
    if wording is None or not unjudged:
        return Ruled(ruling, tuple(changed))
    more, spend = judge_against_others(namespace, wording, context)
    newest = {state.fact_id: state for state in (*changed, *more)}
    return Ruled(ruling, tuple(newest[fact_id] for fact_id in sorted(newest)), spend)


def _given_before(found: Queued, given: Answer, wording: Wording | None, holding: Ruling) -> bool:
    if wording is not None:
        return wording.made_by(holding)
    return set_aside_before(found, given, holding)


def set_aside_before(found: Queued, given: Answer, holding: Ruling) -> bool:
    """Did the same person set the question aside already, for the same reason and on the same evidence?"""
    item, seen = found.item, given.seen
    now = (given.kind, given.reviewer, given.reason, item.evidence)
    before = (holding.kind, holding.reviewer, holding.reason, holding.evidence)
    return given.kind in ASIDE and now == before and seen in (None, (item.digest_a, item.digest_b))


def ruling_of(
    found: Queued, given: Answer, facts: Mapping[str, Fact], earlier: Iterable[Ruling], context: Context
) -> Ruling:
    """Return an answer as a ruling made now on both facts as they are, later than those on their cluster.

    Raises:
        ClaimedError: somebody else has the item in hand.
        StaleRulingError: the item is settled already, or one of the facts changed since it was seen.
    """
    item = found.item
    open_to(given.reviewer, found, context.clock())
    _still_as_seen(item, facts, given.seen or (item.digest_a, item.digest_b))
    return replace(
        _ruling(facts[item.a], facts[item.b], given.kind, given.reviewer, earlier, context),
        relabel=given.relabel,
        reason=given.reason,
        evidence=item.evidence if given.kind in ASIDE else None,
    )


def undo(
    namespace: str, decision_id: str, reviewer: str, context: Context, *, cascade: bool = False
) -> list[FactState]:
    """Take a decision back and return the states that changed: none where that is done already.

    A later decision rests on it if it retired the winner, so that the chain went on from there, or the
    loser once more, so that taking this one back alone would change nothing. With ``cascade`` those are
    taken back together with it.

    Raises:
        NotFoundError: there is no such decision.
        DependentDecisionError: later decisions rest on it, and ``cascade`` is not set; it names them.
    """
    check_name(reviewer, "reviewer")
    with context.store.writing(namespace) as tx:
        decision = context.store.decision(namespace, decision_id)
        holding = holding_ruling(tx.cluster(decision.key).rulings, decision.key)
        if holding is not None and (holding.kind, holding.decision) == (RulingKind.UNDO, decision.id):
            return []
        later = _resting_on([decision], decision_id, context, namespace, cascade=cascade)
        touched = _take_back([decision, *later], namespace, reviewer, context, tx)
        return tx.apply(settle(tx.cluster(touched), context.policy))


def retract(
    namespace: str, ruling_id: str, reviewer: str, context: Context, *, cascade: bool = False
) -> Ruled:
    """Take a ruling back, as if it had never been made: the question is asked again if it is still one.

    Raises:
        NotFoundError: there is no such ruling.
        StaleRulingError: it is taken back already, or there is a later ruling on the pair.
        DependentDecisionError: later decisions rest on it, and ``cascade`` is not set; it names them.
    """
    check_name(reviewer, "reviewer")
    with context.store.writing(namespace) as tx:
        ruling = context.store.ruling(namespace, ruling_id)
        earlier = tx.cluster(ruling.key).rulings
        if holding_ruling(earlier, ruling.key) != ruling:
            raise StaleRulingError(f"{ruling_id} does not hold any more: it was taken back, or ruled over")
        made = [
            decision
            for decision in context.store.decisions(namespace, ruling.key)
            if decision.key == ruling.key and decision.retires and ruling.kind not in ASIDE
        ]
        later = _resting_on(made, ruling_id, context, namespace, cascade=cascade)
        facts = context.store.facts(namespace, ruling.key)
        taking = _ruling(facts[ruling.a], facts[ruling.b], RulingKind.RETRACT, reviewer, earlier, context)
        taking = replace(taking, retracts=ruling.id)
        tx.ruled(taking)
        touched = ruling.facts | _take_back(later, namespace, reviewer, context, tx)
        changed = tx.apply(settle(tx.cluster(touched), context.policy))
    return Ruled(taking, tuple(changed))


def _wording(namespace: str, review_id: str, given: Answer, context: Context) -> Wording | None:
    """Return the text of a merge, made ready before the transaction opens."""
    if given.text is None:
        return None
    found = queued(namespace, review_id, context)
    item = found.item
    holding = holding_ruling(context.store.rulings_on(namespace, [item.key]), item.key)
    if holding is None or holding.kind is not RulingKind.MERGE:
        open_to(given.reviewer, found, context.clock())
    facts = context.store.facts(namespace, item.key)
    return prepare(item.id, facts[item.a], facts[item.b], given, context)


def holding_ruling(rulings: Iterable[Ruling], key: Key) -> Ruling | None:
    """Return the newest of the rulings on a pair that nobody took back."""
    return next((ruling for ruling in reversed(in_effect(rulings)) if ruling.key == key), None)


def _still_as_seen(item: ReviewItem, facts: Mapping[str, Fact], seen: tuple[str, str]) -> None:
    for fact_id, digest_seen in zip((item.a, item.b), seen, strict=True):
        if facts[fact_id].digest != digest_seen:
            raise StaleRulingError(f"{item.id}: {fact_id} changed since it was shown; look at the pair again")


def _resting_on(
    decisions: Iterable[Decision], taken_back: str, context: Context, namespace: str, *, cascade: bool
) -> list[Decision]:
    """Return the later decisions that rest on some, each once.

    Raises:
        DependentDecisionError: there are any, and they are not to be taken back together.
    """
    later = {
        d.id: d
        for decision in decisions
        for d in context.store.later_decisions(namespace, decision.id)
        if d.key != decision.key and d.loser in (decision.winner, decision.loser)
    }
    if later and not cascade:
        listed = ", ".join(f"{d.id} ({d.rule})" for d in later.values())
        raise DependentDecisionError(
            f"{taken_back} cannot be undone alone: {listed} came later and rest on it; undo together?",
            dependents=tuple(later),
        )
    return list(later.values())


def _take_back(
    decisions: Iterable[Decision], namespace: str, reviewer: str, context: Context, tx: Writing
) -> frozenset[str]:
    """Append a ruling that takes back each decision, and return the facts that they are about."""
    touched: set[str] = set()
    for decision in decisions:
        facts = context.store.facts(namespace, decision.key)
        earlier = tx.cluster(decision.key).rulings
        ruling = _ruling(facts[decision.a], facts[decision.b], RulingKind.UNDO, reviewer, earlier, context)
        tx.ruled(replace(ruling, decision=decision.id))
        touched.update(decision.key)
    return frozenset(touched)


def _ruling(
    a: Fact, b: Fact, kind: RulingKind, reviewer: str, earlier: Iterable[Ruling], context: Context
) -> Ruling:
    """Return a ruling made now, later than those that it may rest on whatever the clock says."""
    at = max([context.clock(), *(ruling.at + _TICK for ruling in earlier)])
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
