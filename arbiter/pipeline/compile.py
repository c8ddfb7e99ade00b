"""Deriving states again: after a crash, a change of policy, or just to see that nothing changes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from arbiter.domain.evidence import JudgedPair, Spend, Unjudged
from arbiter.domain.outcomes import Decision, FactState
from arbiter.domain.policy import Policy
from arbiter.domain.settle import Cluster, settle
from arbiter.pipeline.arrive import embed_stored
from arbiter.pipeline.batches import batches
from arbiter.pipeline.context import Context
from arbiter.pipeline.investigate import Findings, investigate
from arbiter.pipeline.judge import judge_facts
from arbiter.ports import Writing

_BATCH = 500


@dataclass(frozen=True, slots=True)
class Compiled:
    """What a compile did.

    ``created`` counts decisions that were not in force before, ``changed`` states that are others now,
    ``resumed`` facts whose judging had been interrupted, ``retried`` pairs that had found no judge and were
    asked again, ``held`` pairs that found none this time.
    """

    created: int = 0
    changed: int = 0
    resumed: int = 0
    retried: int = 0
    held: int = 0
    spend: Spend = Spend()

    def __add__(self, other: Compiled) -> Compiled:
        return Compiled(
            self.created + other.created,
            self.changed + other.changed,
            self.resumed + other.resumed,
            self.retried + other.retried,
            self.held + other.held,
            self.spend + other.spend,
        )


@dataclass(frozen=True, slots=True)
class Flip:
    """What another policy would change about one fact."""

    namespace: str
    fact_id: str
    content: str
    before: FactState
    after: FactState
    decisions: tuple[Decision, ...]


def compile_namespace(namespace: str, context: Context) -> Compiled:
    """Finish what was interrupted, ask again what no judge could tell, and derive every state anew.

    Where judges left a pair to others, or failed for good, those that there are now are asked.
    """
    unfinished = context.store.unfinished(namespace)
    missing = context.store.unembedded(namespace, context.embedder.model_id)
    done = finish_facts(namespace, dict.fromkeys([*unfinished, *missing]), context)
    done += ask_again(namespace, context.store.retryable(namespace), context)
    done += _ask_others(namespace, context)
    for tx, cluster in _clusters(namespace, context):
        done += _settle(namespace, tx, cluster, context)
    return done


def finish_facts(namespace: str, fact_ids: Iterable[str], context: Context) -> Compiled:
    """Embed facts that have no vector of the model in use, and find and judge what they are near to.

    Pairs that have a verdict are not judged again.
    """
    done = Compiled()
    for ids in batches(fact_ids, _BATCH):
        findings = investigate(namespace, embed_stored(namespace, ids, context), context)
        done += _commit(namespace, findings, context)
        done += Compiled(resumed=len(findings.investigated), held=_held(findings))
    return done


def ask_again(namespace: str, keys: Iterable[tuple[str, str]], context: Context) -> Compiled:
    """Put pairs of facts before the judges once more and settle what follows."""
    return _settle_answers(namespace, *_answers(namespace, keys, context), context)


def _ask_others(namespace: str, context: Context) -> Compiled:
    """Ask about pairs that judges left to others, or were in no position to judge.

    What is as it was before is not written again.
    """
    done = Compiled()
    for keys in batches(context.store.unjudged(namespace), _BATCH):
        known = context.store.verdicts(namespace, keys)
        left = {key: code for key, pair in known.items() if (code := _given_up(pair)) is not None}
        pairs, spend = _answers(namespace, left, context)
        fresh = [pair for pair in pairs if _given_up(pair) != left[pair.key]]
        done += _settle_answers(namespace, fresh, spend, context)
    return done


def _given_up(pair: JudgedPair) -> str | None:
    """Return why nobody will ask about a pair again by itself; None: somebody will, or it is judged."""
    found = pair.judgement
    return found.code if isinstance(found, Unjudged) and not found.retryable else None


def _answers(
    namespace: str, keys: Iterable[tuple[str, str]], context: Context
) -> tuple[list[JudgedPair], Spend]:
    wanted = list(keys)
    facts = context.store.facts(namespace, {fact_id for key in wanted for fact_id in key})
    asked = [(facts[a], facts[b]) for a, b in wanted if not (facts[a].erased or facts[b].erased)]
    return judge_facts(asked, context)


def _settle_answers(namespace: str, pairs: Sequence[JudgedPair], spend: Spend, context: Context) -> Compiled:
    findings = Findings(pairs=tuple(pairs), spend=spend)
    done = _commit(namespace, findings, context)
    return done + Compiled(retried=len(pairs), held=_held(findings))


def policy_diff(namespace: str, policy: Policy, context: Context) -> list[Flip]:
    """Return the facts whose state another policy would change; stored evidence only, no judge is asked."""
    flips: list[Flip] = []
    for _, cluster in _clusters(namespace, context):
        now, then = settle(cluster, context.policy), settle(cluster, policy)
        flips += [
            Flip(
                namespace,
                fact_id,
                cluster.facts[fact_id].content,
                now.states[fact_id],
                state,
                tuple(d for d in then.decisions if fact_id in (d.a, d.b)),
            )
            for fact_id, state in sorted(then.states.items())
            if _read(state) != _read(now.states[fact_id])
        ]
    return flips


def _clusters(namespace: str, context: Context) -> Iterator[tuple[Writing, Cluster]]:
    """Yield every fact of a namespace in some cluster, each in an open transaction of its own.

    Facts come with those that they have a decision with: harmless pairs connect nothing, so without their
    other sides they would be in no cluster at all.
    """
    seen: set[str] = set()
    for chunk in batches(context.store.fact_ids(namespace), _BATCH):
        ids = {fact_id for fact_id in chunk if fact_id not in seen}
        if ids:
            with context.store.writing(namespace) as tx:
                for decision in context.store.decisions(namespace, ids):
                    ids |= {decision.a, decision.b}
                cluster = tx.cluster(ids)
                seen |= cluster.facts.keys()
                yield tx, cluster


def _read(state: FactState) -> tuple[object, ...]:
    return (state.state, state.reason, state.successor, state.contested)


def _held(findings: Findings) -> int:
    found = [pair.judgement for pair in findings.pairs]
    return sum(isinstance(judgement, Unjudged) and judgement.retryable for judgement in found)


def _commit(namespace: str, findings: Findings, context: Context) -> Compiled:
    if not findings.facts:
        return Compiled(spend=findings.spend)
    with context.store.writing(namespace) as tx:
        tx.judged(findings.pairs)
        tx.finish(findings.investigated)
        done = _settle(namespace, tx, tx.cluster(findings.facts), context)
    return done + Compiled(spend=findings.spend)


def _settle(namespace: str, tx: Writing, cluster: Cluster, context: Context) -> Compiled:
    """Derive a cluster's states, write what is new, and count it."""
    before = {decision.id for decision in context.store.decisions(namespace, cluster.facts)}
    settlement = settle(cluster, context.policy)
    changed = tx.apply(settlement)
    created = sum(decision.id not in before for decision in settlement.decisions)
    return Compiled(created=created, changed=len(changed))
