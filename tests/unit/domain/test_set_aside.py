"""Questions that somebody set aside: they come back with other evidence, and with nothing else."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from arbiter.adapters.policy_file import load_policy
from arbiter.domain.evidence import GuardFinding, JudgedPair, Unjudged
from arbiter.domain.facts import Fact, fact_of
from arbiter.domain.outcomes import ReviewItem, Ruling
from arbiter.domain.settle import Cluster, Settlement, settle
from arbiter.domain.vocabulary import RulingKind
from tests.factories import VERIFIED, cluster, day, make_fact, make_sighting, pair

POLICY = load_policy()
BATH = make_sighting("Rita was born in Bath.", at=1)
A, B = fact_of([BATH]), make_fact("Rita was born in Bonn.", at=2, source="crm")


def conflict(a: Fact = A, b: Fact = B, **fields: Any) -> JudgedPair:
    """Return two places of birth that contradict one another."""
    return pair(a, b, "contradiction", **{"mutability": "immutable", **fields})


def ruled(item: ReviewItem, kind: RulingKind, *, at: float = 50, **fields: Any) -> Ruling:
    """Return a ruling on an item, on the evidence that the item has."""
    known = {"evidence": item.evidence, "digest_a": item.digest_a, "digest_b": item.digest_b}
    name = f"rul_{kind.value}_{at}"
    return Ruling(name, "default", item.a, item.b, kind, "ada", day(at), **(known | fields))


def settled(*pairs: JudgedPair, facts: list[Fact], rulings: tuple[Ruling, ...] = ()) -> Settlement:
    """Settle facts with judged pairs and rulings."""
    return settle(cluster(*pairs, facts=facts, rulings=rulings), POLICY)


ITEM = settled(conflict(), facts=[A, B]).reviews[0]


@pytest.mark.parametrize("kind", [RulingKind.SKIP, RulingKind.NEEDS_CONTEXT])
def test_what_is_set_aside_is_not_asked_and_decides_nothing(kind: RulingKind) -> None:
    """The item leaves the queue; both facts stay as contested as they were."""
    before = settled(conflict(), facts=[A, B])
    after = settled(conflict(), facts=[A, B], rulings=(ruled(ITEM, kind),))
    assert (before.reviews, before.aside) == ((ITEM,), ())
    assert (after.reviews, after.aside) == ((), (ITEM,))
    assert (after.states, after.decisions) == (before.states, before.decisions)


def test_a_new_sighting_brings_it_back() -> None:
    """Another source says the same of one side; so does another wording that was found to be a duplicate."""
    aside = (ruled(ITEM, RulingKind.SKIP),)
    more = fact_of([BATH, make_sighting(BATH.record.content, at=3, source="register", kind=VERIFIED)])
    after = settled(conflict(more), facts=[more, B], rulings=aside)
    assert [item.id for item in after.reviews] == [ITEM.id]
    assert after.aside == ()
    other = make_fact("Rita's place of birth is Bath.", at=4, source="aunt")
    after = settled(conflict(), pair(A, other, "duplicate"), facts=[A, B, other], rulings=aside)
    assert [item.id for item in after.reviews] == [ITEM.id]


def test_a_re_read_does_not_bring_it_back() -> None:
    """A source that is read again says nothing new."""
    again = fact_of([replace(BATH, last_seen=day(90), seen_count=9)])
    after = settled(conflict(again), facts=[again, B], rulings=(ruled(ITEM, RulingKind.SKIP),))
    assert after.reviews == ()


@pytest.mark.parametrize(
    "other",
    [
        {"confidence": 0.9},
        {"judge": "other"},
        {"guards": (GuardFinding("name", "Bath", "Bonn"),)},
        {"stakes": "high"},
    ],
)
def test_a_new_judgement_brings_it_back(other: dict[str, Any]) -> None:
    """Another judge, or another answer of the same one, is other evidence."""
    judged = conflict()
    fields = {key: value for key, value in other.items() if key != "judge"}
    new = conflict(**fields)
    if "judge" in other:
        new = replace(judged, judgement=replace(judged.judgement, judge=other["judge"]))
    after = settled(new, facts=[A, B], rulings=(ruled(ITEM, RulingKind.NEEDS_CONTEXT),))
    assert [item.id for item in after.reviews] == [ITEM.id]


def test_the_same_judgement_in_other_words_does_not_bring_it_back() -> None:
    """A judge that is asked again gives the same answer with another reason, or fails once more."""
    after = settled(conflict(reason="said otherwise"), facts=[A, B], rulings=(ruled(ITEM, RulingKind.SKIP),))
    assert after.reviews == ()
    down = JudgedPair(A.id, B.id, Unjudged("judge_unavailable", "timed out after 3 s", retryable=True))
    item = settled(down, facts=[A, B]).reviews[0]
    still = replace(down, judgement=Unjudged("judge_unavailable", "timed out after 5 s", retryable=True))
    after = settled(still, facts=[A, B], rulings=(ruled(item, RulingKind.SKIP),))
    assert (after.reviews, [item.kind for item in after.aside]) == ((), ["unjudged"])


def test_the_evidence_of_an_unjudged_pair_is_the_same_in_any_cluster() -> None:
    """Whether its earlier side is at hand with all that it is connected to, or only shown, plays no part."""
    earlier = make_fact("Rita comes from Bath.", at=0, source="aunt")
    down = pair(A, B, "unjudged")
    whole = settled(pair(earlier, A, "duplicate"), down, facts=[earlier, A, B])
    part = settle(Cluster({A.id: A, B.id: B}, (down,), fringe=frozenset({A.id})), POLICY)
    assert whole.reviews == part.reviews
    assert part.reviews[0].reach == 2


def test_a_ruling_outlives_what_was_set_aside_and_can_be_taken_back() -> None:
    """The newest of both sorts counts; with the skip retracted the question is open again."""
    skip = ruled(ITEM, RulingKind.SKIP)
    keep = ruled(ITEM, RulingKind.KEEP_BOTH, at=51, evidence=None)
    after = settled(conflict(), facts=[A, B], rulings=(skip, keep))
    assert (after.reviews, after.aside) == ((), ())
    back = ruled(ITEM, RulingKind.RETRACT, at=52, retracts=keep.id, evidence=None)
    after = settled(conflict(), facts=[A, B], rulings=(back, keep, skip))
    assert (after.reviews, after.aside) == ((), (ITEM,))
    open_again = ruled(ITEM, RulingKind.RETRACT, at=53, retracts=skip.id, evidence=None)
    after = settled(conflict(), facts=[A, B], rulings=(back, open_again, keep, skip))
    assert (after.reviews, after.aside) == ((ITEM,), ())
    newer = ruled(ITEM, RulingKind.SKIP, at=54, evidence="of another day")
    assert settled(conflict(), facts=[A, B], rulings=(newer, skip)).reviews == (ITEM,)


def test_reach_counts_what_hangs_on_the_answer() -> None:
    """Every sighting of every wording of both sides counts, re-reads do not; the priority stops at 20."""
    more = fact_of([BATH, make_sighting(BATH.record.content, at=3, source="register", kind=VERIFIED)])
    many = [make_fact(f"Rita's birthplace is Bath, {n}.", at=5, source=f"s{n}") for n in range(30)]
    few = settled(conflict(more), pair(more, many[0], "duplicate"), facts=[more, B, many[0]])
    assert [(item.reach, item.priority) for item in few.reviews] == [(4, 54)]
    alike = [pair(more, one, "duplicate") for one in many]
    lots = settled(conflict(more), *alike, facts=[more, B, *many])
    assert [(item.reach, item.priority) for item in lots.reviews] == [(33, 70)]
