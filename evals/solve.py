"""Labelled pairs put before a judge, and before the policy as two stored facts."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from arbiter.domain.evidence import JudgedPair, Judgement, RecordPair, Side, Unjudged, Verdict
from arbiter.domain.facts import EventKeyPolicy, fact_of, sighting_of
from arbiter.domain.settle import Cluster, settle
from arbiter.domain.vocabulary import Action, Relation
from arbiter.pipeline.judge import judge_records
from evals.cases import PairAnswer, PairCase, PairRun

if TYPE_CHECKING:
    from arbiter.domain.policy import Policy
    from arbiter.pipeline.context import Context
    from arbiter.ports import ClaimKeys, Judge

_SIDES: dict[str, Side] = {"a": "a", "b": "b"}


def solve_pairs(
    suite: str,
    cases: Sequence[PairCase],
    judge_name: str,
    judge: Judge,
    policy: Policy,
    context: Context | None = None,
) -> PairRun:
    """Ask a judge about every pair, and the policy what follows.

    The judge gets all pairs at once, as the suite has them; guards check its verdicts as they do in the
    pipeline. What is expected follows from the right labels by the same policy.

    Args:
        suite: name of the suite.
        cases: the pairs with their labels.
        judge_name: by what name the judge is reported.
        judge: who judges.
        policy: what decides.
        context: where guards and claim keys come from; by default those of the settings.
    """
    around = context or _default_context()
    begun = time.perf_counter()
    judgements, cost = judge_records([case.pair for case in cases], replace(around, judge=judge))
    seconds = time.perf_counter() - begun
    keys = around.claim_keys
    return PairRun(
        suite=suite,
        judge=judge_name,
        cases=tuple(decided(case, policy, keys) for case in cases),
        answers=tuple(
            _answer(case, judgement, policy, keys) for case, judgement in zip(cases, judgements, strict=True)
        ),
        cost=cost,
        seconds=seconds,
    )


def decided(case: PairCase, policy: Policy, claim_keys: ClaimKeys) -> PairCase:
    """Return the case with what the policy makes of its right label, given with confidence 1."""
    right = Verdict(
        relation=case.relation,
        confidence=1.0,
        judge="label",
        current=case.current,
        update_kind=case.update_kind,
        stale_risk=case.stale_risk,
        mutability=case.mutability,
        stakes=case.stakes,
    )
    action, loser = outcome(case.pair, right, policy, claim_keys)
    return replace(case, action=action, loser=loser)


def outcome(
    pair: RecordPair, judgement: Judgement, policy: Policy, claim_keys: ClaimKeys
) -> tuple[Action, Side | None]:
    """Return what the policy does with two facts of which nothing else is known, and which one retires."""
    # Two records that say the same would have one id; here they are two facts, whatever they say.
    facts = {
        side: replace(
            fact_of([sighting_of(claim_keys.complete(record), EventKeyPolicy.AUTO)]),
            id=side,
        )
        for side, record in (("a", pair.a), ("b", pair.b))
    }
    (decision,) = settle(Cluster(facts, (JudgedPair("a", "b", judgement),)), policy).decisions
    return decision.action, _SIDES[decision.loser] if decision.loser else None


def _answer(case: PairCase, judgement: Judgement, policy: Policy, claim_keys: ClaimKeys) -> PairAnswer:
    action, loser = outcome(case.pair, judgement, policy, claim_keys)
    if isinstance(judgement, Unjudged):
        return PairAnswer(
            case_id=case.id,
            relation=None,
            confidence=0.0,
            judge=judgement.judge,
            action=action,
            loser=loser,
            unjudged=judgement.code,
            message=judgement.message,
        )
    return PairAnswer(
        case_id=case.id,
        relation=judgement.relation,
        confidence=judgement.confidence,
        judge=judgement.judge,
        action=action,
        loser=loser,
        current=judgement.current,
        update_kind=judgement.update_kind,
        probabilities={Relation(name): share for name, share in judgement.probabilities.items()},
    )


def _default_context() -> Context:
    from arbiter.settings import Settings
    from evals.stack import Stack

    return Stack.open(Settings()).context
