"""Counts over one namespace: how it stands, what came in, who ruled, and how long questions wait."""

from __future__ import annotations

from datetime import date, timedelta

from arbiter.domain.evidence import Spend
from arbiter.domain.outcomes import FactState, Receipt
from arbiter.domain.overview import DayOfRecords, Rulings, Totals, Waited
from arbiter.domain.vocabulary import Outcome, RulingKind, State, StateReason
from arbiter.ports import FactStore
from tests.contracts.fact_store_cases import (
    HERE,
    RECORDED,
    TickingClock,
    active,
    apply,
    both_stay,
    decision,
    facts_in,
    review,
    ruling,
    settled,
)
from tests.factories import START, day

JUNE_1, JUNE_2, JUNE_4 = (date(2026, 6, number) for number in (1, 2, 4))


def receipt(index: int, outcome: Outcome, **fields: object) -> Receipt:
    """Return a receipt for a record."""
    return Receipt(index, HERE, outcome, stored=outcome is Outcome.STORED, **fields)  # type: ignore[arg-type]


def keep(store: FactStore, *receipts: Receipt, namespace: str = HERE) -> None:
    """Let receipts enter the log in one transaction."""
    with store.writing(namespace) as tx:
        tx.receipts(receipts)


def test_an_empty_namespace_counts_nothing(store: FactStore) -> None:
    """Nothing came in, and none of it is redundant."""
    assert store.overview.totals("nowhere") == Totals()
    assert Totals().duplicate_ratio == 0.0
    assert store.overview.records("nowhere", RECORDED) == []
    assert store.overview.rulings("nowhere", START) == []
    assert store.overview.waits("nowhere") == []


def test_the_totals_are_those_of_the_views(store: FactStore) -> None:
    """Re-reads are records, merged facts are redundant, and only decisions in force count."""
    a, b, c, d = (fact.id for fact in facts_in(store, 4))
    facts_in(store, 2, namespace="other")
    (sighting,) = store.facts(HERE, [a])[a].sightings
    with store.writing(HERE) as tx:
        tx.touch({sighting.id: (day(9), 3)})
    apply(store, settled(*active(a, b, c, d), decisions=[decision(a, b), both_stay(c, d)]))
    merged = FactState(b, State.SUPERSEDED, StateReason.DUPLICATE, successor=a)
    contested = [FactState(fact_id, State.ACTIVE, contested=True) for fact_id in (c, d)]
    unjudged = both_stay(a, c, relation=None)  # type: ignore[arg-type]
    made = [decision(b, a, judge="exact"), both_stay(c, d, judge="llm/x"), unjudged]
    apply(store, settled(*active(a), merged, *contested, decisions=made))
    found = store.overview.totals(HERE)
    assert found == Totals(
        records=7,
        facts=4,
        merged=1,
        contested=2,
        states={"active": 3, "superseded": 1},
        relations={"update": 1, "complementary": 1},
        judges={"exact": 1, "llm/x": 1},
        unjudged=1,
    )
    assert (found.redundant, found.duplicate_ratio) == (4, 4 / 7)


def test_records_are_counted_by_day_and_outcome(store: FactStore, clock: TickingClock) -> None:
    """What was taken in before is left out; what each day cost is added up."""
    first, second = Spend(1, 100, 20, 0.25, 3), Spend(2, 50, 10, 0.5, 4)
    keep(store, receipt(0, Outcome.REFUSED))
    clock.wait(1)
    since = clock.shown
    keep(store, receipt(1, Outcome.STORED, cost=first), receipt(2, Outcome.STORED, cost=second))
    keep(store, receipt(3, Outcome.HELD), namespace="other")
    clock.wait(2)
    keep(store, receipt(4, Outcome.STORED), receipt(5, Outcome.UNCHANGED, cost=second))
    assert store.overview.records(HERE, since) == [
        DayOfRecords(JUNE_2, {"stored": 2}, first + second),
        DayOfRecords(JUNE_4, {"stored": 1, "unchanged": 1}, second),
    ]


def test_rulings_are_counted_by_day_person_and_kind(store: FactStore) -> None:
    """Neither a ruling that was taken back counts, nor the taking back."""
    with store.writing(HERE) as tx:
        tx.ruled(ruling("fact_a", "fact_b", name="rul_0", at=0))
        for number in (1, 2):
            tx.ruled(ruling("fact_a", "fact_b", name=f"rul_{number}", at=1 + number / 10))
        tx.ruled(ruling("fact_a", "fact_c", name="rul_3", at=1.5, kind=RulingKind.SKIP, reviewer="bob"))
        tx.ruled(ruling("fact_a", "fact_c", name="rul_4", at=1.6, kind=RulingKind.RETRACT, retracts="rul_2"))
        tx.ruled(ruling("fact_a", "fact_d", name="rul_5", at=1.7, kind=RulingKind.UNDO, decision="dec_1"))
        tx.ruled(ruling("fact_a", "fact_d", name="rul_6", at=3, reviewer="bob"))
    with store.writing("other") as tx:
        tx.ruled(ruling("fact_a", "fact_b", name="rul_7", at=1))
    assert store.overview.rulings(HERE, day(1)) == [
        Rulings(date(2026, 1, 2), "ada", "keep_both", 1),
        Rulings(date(2026, 1, 2), "bob", "skip", 1),
        Rulings(date(2026, 1, 4), "bob", "keep_both", 1),
    ]


def test_waits_are_counted_by_the_days_of_asking_and_closing(store: FactStore, clock: TickingClock) -> None:
    """What still waits comes last; what is closed says when."""
    everyone = active("fact_a", "fact_b", "fact_c")
    ab, ac, bc = (review(f"fact_{x}", f"fact_{y}") for x, y in ("ab", "ac", "bc"))
    apply(store, settled(*everyone, reviews=[ab, ac]))
    clock.wait(1)
    apply(store, settled(*everyone, reviews=[ab, bc]))
    clock.wait(2)
    apply(store, settled(*everyone, reviews=[ab]))
    assert store.overview.waits(HERE) == [
        Waited(JUNE_1, JUNE_2, 1),
        Waited(JUNE_2, JUNE_4, 1),
        Waited(JUNE_1, None, 1),
    ]
    assert store.overview.waits("other") == []
    assert clock.shown - RECORDED > timedelta(days=3)
