"""Stage 4: the relation of each pair, by the judges, checked by the guards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from arbiter.domain.canonical import fingerprint
from arbiter.domain.evidence import (
    GuardFinding,
    JudgedPair,
    Judgement,
    RecordPair,
    Side,
    Spend,
    Unjudged,
    Verdict,
)
from arbiter.domain.facts import Fact, Record
from arbiter.domain.naming import differ
from arbiter.domain.vocabulary import Relation
from arbiter.pipeline.context import Context

_RETIRING = (Relation.DUPLICATE, Relation.UPDATE)


def oriented(a: Record, b: Record) -> bool:
    """Does ``a`` come first: earlier by time, then by fingerprint?"""
    return (a.observed_at, fingerprint(a.content)) <= (b.observed_at, fingerprint(b.content))


def judge_facts(pairs: Sequence[tuple[Fact, Fact]], context: Context) -> tuple[list[JudgedPair], Spend]:
    """Judge pairs of stored facts of one namespace, in the order given.

    A pair that has a verdict is not judged again; one that nobody could judge is.
    """
    sides = [
        (a, b) if (a.first_seen, a.fingerprint) <= (b.first_seen, b.fingerprint) else (b, a) for a, b in pairs
    ]
    keys = [(a.id, b.id) if a.id < b.id else (b.id, a.id) for a, b in pairs]
    known = context.store.verdicts(pairs[0][0].namespace, keys) if pairs else {}
    cached = {
        key: replace(found, judgement=replace(found.judgement, cached=True))
        for key, found in known.items()
        if isinstance(found.judgement, Verdict)
    }
    asked = [place for place, key in enumerate(keys) if key not in cached]
    judgements, spend = judge_records(
        [RecordPair(sides[place][0].as_record(), sides[place][1].as_record()) for place in asked], context
    )
    fresh = {
        keys[place]: JudgedPair(sides[place][0].id, sides[place][1].id, judgement)
        for place, judgement in zip(asked, judgements, strict=True)
    }
    return [cached.get(key) or fresh[key] for key in keys], spend


def judge_records(pairs: Sequence[RecordPair], context: Context) -> tuple[list[Judgement], Spend]:
    """Judge oriented pairs of records and attach what the guards find."""
    if not pairs:
        return [], Spend()
    judgements, spend = context.judge.judge(pairs)
    try:
        return [_guarded(p, j, context) for p, j in zip(pairs, judgements, strict=True)], spend
    finally:
        context.guard.forget()


def flipped(judgement: Judgement) -> Judgement:
    """Return the judgement for the pair with its sides exchanged."""
    if isinstance(judgement, Unjudged):
        return judgement
    other: dict[Side, Side] = {"a": "b", "b": "a"}
    return replace(
        judgement,
        current=other[judgement.current] if judgement.current else None,
        stale_risk=other[judgement.stale_risk] if judgement.stale_risk else None,
        guards=tuple(GuardFinding(g.guard, g.b, g.a) for g in judgement.guards),
    )


def _guarded(pair: RecordPair, judgement: Judgement, context: Context) -> Judgement:
    """Attach the differences that forbid a merge; for a change, only that the subjects differ.

    An update is expected to differ in its words; it must not differ in what it is about.
    """
    if isinstance(judgement, Unjudged):
        return judgement
    judgement = _honest_proposal(pair, judgement, context)
    if judgement.relation not in _RETIRING:
        return judgement
    findings = _different_subjects(pair, context)
    if judgement.relation is Relation.DUPLICATE:
        findings += context.guard.compare(pair.a, pair.b)
    return replace(judgement, guards=findings)


def _honest_proposal(pair: RecordPair, verdict: Verdict, context: Context) -> Verdict:
    """Drop a proposed wording that names what neither record names; the verdict itself stands."""
    if verdict.merged_text is None or not context.guard.invented(verdict.merged_text, pair.a, pair.b):
        return verdict
    return replace(verdict, merged_text=None)


def _different_subjects(pair: RecordPair, context: Context) -> tuple[GuardFinding, ...]:
    """Find two named subjects that cannot be one: neither's words are all among the other's."""
    if not pair.a.subject or not pair.b.subject:
        return ()
    a, b = (context.claim_keys.canonical_name(name) for name in (pair.a.subject, pair.b.subject))
    return (GuardFinding("subject", a, b),) if differ(a, b) else ()
