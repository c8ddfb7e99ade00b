"""Between the commits: what are the new facts near to, and how are they related? Nothing is written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from arbiter.domain.evidence import Candidate, JudgedPair, Spend
from arbiter.pipeline.context import Context
from arbiter.pipeline.judge import judge_facts
from arbiter.pipeline.prepare import Embedded
from arbiter.pipeline.retrieve import retrieve
from arbiter.pipeline.screen import screen


@dataclass(frozen=True, slots=True)
class Findings:
    """What was found for facts: their candidates, the dropped ones too, and the judged pairs."""

    investigated: tuple[str, ...] = ()
    candidates: Mapping[str, tuple[Candidate, ...]] = field(default_factory=dict)
    pairs: tuple[JudgedPair, ...] = ()
    spend: Spend = Spend()

    @property
    def facts(self) -> frozenset[str]:
        """Every fact that something was found about: the investigated ones and the sides of the pairs."""
        return frozenset(self.investigated).union(*(pair.key for pair in self.pairs))


def investigate(namespace: str, embedded: Embedded, context: Context) -> Findings:
    """Find and judge the candidates of facts that are in the log."""
    if not embedded.ids:
        return Findings()
    by_id = context.store.facts(namespace, embedded.ids)
    rows = [row for row, fact_id in enumerate(embedded.ids) if fact_id in by_id]
    facts = [by_id[embedded.ids[row]] for row in rows]
    subjects = {fact.id: context.claim_keys.canonical_name(fact.subject) for fact in facts if fact.subject}
    candidates = {
        fact_id: tuple(screen(found, context.limits))
        for fact_id, found in retrieve(facts, subjects, embedded.vectors[rows], context).items()
    }
    wanted = sorted(
        {
            (min(fact_id, candidate.fact_id), max(fact_id, candidate.fact_id))
            for fact_id, found in candidates.items()
            for candidate in found
            if candidate.dropped_by is None
        }
    )
    known = by_id | context.store.facts(namespace, {i for pair in wanted for i in pair} - by_id.keys())
    pairs, spend = judge_facts(
        [(known[a], known[b]) for a, b in wanted if not (known[a].erased or known[b].erased)], context
    )
    return Findings(tuple(fact.id for fact in facts), candidates, tuple(pairs), spend)
