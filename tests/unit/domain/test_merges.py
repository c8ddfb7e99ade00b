"""Merges by people: one text stands for two facts, until that is taken back."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from arbiter.adapters.policy_file import load_policy
from arbiter.domain.evidence import JudgedPair
from arbiter.domain.facts import Fact, fact_of
from arbiter.domain.outcomes import FactState, Ruling
from arbiter.domain.settle import Cluster, Settlement, settle
from arbiter.domain.vocabulary import RulingKind, State, StateReason
from tests.factories import THIRD, VERIFIED, cluster, day, make_fact, make_sighting, pair

POLICY = load_policy()
TEN = make_fact("The fee is 10.", at=1, source="crm")
TWELVE = make_fact("The fee is 12.", at=2, source="web")
BOTH = make_fact("The fee is 10, or 12 at night.", at=2, source="reviewer:ada")
CONFLICT = pair(TEN, TWELVE, "contradiction", mutability="mutable")


def merge(a: Fact, b: Fact, text: Fact, *, at: float = 50, by: str = "ada") -> Ruling:
    """Return the ruling that a text stands for two facts."""
    return Ruling(
        id=f"rul_merge_{at}",
        namespace="default",
        a=a.id,
        b=b.id,
        kind=RulingKind.MERGE,
        reviewer=by,
        at=day(at),
        digest_a=a.digest,
        digest_b=b.digest,
        merged=text.id,
        sighting=next(s.id for s in text.sightings if s.source.id == f"reviewer:{by}"),
    )


def taken_back(ruling: Ruling, kind: RulingKind = RulingKind.RETRACT, *, at: float = 60) -> Ruling:
    """Return the ruling that takes another one back: it, or what was decided about its pair."""
    retracts = ruling.id if kind is RulingKind.RETRACT else None
    return replace(
        ruling, id=f"rul_back_{at}", kind=kind, at=day(at), merged=None, sighting=None, retracts=retracts
    )


def told(settlement: Settlement, *facts: Fact) -> list[tuple[str, str | None, str | None]]:
    """Return state, reason and successor of facts."""
    states = [settlement.states[fact.id] for fact in facts]
    return [(s.state.value, s.reason and s.reason.value, s.successor) for s in states]


def test_the_text_stands_for_both() -> None:
    """Both are superseded by the ruling, the text is their successor, and nobody is asked again."""
    settlement = settle(
        cluster(CONFLICT, facts=[TEN, TWELVE, BOTH], rulings=(merge(TEN, TWELVE, BOTH),)), POLICY
    )
    gone = ("superseded", "ruling", BOTH.id)
    assert told(settlement, TEN, TWELVE, BOTH) == [gone, gone, ("active", None, None)]
    assert settlement.reviews == ()
    made = {d.id: (d.rule, d.winner, d.loser, d.judge) for d in settlement.decisions}
    assert set(made.values()) == {
        ("ruling-merge", BOTH.id, TEN.id, "human/ada"),
        ("ruling-merge", BOTH.id, TWELVE.id, "human/ada"),
    }
    for fact in (TEN, TWELVE):
        assert made[settlement.states[fact.id].decision or ""][2] == fact.id


def test_what_is_taken_back_was_never_said() -> None:
    """Retracted, the question is open as before; undone, both stay; either way the text is withdrawn."""
    before = settle(cluster(CONFLICT, facts=[TEN, TWELVE]), POLICY)
    merged = merge(TEN, TWELVE, BOTH)
    for kind, contested in ((RulingKind.RETRACT, True), (RulingKind.UNDO, False)):
        rulings = (merged, taken_back(merged, kind))
        after = settle(cluster(CONFLICT, facts=[TEN, TWELVE, BOTH], rulings=rulings), POLICY)
        assert after.states[BOTH.id] == FactState(BOTH.id, State.TOMBSTONED, StateReason.WITHDRAWN)
        assert told(after, TEN, TWELVE) == told(before, TEN, TWELVE)
        assert [after.states[fact.id].contested for fact in (TEN, TWELVE)] == [contested] * 2
        assert after.reviews == (before.reviews if contested else ())


def test_a_text_that_others_say_too_stays() -> None:
    """Taken back, only the reviewer's sighting goes; the text stands by its other source."""
    too = fact_of([*BOTH.sightings, make_sighting(BOTH.content, at=9, source="leaflet", kind=THIRD)])
    merged = merge(TEN, TWELVE, too)
    rulings = (merged, taken_back(merged))
    other = fact_of(s for s in too.sightings if s.source.id == "leaflet")
    pairs = (CONFLICT, pair(TEN, too, "contradiction", mutability="immutable"))
    after = settle(cluster(*pairs, facts=[TEN, TWELVE, too], rulings=rulings), POLICY)
    alone = settle(cluster(*pairs, facts=[TEN, TWELVE, other]), POLICY)
    assert after.states == alone.states
    assert told(after, too) == [("superseded", "authority", TEN.id)]


def test_the_sources_of_both_speak_for_the_text() -> None:
    """Two sources outvote one; the reviewer, who only wrote what they say, adds no vote."""
    rulings = (merge(TEN, TWELVE, BOTH),)
    rival = make_fact("The fee is 15.", at=3, source="blog")
    conflict = pair(BOTH, rival, "contradiction", mutability="stable")
    settlement = settle(
        cluster(CONFLICT, conflict, facts=[TEN, TWELVE, BOTH, rival], rulings=rulings), POLICY
    )
    assert told(settlement, rival) == [("superseded", "quorum", BOTH.id)]
    (decision,) = [d for d in settlement.decisions if rival.id in d.key]
    assert {decision.scores["challenger_votes"], decision.scores["other_votes"]} == {1.0, 2.0}
    same = make_fact(TWELVE.content, at=2, source="crm")
    echo = settle(
        cluster(
            pair(TEN, same, "contradiction", mutability="mutable"),
            conflict,
            facts=[TEN, same, BOTH, rival],
            rulings=(merge(TEN, same, BOTH),),
        ),
        POLICY,
    )
    assert told(echo, BOTH, rival) == [("active", None, None)] * 2
    assert echo.states[rival.id].contested


def test_what_nobody_could_judge_can_be_merged() -> None:
    """The later side had waited for a judge; the text does not."""
    held = pair(TEN, TWELVE, "unjudged")
    waiting = settle(cluster(held, facts=[TEN, TWELVE]), POLICY)
    assert told(waiting, TWELVE) == [("pending", "unjudged", None)]
    rulings = (merge(TEN, TWELVE, BOTH),)
    settlement = settle(cluster(held, facts=[TEN, TWELVE, BOTH], rulings=rulings), POLICY)
    gone = ("superseded", "ruling", BOTH.id)
    assert told(settlement, TEN, TWELVE, BOTH) == [gone, gone, ("active", None, None)]
    assert settlement.reviews == ()


def test_who_says_the_same_as_one_of_both_joins_the_text() -> None:
    """A duplicate of a merged fact follows it, whatever it says about the other, and the wording stays."""
    richer = make_fact("The fee amounts to 10 euros.", at=0, source="bank")
    settlement = settle(
        cluster(
            CONFLICT,
            pair(richer, TEN, "duplicate", current="a"),
            pair(richer, TWELVE, "contradiction", mutability="mutable"),
            facts=[TEN, TWELVE, BOTH, richer],
            rulings=(merge(TEN, TWELVE, BOTH),),
        ),
        POLICY,
    )
    assert told(settlement, richer) == [("superseded", "duplicate", BOTH.id)]
    assert told(settlement, BOTH) == [("active", None, None)]
    assert settlement.reviews == ()


def test_what_supersedes_the_text_supersedes_all_that_it_stands_for() -> None:
    """A change retires the text; when a source comes back to what it had said, the text is current again."""
    later = make_fact("The fee is waived.", at=30, source="crm")
    change = pair(BOTH, later, "update", mutability="mutable")
    rulings = (merge(TEN, TWELVE, BOTH),)
    settlement = settle(cluster(CONFLICT, change, facts=[TEN, TWELVE, BOTH, later], rulings=rulings), POLICY)
    assert told(settlement, BOTH) == [("superseded", "update", later.id)]
    assert told(settlement, TEN) == [("superseded", "ruling", BOTH.id)]
    again = fact_of([replace(TEN.sightings[0], last_seen=day(40), seen_count=2)])
    back = settle(cluster(CONFLICT, change, facts=[again, TWELVE, BOTH, later], rulings=rulings), POLICY)
    assert told(back, BOTH, later) == [("active", None, None), ("superseded", "update", BOTH.id)]


def test_a_text_can_be_merged_in_turn() -> None:
    """All three facts and the first text stand behind the last one."""
    third = make_fact("There is no fee on Sundays.", at=5, source="leaflet")
    last = make_fact("The fee is 10, or 12 at night; none on Sundays.", at=5, source="reviewer:bob")
    conflict = pair(BOTH, third, "contradiction", mutability="mutable")
    rulings = (merge(TEN, TWELVE, BOTH), merge(BOTH, third, last, at=51, by="bob"))
    settlement = settle(
        cluster(CONFLICT, conflict, facts=[TEN, TWELVE, BOTH, third, last], rulings=rulings), POLICY
    )
    assert told(settlement, TEN, TWELVE, BOTH, third) == [("superseded", "ruling", last.id)] * 4
    first_only = settle(
        cluster(
            CONFLICT,
            conflict,
            facts=[TEN, TWELVE, BOTH, third, last],
            rulings=(*rulings, taken_back(rulings[1])),
        ),
        POLICY,
    )
    assert told(first_only, TEN, TWELVE) == [("superseded", "ruling", BOTH.id)] * 2
    assert [first_only.states[fact.id].contested for fact in (BOTH, third)] == [True, True]


def test_a_text_may_be_that_of_one_side_or_of_what_was_merged_before() -> None:
    """The other side goes into it; a later merge into a merged text brings that one back."""
    kept = fact_of([*TEN.sightings, make_sighting(TEN.content, at=1, source="reviewer:ada", kind=VERIFIED)])
    one = settle(
        cluster(
            pair(kept, TWELVE, "contradiction", mutability="mutable"),
            facts=[kept, TWELVE],
            rulings=(merge(kept, TWELVE, kept),),
        ),
        POLICY,
    )
    assert told(one, kept, TWELVE) == [("active", None, None), ("superseded", "ruling", kept.id)]
    third = make_fact("There is no fee on Sundays.", at=5, source="leaflet")
    rulings = (merge(kept, TWELVE, BOTH), merge(BOTH, third, kept, at=51))
    two = settle(
        cluster(
            pair(kept, TWELVE, "contradiction", mutability="mutable"),
            pair(BOTH, third, "contradiction", mutability="mutable"),
            facts=[kept, TWELVE, BOTH, third],
            rulings=rulings,
        ),
        POLICY,
    )
    gone = ("superseded", "ruling", kept.id)
    assert told(two, kept, TWELVE, BOTH, third) == [("active", None, None), gone, gone, gone]
    assert {d.loser for d in two.decisions} == {TWELVE.id, BOTH.id, third.id}


@st.composite
def merged_clusters(draw: st.DrawFn) -> Cluster:
    """Four facts and the texts of up to three merges, some taken back, judged in any way."""
    facts = [make_fact(f"The gate is {n}.", at=n, source=f"s{n % 2}") for n in range(4)]
    texts = [make_fact(f"The gate was {n}.", at=n, source="reviewer:ada") for n in range(3)]
    rulings: list[Ruling] = []
    for n, text in enumerate(texts):
        known = [*facts, *texts[:n]]
        a, b = draw(st.lists(st.sampled_from(known), min_size=2, max_size=2, unique_by=lambda f: f.id))
        rulings.append(merge(a, b, text, at=50 + n))
        if draw(st.booleans()):
            kind = draw(st.sampled_from([RulingKind.RETRACT, RulingKind.UNDO]))
            rulings.append(taken_back(rulings[-1], kind, at=60 + n))
    everyone = [*facts, *texts]
    ruled = {ruling.key for ruling in rulings}
    pairs: list[JudgedPair] = []
    for n, a in enumerate(everyone):
        for b in everyone[n + 1 :]:
            relation = draw(st.sampled_from(["duplicate", "update", "contradiction", "unrelated", None]))
            if relation is not None or (min(a.id, b.id), max(a.id, b.id)) in ruled:
                fields: dict[str, Any] = {"mutability": "mutable"} if relation != "unrelated" else {}
                pairs.append(pair(a, b, relation or "contradiction", **fields))
    return Cluster({fact.id: fact for fact in everyone}, tuple(pairs), tuple(rulings))


@given(merged_clusters(), st.integers(0, 99))
def test_the_order_of_the_log_plays_no_part(found: Cluster, seed: int) -> None:
    """Facts, pairs and rulings in any order give the same settlement."""
    shuffled = Random(seed)
    facts, pairs, rulings = list(found.facts.values()), list(found.pairs), list(found.rulings)
    for listed in (facts, pairs, rulings):
        shuffled.shuffle(listed)
    turned = Cluster({fact.id: fact for fact in facts}, tuple(pairs), tuple(rulings))
    assert settle(turned, POLICY) == settle(found, POLICY)


@given(merged_clusters())
def test_following_successors_of_merges_ends(found: Cluster) -> None:
    """No fact succeeds itself over any number of steps, and what was retired names its decision."""
    states = settle(found, POLICY).states
    for fact_id, state in states.items():
        seen = [fact_id]
        while (successor := states[seen[-1]].successor) is not None:
            assert successor not in seen
            seen.append(successor)
        assert (state.state is State.SUPERSEDED) == (state.decision is not None)


@given(merged_clusters())
def test_merges_that_were_all_taken_back_leave_no_trace(found: Cluster) -> None:
    """With every merge retracted, all that was said by others stands as if nobody had merged anything."""
    merges = [ruling for ruling in found.rulings if ruling.kind is RulingKind.MERGE]
    rulings = tuple(x for n, r in enumerate(merges) for x in (r, taken_back(r, at=70 + n)))
    texts = {ruling.merged for ruling in merges}
    after = settle(replace(found, rulings=rulings), POLICY)
    facts = {fact_id: fact for fact_id, fact in found.facts.items() if fact_id not in texts}
    pairs = tuple(one for one in found.pairs if not texts.intersection(one.key))
    never = settle(Cluster(facts, pairs), POLICY)
    assert {i: after.states[i] for i in facts} == never.states
    assert {after.states[i].reason for i in texts if i} == {StateReason.WITHDRAWN}
    assert after.reviews == never.reviews
