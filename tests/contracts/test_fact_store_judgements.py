"""Judgements in a fact store: the newest counts, but an unjudged never hides a verdict."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.adapters.sql_store import SqlStore
from arbiter.domain.evidence import GuardFinding, JudgedPair, Unjudged, Verdict
from arbiter.domain.vocabulary import Mutability, Relation, Stakes, UpdateKind
from arbiter.ports import FactStore
from arbiter.testing_store import MemoryStore
from tests.contracts.fact_store_cases import HERE, TickingClock, fresh, judge, judged

LATER = Unjudged("judge_unavailable", "down", retryable=True)
NEVER = Unjudged("judge_reply", "nonsense", retryable=False)
KEY = ("fact_a", "fact_b")
FULL = Verdict(
    relation=Relation.UPDATE,
    confidence=0.1 + 0.2,
    judge="llm/x/relation.v1@abc",
    current="b",
    update_kind=UpdateKind.CORRECTION,
    stale_risk="a",
    attribute="user.dose",
    mutability=Mutability.STABLE,
    stakes=Stakes.HIGH,
    reason="“5 mg” \ud800 then -5 mg",
    probabilities={"update": 0.7, "duplicate": 0.3},
    guards=(GuardFinding("number", "5 mg", "-5 mg"),),
    merged_text="both",
    cached=True,
)


@pytest.mark.parametrize(
    "found", [FULL, Unjudged("code", "message", retryable=True, judge="j", guards=FULL.guards), NEVER]
)
@pytest.mark.parametrize(("a", "b"), [KEY, KEY[::-1]])
def test_every_field_of_a_judgement_survives(
    store: FactStore, a: str, b: str, found: Verdict | Unjudged
) -> None:
    """What is read back equals what was judged, its orientation too, even with text that is no text."""
    pair = JudgedPair(a, b, found)
    judge(store, pair)
    assert store.verdicts(HERE, [KEY, ("fact_a", "fact_c")]) == {KEY: pair}


def test_the_newest_verdict_counts(store: FactStore) -> None:
    """A later verdict of a pair takes the place of an earlier one, in either orientation."""
    judge(store, judged(*KEY, "duplicate"), judged("fact_a", "fact_c", "unrelated"))
    newest = judged(*KEY[::-1], "update")
    judge(store, newest)
    assert store.verdicts(HERE, [KEY]) == {KEY: newest}


def test_an_unjudged_never_hides_a_verdict(store: FactStore) -> None:
    """A judge that could not tell later leaves the verdict that is there, and there is nothing to retry."""
    known = judged(*KEY, "duplicate")
    judge(store, known, JudgedPair(*KEY, LATER))
    judge(store, JudgedPair(*KEY, LATER))
    assert store.verdicts(HERE, [KEY]) == {KEY: known}
    assert store.retryable(HERE) == []


def test_a_verdict_takes_the_place_of_an_unjudged(store: FactStore) -> None:
    """Once a judge could tell, the pair is judged."""
    judge(store, JudgedPair(*KEY, LATER))
    assert store.retryable(HERE) == [KEY]
    known = judged(*KEY, "unrelated")
    judge(store, known)
    assert store.verdicts(HERE, [KEY]) == {KEY: known}
    assert store.retryable(HERE) == []


def test_the_newest_unjudged_says_whether_to_retry(store: FactStore) -> None:
    """Only pairs whose newest unjudged may be tried again are named, smaller id first, in order."""
    judge(store, JudgedPair("fact_z", "fact_b", LATER), JudgedPair(*KEY, NEVER))
    judge(store, JudgedPair("fact_c", "fact_b", LATER), JudgedPair("fact_d", "fact_b", LATER))
    judge(store, JudgedPair("fact_d", "fact_b", NEVER))
    assert store.retryable(HERE) == [("fact_b", "fact_c"), ("fact_b", "fact_z")]
    assert store.unjudged(HERE) == [KEY, ("fact_b", "fact_d")]


@given(
    st.lists(
        st.tuples(st.sampled_from("abc"), st.sampled_from("abc"), st.integers(0, 4)).filter(
            lambda drawn: drawn[0] != drawn[1]
        ),
        max_size=12,
    )
)
def test_what_counts_agrees_with_a_plain_rule(
    sql_store: SqlStore, drawn: Sequence[tuple[str, str, int]]
) -> None:
    """Of any sequence, the last verdict of a pair counts, else its last unjudged, in both stores."""
    found = [LATER, NEVER, *(judged(*KEY, word).judgement for word in ("update", "duplicate", "unrelated"))]
    pairs = [JudgedPair(a, b, found[number]) for a, b, number in drawn]
    expected = {pair.key: pair for pair in pairs if isinstance(pair.judgement, Unjudged)}
    expected |= {pair.key: pair for pair in pairs if isinstance(pair.judgement, Verdict)}
    keys = [("a", "b"), ("a", "c"), ("b", "c")]
    waiting = sorted(key for key, pair in expected.items() if pair.judgement == LATER)
    given_up = sorted(key for key, pair in expected.items() if pair.judgement == NEVER)
    namespace = fresh()
    for store in (sql_store, MemoryStore(TickingClock())):
        for pair in pairs:
            judge(store, pair, namespace=namespace)
        assert store.verdicts(namespace, keys) == expected
        assert store.retryable(namespace) == waiting
        assert store.unjudged(namespace) == given_up
    sql_store.rebuild_views(namespace)
    assert sql_store.verdicts(namespace, keys) == expected
    assert sql_store.retryable(namespace) == waiting
    assert sql_store.unjudged(namespace) == given_up
