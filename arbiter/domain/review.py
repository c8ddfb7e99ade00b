"""Which questions go to people, and how urgent they are."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from arbiter.domain.canonical import digest
from arbiter.domain.claims import Claim
from arbiter.domain.decide import AGAINST_THE_TIMES
from arbiter.domain.evidence import Judgement, Unjudged, Verdict
from arbiter.domain.facts import Fact
from arbiter.domain.outcomes import Decision, ReviewItem
from arbiter.domain.policy import Policy
from arbiter.domain.vocabulary import Action, Mutability, Relation, Stakes

_URGENCY = {
    "cycle": 60,
    "conflict": 50,
    "guard": 40,
    "unsure": 40,
    "unjudged": 30,
    "stale_risk": 20,
    "proposal": 20,
}
KINDS = tuple(_URGENCY)
"""Every kind of question."""
_KIND_BY_ACTION = {Action.HOLD: "unjudged", Action.MERGE_PROPOSAL: "proposal"}
_HIGH_STAKES = 100
_REACH_LIMIT = 20
_QUESTIONS = {
    "cycle": "These statements replace one another in a circle. Which one holds?",
    "conflict": "These cannot both be true. Which one holds?",
    "guard": "A judge calls these the same, yet they differ. Are they the same?",
    "unsure": "The judge is not sure enough to act. How do these relate?",
    "unjudged": "No judge could tell. How do these relate?",
    "stale_risk": "The later statement may make the earlier one doubtful. Does the earlier one still hold?",
    "proposal": "A merged text is proposed. Should it stand for both?",
}
_GUARDED_CHANGE = "A judge takes one for an update of the other, yet a check objects. How do these relate?"


def review_item(
    decision: Decision,
    judgement: Judgement,
    facts: Mapping[str, Fact],
    claims: Mapping[str, Claim],
    *,
    cyclic: bool,
) -> ReviewItem:
    """Return the question that a decision leaves to a person.

    Its priority is the sum of ``urgency``; age is no part of it, since it grows by itself.
    """
    a, b = facts[decision.a], facts[decision.b]
    kind = "cycle" if cyclic else _kind(decision, judgement)
    guarded_change = kind == "guard" and decision.relation is Relation.UPDATE
    # What nobody could judge connects nothing, so what else says the same as its sides may not be at hand.
    apart = isinstance(judgement, Unjudged)
    told = [s.id for i in decision.key for s in (facts[i] if apart else claims[i]).sightings]
    return ReviewItem(
        a=a.id,
        b=b.id,
        kind=kind,
        rule=decision.rule,
        question=_GUARDED_CHANGE if guarded_change else _QUESTIONS[kind],
        priority=sum(urgency(kind, decision.stakes, len(told))),
        digest_a=a.digest,
        digest_b=b.digest,
        relation=decision.relation,
        stakes=decision.stakes,
        proposal=judgement.merged_text if isinstance(judgement, Verdict) else None,
        reach=len(told),
        evidence=digest(*sorted(told), *_found(judgement)),
    )


def urgency(kind: str, stakes: Stakes, reach: int) -> tuple[int, int, int]:
    """Return how pressing a question is: 100 for high stakes, points for its kind, and its reach up to 20."""
    return (
        _HIGH_STAKES if stakes is Stakes.HIGH else 0,
        _URGENCY[kind],
        min(reach, _REACH_LIMIT),
    )


def lasts_by_repetition(fact: Fact) -> bool:
    """Does the fact fade when nobody repeats it? A birthplace or a past event does not."""
    return fact.mutability not in (Mutability.IMMUTABLE, Mutability.EVENT)


def silent_sources(fact: Fact, deliveries: Mapping[str, datetime], policy: Policy) -> tuple[str, ...]:
    """Return the sources that stopped saying a fact though they still speak.

    ``deliveries`` maps each source to the latest observation it brought about anything; a source is
    silent on the fact when it was last heard on it longer ago than that by the policy's time.
    """
    latest: dict[str, datetime] = {}
    for sighting in fact.sightings:
        known = latest.get(sighting.source.id, sighting.last_seen)
        latest[sighting.source.id] = max(known, sighting.last_seen)
    return tuple(
        sorted(
            source_id
            for source_id, seen in latest.items()
            if deliveries.get(source_id, seen) - seen > policy.unseen_after
        )
    )


def _found(judgement: Judgement) -> tuple[str | None, ...]:
    """Write what a judge found, without its prose: asked again, it may say the same in other words."""
    guards = [digest(guard.guard, guard.a, guard.b) for guard in judgement.guards]
    if isinstance(judgement, Unjudged):
        return (judgement.judge, judgement.code, *guards)
    return (
        judgement.judge,
        judgement.relation,
        repr(judgement.confidence),
        judgement.current,
        judgement.update_kind,
        judgement.stale_risk,
        judgement.mutability,
        judgement.stakes,
        judgement.merged_text,
        *guards,
    )


def _kind(decision: Decision, judgement: Judgement) -> str:
    """Return why it is asked. Only what a judge is sure of is told as a conflict."""
    if decision.action in _KIND_BY_ACTION:
        return _KIND_BY_ACTION[decision.action]
    if decision.asks and decision.relation is Relation.COMPLEMENTARY:
        return "stale_risk"
    scores = decision.scores
    if scores.get("verdict_confidence", 1.0) < scores.get("threshold", 0.0) or AGAINST_THE_TIMES in scores:
        return "unsure"
    objected = isinstance(judgement, Verdict) and bool(judgement.guards)
    if decision.relation is Relation.DUPLICATE or (decision.relation is Relation.UPDATE and objected):
        return "guard"
    return "conflict" if decision.relation in (Relation.CONTRADICTION, Relation.UPDATE) else "unsure"
