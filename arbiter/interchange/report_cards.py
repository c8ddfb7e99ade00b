"""How a pair is put on a page: both texts side by side, who said them, what followed and why."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from shlex import quote

from arbiter.domain.evidence import Judgement, Unjudged, Verdict
from arbiter.domain.facts import DEFAULT_NAMESPACE, Fact
from arbiter.domain.outcomes import Decision, ReviewItem
from arbiter.domain.vocabulary import Action, Stakes
from arbiter.interchange.word_marks import Run, word_marks

SHOWN_CHARS = 1_500
SHOWN_SOURCES = 3
JUDGES = {
    "exact": "same text",
    "keyed": "claim keys",
    "local": "local model",
    "llm": "language model",
    "human": "a person",
}
_LOST = {Action.SUPERSEDE: "superseded", Action.TOMBSTONE: "marked false", Action.REINFORCE: "merged"}
_OPEN = {Action.REVIEW: "contested", Action.MERGE_PROPOSAL: "contested", Action.KEEP_BOTH: "stays"}


@dataclass(frozen=True, slots=True)
class Case:
    """A pair with what was found and decided, and the question that it leaves, if any."""

    a: Fact
    b: Fact
    decision: Decision
    judgement: Judgement | None = None
    item: ReviewItem | None = None


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two texts. ``standing`` is a word: stays, superseded, merged, contested, waits."""

    fact_id: str
    runs: tuple[Run, ...]
    standing: str
    about: str
    sources: tuple[str, ...]
    more_sources: int
    first_seen: datetime
    last_seen: datetime
    seen_count: int


@dataclass(frozen=True, slots=True)
class Why:
    """What led to a decision: the rule, the judge and what it said; and the command that answers it."""

    rule: str
    explanation: str
    relation: str
    judge: str
    judge_id: str
    confidence: float | None
    reason: str
    guards: tuple[str, ...]
    scores: tuple[str, ...]
    command: str | None


@dataclass(frozen=True, slots=True)
class Card:
    """A pair as it is shown; ``question`` is None where nobody is asked."""

    id: str
    earlier: Side
    later: Side
    why: Why
    high_stakes: bool
    question: str | None
    kind: str
    priority: int


@dataclass(frozen=True, slots=True)
class Merge:
    """A fact that stays, and the other wordings that were merged into it, each with the reason."""

    kept: Side
    others: tuple[tuple[Side, Why], ...]


def card(case: Case) -> Card:
    """Return a case as it is shown."""
    runs_a, runs_b = word_marks(_shown(case.a), _shown(case.b))
    item = case.item
    return Card(
        id=f"pair-{case.decision.id}" if item is None else item.id,
        earlier=_side(case.a, runs_a, _standing(case, case.a)),
        later=_side(case.b, runs_b, _standing(case, case.b)),
        why=_why(case),
        high_stakes=case.decision.stakes is Stakes.HIGH,
        question=item.question if item else None,
        kind=item.kind.replace("_", " ") if item else "",
        priority=item.priority if item else 0,
    )


def merges(cases: Iterable[Case]) -> list[Merge]:
    """Gather merged pairs by the fact that stays, in the order in which they are first met."""
    kept: dict[str, Fact] = {}
    found: dict[str, list[tuple[Side, Why]]] = {}
    for case in cases:
        winner, other = (case.a, case.b) if case.decision.winner == case.a.id else (case.b, case.a)
        _, runs = word_marks(_shown(winner), _shown(other))
        kept[winner.id] = winner
        found.setdefault(winner.id, []).append((_side(other, runs, "merged"), _why(case)))
    return [
        Merge(_side(kept[fact_id], [Run(_shown(kept[fact_id]), differs=False)], "stays"), tuple(others))
        for fact_id, others in found.items()
    ]


def day(moment: datetime) -> str:
    """Write a date in UTC as people do."""
    utc = moment.astimezone(UTC)
    return f"{utc.day} {utc:%b %Y}"


def _shown(fact: Fact) -> str:
    if fact.erased:
        return "(erased)"
    rest = len(fact.content) - SHOWN_CHARS
    return fact.content if rest <= 0 else f"{fact.content[:SHOWN_CHARS]} … ({rest:,} more characters)"


def _standing(case: Case, fact: Fact) -> str:
    decision = case.decision
    if decision.loser is not None:
        return _LOST[decision.action] if decision.loser == fact.id else "stays"
    if decision.action is Action.HOLD:
        return "waits" if fact is case.b else "stays"
    return _OPEN.get(decision.action, "contested")


def _side(fact: Fact, runs: Iterable[Run], standing: str) -> Side:
    sources = list(
        dict.fromkeys((s.source.id, s.source.kind.value.replace("_", " ")) for s in fact.sightings)
    )
    place = fact.namespace if fact.namespace != DEFAULT_NAMESPACE else None
    key = fact.claim_key and (f"{fact.claim_key} = {fact.value}" if fact.value else fact.claim_key)
    return Side(
        fact_id=fact.id,
        runs=tuple(runs),
        standing=standing,
        about=" · ".join(part for part in (place, fact.subject, key) if part),
        sources=tuple(f"{name}, {kind}" for name, kind in sources[:SHOWN_SOURCES]),
        more_sources=max(0, len(sources) - SHOWN_SOURCES),
        first_seen=fact.first_seen,
        last_seen=fact.last_seen,
        seen_count=fact.seen_count,
    )


def _why(case: Case) -> Why:
    decision, found = case.decision, case.judgement
    verdict = found if isinstance(found, Verdict) else None
    relation = decision.relation.value if decision.relation else "not judged"
    if verdict and verdict.update_kind and verdict.relation is decision.relation:
        relation = f"{relation}: {verdict.update_kind.value.replace('_', ' ')}"
    return Why(
        rule=decision.rule,
        explanation=decision.explanation,
        relation=relation,
        judge=judge_name(decision.judge),
        judge_id=decision.judge,
        confidence=verdict.confidence if verdict else None,
        reason=f"{found.code}: {found.message}"
        if isinstance(found, Unjudged)
        else verdict.reason
        if verdict
        else "",
        guards=tuple(f"{g.guard}: {g.a} / {g.b}" for g in found.guards) if found else (),
        scores=tuple(_scores(decision)),
        command=_command(case),
    )


def _command(case: Case) -> str | None:
    """Return the command that answers a question, or takes back what was retired."""
    namespace = case.a.namespace
    where = "" if namespace == DEFAULT_NAMESPACE else f" --namespace {quote(namespace)}"
    if case.item is not None:
        return f"arbiter review show {case.item.id}{where}"
    return f"arbiter undo {case.decision.id}{where}" if case.decision.retires else None


def judge_name(judge_id: str) -> str:
    """Return which kind of judge an id names, in words."""
    family = judge_id.partition("/")[0]
    return JUDGES.get(family, family or "nobody")


def _scores(decision: Decision) -> Iterable[str]:
    for name in ("authority", "votes", "confidence"):
        challenger, other = decision.scores.get(f"challenger_{name}"), decision.scores.get(f"other_{name}")
        if challenger is not None and other is not None:
            yield f"{name} {challenger:g} against {other:g}"
