"""The second commit: judgements join the log, and the states of everything connected follow from it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from arbiter.domain.outcomes import FactState, Receipt
from arbiter.domain.settle import Settlement, settle
from arbiter.domain.vocabulary import Action, Outcome, State
from arbiter.pipeline.arrive import Arrived
from arbiter.pipeline.context import Context
from arbiter.pipeline.investigate import Findings
from arbiter.pipeline.prepare import left_behind
from arbiter.pipeline.receipts import Around, receipts_for
from arbiter.pipeline.standing import waiting_for_judges

NOTHING = Settlement(states={}, decisions=(), reviews=())


def conclude(namespace: str, arrived: Arrived, findings: Findings, context: Context) -> list[Receipt]:
    """Commit what was found, settle, and answer for every record of the batch."""
    store = context.store
    fact_ids = {draft.sighting.fact_id for draft in arrived.drafts}
    touched = arrived.sighted | findings.facts | _bound(namespace, arrived.moved, context)
    if not touched:
        unmoved = store.states(namespace, fact_ids)
        waiting = _waiting(namespace, fact_ids, unmoved, context)
        return receipts_for(arrived, findings, NOTHING, Around(unmoved, unmoved, {}, waiting))
    with store.writing(namespace) as tx:
        before = store.states(namespace, fact_ids)
        # Of several that finish what somebody left behind, one answers as if it had brought it.
        finished = left_behind(namespace, arrived.left, context)
        tx.judged(findings.pairs)
        tx.finish(findings.investigated)
        cluster = tx.cluster(touched)
        settlement = settle(cluster, context.policy)
        tx.apply(settlement)
        states = before | dict(settlement.states)
        waiting = _waiting(namespace, fact_ids, states, context)
        around = Around(before, states, cluster.facts, waiting, finished)
        receipts = receipts_for(arrived, findings, settlement, around)
        tx.receipts([receipt for receipt in receipts if receipt.outcome is not Outcome.UNCHANGED])
    return receipts


def _waiting(
    namespace: str, fact_ids: Iterable[str], states: Mapping[str, FactState], context: Context
) -> frozenset[str]:
    """Return the pending facts among these that a judge may still settle."""
    pending = {
        fact_id for fact_id in fact_ids if fact_id not in states or states[fact_id].state is State.PENDING
    }
    return waiting_for_judges(namespace, pending, context) if pending else frozenset()


def _bound(namespace: str, moved: frozenset[str], context: Context) -> set[str]:
    """Return the facts among these whose time of sighting can matter to another fact."""
    if not moved:
        return set()
    return {
        fact_id
        for decision in context.store.decisions(namespace, moved)
        if decision.action is not Action.KEEP_BOTH
        for fact_id in (decision.a, decision.b)
        if fact_id in moved
    }
