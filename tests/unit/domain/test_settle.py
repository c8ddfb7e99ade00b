"""Settling: what becomes of clusters, one situation a test."""

from __future__ import annotations

from dataclasses import replace

from arbiter.adapters.policy_file import load_policy
from arbiter.domain.facts import Fact, fact_of
from arbiter.domain.outcomes import FactState, Ruling
from arbiter.domain.settle import Settlement, settle
from arbiter.domain.vocabulary import Relation, RulingKind, State, StateReason
from tests.factories import AGENT, THIRD, cluster, day, make_fact, make_sighting, pair

POLICY = load_policy()


def words(settlement: Settlement, *facts: Fact) -> list[str]:
    """Return the states as words, contested ones with an exclamation mark."""
    states = [settlement.states[fact.id] for fact in facts]
    return [state.state.value + ("!" if state.contested else "") for state in states]


def ruling(a: Fact, b: Fact, kind: RulingKind, *, at: float = 50, relabel: str | None = None) -> Ruling:
    """Return a ruling by Ada on two facts."""
    return Ruling(
        id=f"rul_{kind}_{at}",
        namespace="default",
        a=a.id,
        b=b.id,
        kind=kind,
        reviewer="ada",
        at=day(at),
        digest_a=a.digest,
        digest_b=b.digest,
        relabel=Relation(relabel) if relabel else None,
    )


def test_a_lonely_fact_is_active() -> None:
    """Nothing known against it: current, uncontested, nothing to decide."""
    fact = make_fact("The gate is green.")
    settlement = settle(cluster(facts=[fact]), POLICY)
    assert settlement == Settlement({fact.id: FactState(fact.id, State.ACTIVE)}, (), ())


def test_a_chain_of_updates_links_each_to_its_immediate_successor() -> None:
    """1.10, 1.15, 1.25: only the last is current and the first has exactly one successor, the second."""
    a, b, c = (make_fact(f"Water is {p}.", at=n) for n, p in enumerate(("1.10", "1.15", "1.25")))
    settlement = settle(
        cluster(pair(a, b, "update"), pair(a, c, "update"), pair(b, c, "update"), facts=[a, b, c]), POLICY
    )
    assert words(settlement, a, b, c) == ["superseded", "superseded", "active"]
    assert [settlement.states[f.id].successor for f in (a, b, c)] == [b.id, c.id, None]


def test_back_to_the_first_value() -> None:
    """09:15, then 09:45, then 09:15 again by the same source: the first is current once more."""
    first = make_sighting("Stand-up is at 09:15.", at=0)
    a = fact_of([replace(first, last_seen=day(60), seen_count=2)])
    b = make_fact("Stand-up has moved to 09:45.", at=30)
    settlement = settle(cluster(pair(a, b, "update"), facts=[a, b]), POLICY)
    assert words(settlement, a, b) == ["active", "superseded"]


def test_a_re_read_of_an_old_entry_by_another_source_revives_nothing() -> None:
    """A CRM that still shows the old title does not outrank what she said herself."""
    first = make_sighting("Title: manager.", at=0, source="crm", kind=THIRD)
    a = fact_of([replace(first, last_seen=day(60), seen_count=2)])
    b = make_fact("I am head of operations now.", at=30)
    settlement = settle(cluster(pair(a, b, "update"), facts=[a, b]), POLICY)
    assert words(settlement, a, b) == ["superseded", "active"]


def test_duplicates_are_not_transitive() -> None:
    """A like B, B like C, A unlike C: whoever is merged has a partner that stays."""
    a, b, c = (make_fact(f"Gate {n}.", at=n) for n in range(3))
    settlement = settle(cluster(pair(a, b, "duplicate"), pair(b, c, "duplicate"), facts=[a, b, c]), POLICY)
    assert words(settlement, a, b, c) == ["active", "superseded", "active"]
    assert settlement.states[b.id].successor == a.id


def test_conflicts_come_before_merges() -> None:
    """Two wordings that contradict one another are never gathered under a third."""
    a, b, c = (make_fact(f"Hall {n}.", at=n) for n in range(3))
    settlement = settle(
        cluster(
            pair(a, b, "duplicate"), pair(a, c, "duplicate"), pair(b, c, "contradiction"), facts=[a, b, c]
        ),
        POLICY,
    )
    assert words(settlement, a, b, c) == ["active!", "superseded", "active!"]


def test_the_better_source_keeps_its_wording_and_the_judge_may_name_the_richer_one() -> None:
    """Between duplicates: richer if named, else better source, else earlier."""
    note = make_fact("cat: Pisco", at=0, source="agent:1", kind=AGENT)
    told = make_fact("My cat is called Pisco.", at=5)
    by_source = settle(cluster(pair(note, told, "duplicate"), facts=[note, told]), POLICY)
    assert by_source.states[note.id].successor == told.id
    by_judge = settle(cluster(pair(note, told, "duplicate", current="a"), facts=[note, told]), POLICY)
    assert by_judge.states[told.id].successor == note.id


def test_a_tombstoned_winner_gives_back_what_it_had_retired() -> None:
    """B replaced A; B is then corrected away by C, which was never compared with A: A is current again."""
    a, b, c = make_fact("Rent is 900.", at=0), make_fact("Rent is 90.", at=1), make_fact("Not 90!", at=2)
    settlement = settle(
        cluster(pair(a, b, "update"), pair(b, c, "update", kind="correction"), facts=[a, b, c]), POLICY
    )
    assert words(settlement, a, b, c) == ["active", "tombstoned", "active"]


def test_an_unjudged_pair_holds_the_later_fact_and_retires_nothing() -> None:
    """The later one waits; what it would replace stays readable meanwhile."""
    old, new, other = (make_fact(f"Dock {n}.", at=n) for n in range(3))
    settlement = settle(
        cluster(pair(old, new, "update"), pair(new, other, "unjudged"), facts=[old, new, other]), POLICY
    )
    assert words(settlement, old, new, other) == ["superseded", "active", "pending"]
    waiting = settle(
        cluster(pair(new, other, "update"), pair(old, other, "unjudged"), facts=[old, new, other]), POLICY
    )
    assert words(waiting, old, new, other) == ["active", "active", "pending"]
    assert [item.kind for item in waiting.reviews] == ["unjudged"]


def test_unfinished_facts_are_pending() -> None:
    """A fact whose candidates were not judged yet is not current, and retires nobody."""
    a, b = make_fact("Pier 1 is lit.", at=0), make_fact("Pier 1 is dark.", at=1)
    settlement = settle(cluster(pair(a, b, "update"), facts=[a, b], unfinished=frozenset({b.id})), POLICY)
    assert words(settlement, a, b) == ["active", "pending"]


def test_a_circle_of_supersession_keeps_everyone_and_asks() -> None:
    """A over B by authority, B over C by time, C over A by authority: nobody is retired, all is asked."""
    a = make_fact("Elm.", at=1, kind=THIRD, source="s:1")
    b = make_fact("Oak.", at=2, kind=THIRD, source="s:2")
    c = make_fact("Ash.", at=3, kind=THIRD, source="s:3")
    found = [
        pair(a, b, "update"),
        pair(b, c, "update"),
        pair(a, c, "update", kind="refinement", current="a"),
    ]
    settlement = settle(cluster(*found, facts=[a, b, c]), POLICY)
    assert words(settlement, a, b, c) == ["active!", "active!", "active!"]
    assert {item.kind for item in settlement.reviews} == {"cycle"}


def test_a_doubt_is_shown_and_asked_but_both_stay_uncontested() -> None:
    """Works at Acme / Acme went bankrupt: both read, and a person is asked."""
    a, b = make_fact("Ria works at Acme.", at=0), make_fact("Acme went bankrupt.", at=9)
    settlement = settle(cluster(pair(a, b, "complementary", stale_risk="a"), facts=[a, b]), POLICY)
    assert words(settlement, a, b) == ["active", "active"]
    assert [(item.kind, item.rule) for item in settlement.reviews] == [("stale_risk", "complementary-doubt")]


def test_rulings_settle_and_silence_the_question() -> None:
    """Each kind of ruling on a high-stakes contradiction does what it says, and nothing is asked again."""
    a = make_fact("Allergic to penicillin.", at=0)
    b = make_fact("Prescribed amoxicillin.", at=1, source="ward", kind=THIRD)
    found = pair(a, b, "contradiction", stakes="high")
    expected = {
        RulingKind.KEEP_A: ["active", "tombstoned"],
        RulingKind.KEEP_B: ["tombstoned", "active"],
        RulingKind.KEEP_BOTH: ["active", "active"],
        RulingKind.NEITHER: ["tombstoned", "tombstoned"],
    }
    open_case = settle(cluster(found, facts=[a, b]), POLICY)
    assert words(open_case, a, b) == ["active!", "active!"]
    assert [item.priority for item in open_case.reviews] == [152]
    for kind, states in expected.items():
        settled = settle(cluster(found, facts=[a, b], rulings=(ruling(a, b, kind),)), POLICY)
        assert words(settled, a, b) == states
        assert settled.reviews == ()


def test_the_newest_ruling_counts_and_an_undo_takes_it_back() -> None:
    """Keep a, then keep b, then undo: both stay."""
    a, b = make_fact("41 m.", at=0), make_fact("14 m.", at=1)
    found = pair(a, b, "contradiction")
    first, second = ruling(a, b, RulingKind.KEEP_A, at=50), ruling(a, b, RulingKind.KEEP_B, at=51)
    two = settle(cluster(found, facts=[a, b], rulings=(second, first)), POLICY)
    assert words(two, a, b) == ["tombstoned", "active"]
    three = (second, ruling(a, b, RulingKind.UNDO, at=52), first)
    assert words(settle(cluster(found, facts=[a, b], rulings=three), POLICY), a, b) == ["active", "active"]


def test_a_relabel_takes_the_judges_place() -> None:
    """A pair called a contradiction that a person calls the same is merged, guards or not."""
    a, b = make_fact("Shut on Sundays.", at=0), make_fact("Not open on Sundays.", at=1)
    said = ruling(a, b, RulingKind.RELABEL, relabel="duplicate")
    settlement = settle(cluster(pair(a, b, "contradiction"), facts=[a, b], rulings=(said,)), POLICY)
    assert words(settlement, a, b) == ["active", "superseded"]
    assert settlement.decisions[0].judge == "human/ada"


def test_a_ruling_lapses_when_the_user_says_it_again_later() -> None:
    """What a ruling retired comes back under judgement once the user states it anew."""
    told = make_sighting("The code is 4471.", at=0, ref="m1")
    again = make_sighting("The code is 4471.", at=80, ref="m2")
    b = make_fact("The code is 4417.", at=1)
    retired = fact_of([told])
    keep = ruling(retired, b, RulingKind.KEEP_B, at=50)
    found = pair(retired, b, "contradiction")
    before = settle(cluster(found, facts=[retired, b], rulings=(keep,)), POLICY)
    restated = fact_of([told, again])
    after = settle(cluster(found, facts=[restated, b], rulings=(keep,)), POLICY)
    assert words(before, retired, b) == ["tombstoned", "active"]
    assert words(after, restated, b) == ["active!", "active!"]


def test_a_correction_outlives_echoes_but_not_the_users_own_word() -> None:
    """An agent that repeats the corrected value changes nothing; the user who does, does."""
    wrong = make_sighting("The code is 4471.", at=0, ref="m1")
    right = make_fact("The code is 4417, not 4471.", at=1, ref="m2")
    echo = make_sighting("The code is 4471.", at=5, source="agent:1", kind=AGENT)
    again = make_sighting("The code is 4471.", at=9, ref="m3")
    found = pair(fact_of([wrong]), right, "update", kind="correction")
    echoed, restated = fact_of([wrong, echo]), fact_of([wrong, again])
    assert words(settle(cluster(found, facts=[echoed, right]), POLICY), echoed, right) == [
        "tombstoned",
        "active",
    ]
    assert words(settle(cluster(found, facts=[restated, right]), POLICY), restated, right) == [
        "active",
        "superseded",
    ]


def test_an_erased_fact_is_gone_but_what_it_retired_stays_retired() -> None:
    """Forgetting the present address does not bring the old one back."""
    old, new = make_fact("Lives in Bath.", at=0), replace(make_fact("Lives in York.", at=1), erased=True)
    settlement = settle(cluster(pair(old, new, "update"), facts=[old, new]), POLICY)
    assert words(settlement, old, new) == ["superseded", "tombstoned"]
    assert settlement.states[new.id].reason is StateReason.ERASED
