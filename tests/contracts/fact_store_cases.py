"""Short ways to fill a fact store in its contract tests."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

from arbiter.domain.evidence import JudgedPair
from arbiter.domain.facts import Fact, Sighting, fact_of
from arbiter.domain.outcomes import Decision, FactState, ReviewItem, Ruling
from arbiter.domain.settle import Settlement
from arbiter.domain.vocabulary import Action, Relation, RulingKind, State
from arbiter.ports import FactStore
from tests.factories import day, make_sighting, verdict

HERE = "default"
RECORDED = datetime(2026, 6, 1, tzinfo=UTC)


_NUMBERS = count()


def fresh() -> str:
    """Return a namespace that no other case uses."""
    return f"namespace {next(_NUMBERS)}"


class TickingClock:
    """Starts at ``RECORDED`` and goes on by a second at each look."""

    def __init__(self) -> None:
        self.looks = 0

    def __call__(self) -> datetime:
        """Return the next second."""
        self.looks += 1
        return self.shown

    @property
    def shown(self) -> datetime:
        """What it showed at the last look."""
        return RECORDED + timedelta(seconds=self.looks)

    def wait(self, days: float) -> None:
        """Let days go by."""
        self.looks += int(days * 86_400)


def keep(
    store: FactStore,
    *sightings: Sighting,
    subjects: dict[str, str] | None = None,
    entities: dict[str, frozenset[str]] | None = None,
    namespace: str = HERE,
) -> list[str]:
    """Let sightings arrive in one transaction and return their fact ids, in order."""
    with store.writing(namespace) as tx:
        tx.arrive(sightings, subjects or {}, entities or {})
    return [sighting.fact_id for sighting in sightings]


def sightings_in(store: FactStore, *, namespace: str = HERE) -> dict[str, Sighting]:
    """Return every sighting of a namespace by its id."""
    facts = store.facts(namespace, store.fact_ids(namespace)).values()
    return {sighting.id: sighting for fact in facts for sighting in fact.sightings}


def facts_in(store: FactStore, number: int, **fields: Any) -> list[Fact]:
    """Keep that many facts, one a day, and return them with the oldest first."""
    told = [make_sighting(f"Fact number {n}", at=n, **fields) for n in range(number)]
    keep(store, *told, namespace=fields.get("namespace", HERE))
    return [fact_of([sighting]) for sighting in told]


def judge(store: FactStore, *pairs: JudgedPair, namespace: str = HERE) -> None:
    """Append judgements in one transaction."""
    with store.writing(namespace) as tx:
        tx.judged(pairs)


def judged(a: str, b: str, relation: str, **fields: Any) -> JudgedPair:
    """Return two fact ids with a verdict."""
    return JudgedPair(a, b, verdict(relation, **fields))


def ruling(a: str, b: str, *, name: str = "rul_1", at: float = 0, **fields: Any) -> Ruling:
    """Return a ruling that keeps both."""
    known = {"kind": RulingKind.KEEP_BOTH, "reviewer": "ada", "digest_a": "x", "digest_b": "y"}
    return Ruling(id=name, namespace=HERE, a=a, b=b, at=day(at), **(known | fields))


def decision(a: str, b: str, **fields: Any) -> Decision:
    """Return a decision by which the later fact supersedes the earlier one, unless said otherwise."""
    known = {"action": Action.SUPERSEDE, "rule": "r1", "explanation": "why", "winner": b, "loser": a}
    return Decision(a, b, relation=fields.pop("relation", Relation.UPDATE), **(known | fields))


def both_stay(a: str, b: str, relation: Relation = Relation.COMPLEMENTARY, **fields: Any) -> Decision:
    """Return a decision that keeps both facts."""
    return Decision(a, b, Action.KEEP_BOTH, "keep", "why", relation=relation, **fields)


def review(a: str, b: str, *, priority: int = 50, **fields: Any) -> ReviewItem:
    """Return a question about two facts."""
    known = {
        "kind": "conflict",
        "rule": "r1",
        "question": "Which?",
        "digest_a": "x",
        "digest_b": "y",
        "relation": Relation.CONTRADICTION,
    }
    return ReviewItem(a, b, priority=priority, **(known | fields))


def settled(
    *states: FactState,
    decisions: Iterable[Decision] = (),
    reviews: Iterable[ReviewItem] = (),
    aside: Iterable[ReviewItem] = (),
) -> Settlement:
    """Return a settlement of the facts of these states."""
    return Settlement({s.fact_id: s for s in states}, tuple(decisions), tuple(reviews), tuple(aside))


def active(*fact_ids: str) -> list[FactState]:
    """Return the state active for each fact."""
    return [FactState(fact_id, State.ACTIVE) for fact_id in fact_ids]


def apply(store: FactStore, settlement: Settlement, *, namespace: str = HERE) -> list[FactState]:
    """Apply a settlement in one transaction and return the states that changed."""
    with store.writing(namespace) as tx:
        return tx.apply(settlement)
