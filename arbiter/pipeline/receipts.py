"""Receipts: what the caller is told about each record of a concluded batch."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from arbiter.domain.evidence import Candidate, JudgedPair, Spend, Unjudged
from arbiter.domain.facts import Fact
from arbiter.domain.outcomes import Decision, FactState, FoundRelation, Reason, Receipt
from arbiter.domain.settle import Settlement
from arbiter.domain.vocabulary import Action, Outcome, State, StateReason
from arbiter.pipeline.arrive import Arrived
from arbiter.pipeline.exact import Draft
from arbiter.pipeline.investigate import Findings

_SEEN_BEFORE = Reason("seen_before", "this source said this before; counted, nothing new")
_ERASED = Reason("erased", "the text of this fact was erased; it is not kept again")
_NOT_JUDGED = Reason("not_judged", "a pair could not be judged; the record is kept and waits")
_NOT_EMBEDDED = Reason("embedding_failed", "the text could not be embedded yet; the record is kept and waits")
_FREE = Spend()
_RETIRING = (Action.SUPERSEDE, Action.TOMBSTONE)


@dataclass(frozen=True, slots=True)
class _About:
    """What a batch found about one fact."""

    relations: tuple[FoundRelation, ...] = ()
    decisions: tuple[Decision, ...] = ()
    reviews: tuple[str, ...] = ()
    supersedes: tuple[str, ...] = ()
    retryable: bool = False


_NOTHING = _About()


@dataclass(frozen=True, slots=True)
class Around:
    """The states of the batch's facts before and after its conclusion, and the facts that were settled.

    ``waiting`` are the facts that a judge may still settle; ``finished`` those that whoever brought them had
    left unfinished, until now.
    """

    before: Mapping[str, FactState]
    after: Mapping[str, FactState]
    facts: Mapping[str, Fact]
    waiting: frozenset[str] = frozenset()
    finished: frozenset[str] = frozenset()


def receipts_for(
    arrived: Arrived, findings: Findings, settlement: Settlement, around: Around
) -> list[Receipt]:
    """Return one receipt for each draft."""
    about = _about(findings.pairs, settlement)
    costs = _costs(findings, arrived)
    answered: set[str] = set()
    brought_back: set[str] = set()
    states = around.after
    judged = set(findings.investigated)
    brought = ((judged | arrived.fresh.failed) - arrived.left) | (judged & around.finished)
    receipts = []
    for draft in arrived.drafts:
        fact_id, sighting_id = draft.sighting.fact_id, draft.sighting.id
        is_new = sighting_id in arrived.new and sighting_id not in answered
        is_first = fact_id not in answered
        is_fact = is_first and fact_id in brought
        answered |= {sighting_id, fact_id}
        told = about.get(fact_id, _NOTHING)
        state = states.get(fact_id)
        revived = _revived(around.before.get(fact_id), state) or (
            not is_new and fact_id not in brought_back and _says_again(draft, told.decisions, around)
        )
        if revived:
            brought_back.add(fact_id)
        receipts.append(
            _receipt(
                draft,
                outcome=_outcome(state, is_fact=is_fact, is_new=is_new, revived=revived),
                state=state,
                about=told if is_new or is_fact or revived else _NOTHING,
                candidates=findings.candidates.get(fact_id, ()) if is_fact else (),
                cost=costs.get(fact_id, _FREE) if is_first else _FREE,
                unembedded=fact_id in arrived.fresh.failed,
                waits=fact_id in around.waiting,
            )
        )
    return receipts


def deferred(draft: Draft, reason: Reason) -> Receipt:
    """Return the receipt of a record that the caller must make clear first; nothing was stored."""
    return Receipt(
        record_index=draft.record_index,
        namespace=draft.record.namespace,
        outcome=Outcome.DEFERRED,
        stored=False,
        event_key=draft.sighting.event_key,
        reason=reason,
    )


def refused(index: int, namespace: str, reason: Reason) -> Receipt:
    """Return the receipt of a record that is not valid; nothing was stored."""
    return Receipt(
        record_index=index, namespace=namespace, outcome=Outcome.REFUSED, stored=False, reason=reason
    )


def _outcome(state: FactState | None, *, is_fact: bool, is_new: bool, revived: bool) -> Outcome:
    if state is not None and state.reason is StateReason.ERASED:
        return Outcome.UNCHANGED
    if is_fact:
        if state is None or state.state is State.PENDING:
            return Outcome.HELD
        return Outcome.MERGED if state.reason is StateReason.DUPLICATE else Outcome.STORED
    if revived:
        return Outcome.STORED
    return Outcome.MERGED if is_new else Outcome.UNCHANGED


def _revived(before: FactState | None, after: FactState | None) -> bool:
    return (
        before is not None
        and after is not None
        and before.state in (State.SUPERSEDED, State.TOMBSTONED)
        and after.state is State.ACTIVE
    )


def _says_again(draft: Draft, decisions: Sequence[Decision], around: Around) -> bool:
    """Does a second reading within one batch make current what something in between had replaced?"""
    fact_id = draft.sighting.fact_id
    if not decisions or fact_id in around.before or fact_id not in around.facts:
        return False
    return any(
        around.facts[fact_id].first_seen < around.facts[d.loser].first_seen <= draft.record.observed_at
        for d in decisions
        if d.winner == fact_id and d.action in _RETIRING and d.loser is not None and d.loser in around.facts
    )


def _receipt(
    draft: Draft,
    *,
    outcome: Outcome,
    state: FactState | None,
    about: _About,
    candidates: tuple[Candidate, ...],
    cost: Spend,
    unembedded: bool,
    waits: bool,
) -> Receipt:
    fact_id = draft.sighting.fact_id
    why = state.reason if state is not None else None
    reason = None
    if outcome is Outcome.UNCHANGED:
        reason = _ERASED if why is StateReason.ERASED else _SEEN_BEFORE
    elif outcome is Outcome.HELD:
        reason = _NOT_EMBEDDED if unembedded else _NOT_JUDGED
    duplicate_of = None
    if outcome in (Outcome.MERGED, Outcome.UNCHANGED):
        duplicate_of = state.successor if state and why is StateReason.DUPLICATE else fact_id
    return Receipt(
        record_index=draft.record_index,
        namespace=draft.record.namespace,
        outcome=outcome,
        stored=outcome is not Outcome.UNCHANGED,
        fact_id=fact_id,
        event_key=draft.sighting.event_key,
        state=state.state if state else State.PENDING,
        contested=state.contested if state else False,
        retryable=about.retryable or unembedded or waits,
        reason=reason,
        relations=about.relations,
        decisions=about.decisions,
        review=about.reviews,
        candidates=candidates,
        cost=cost,
        duplicate_of=duplicate_of,
        supersedes=about.supersedes,
    )


def _about(pairs: Iterable[JudgedPair], settlement: Settlement) -> dict[str, _About]:
    relations: defaultdict[str, list[FoundRelation]] = defaultdict(list)
    decisions: defaultdict[str, list[Decision]] = defaultdict(list)
    reviews: defaultdict[str, set[str]] = defaultdict(set)
    retryable: set[str] = set()
    for pair in pairs:
        relations[pair.a].append(FoundRelation(pair.b, "b", pair.judgement))
        relations[pair.b].append(FoundRelation(pair.a, "a", pair.judgement))
        if isinstance(pair.judgement, Unjudged) and pair.judgement.retryable:
            retryable.update(pair.key)
    for decision in settlement.decisions:
        for fact_id in (decision.a, decision.b):
            decisions[fact_id].append(decision)
    for review in settlement.reviews:
        for fact_id in (review.a, review.b):
            reviews[fact_id].add(review.id)
    return {
        fact_id: _About(
            relations=tuple(relations[fact_id]),
            decisions=tuple(decisions[fact_id]),
            reviews=tuple(sorted(reviews[fact_id])),
            supersedes=tuple(sorted(_retired_by(fact_id, decisions[fact_id]))),
            retryable=fact_id in retryable,
        )
        for fact_id in relations.keys() | decisions.keys() | reviews.keys()
    }


def _retired_by(fact_id: str, decisions: Iterable[Decision]) -> Iterator[str]:
    for decision in decisions:
        if decision.winner == fact_id and decision.loser and decision.action in _RETIRING:
            yield decision.loser


def _costs(findings: Findings, arrived: Arrived) -> dict[str, Spend]:
    """Share the cost of the batch among its new facts by the pairs asked for them, adding up exactly.

    Of two new facts the one that came later pays; a known one that was only read again never does.
    """
    new = set(findings.investigated)
    drafts = reversed(arrived.drafts)
    order = {d.sighting.fact_id: d.place for d in drafts if d.sighting.fact_id in new}
    asked: dict[str, int] = {}
    for pair in findings.pairs:
        if isinstance(pair.judgement, Unjudged) or not pair.judgement.cached:
            owner = max((pair.a, pair.b), key=lambda fact_id: order.get(fact_id, -1))
            asked[owner] = asked.get(owner, 0) + 1
    return dict(zip(asked, findings.spend.shared(list(asked.values())), strict=True))
