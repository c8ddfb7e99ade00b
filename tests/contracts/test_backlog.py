"""What waits, over all namespaces: held pairs, abandoned facts, and how long the queues are."""

from __future__ import annotations

from datetime import timedelta

from arbiter.domain.backlog import HeldPair, Waiting
from arbiter.domain.evidence import JudgedPair, Unjudged
from arbiter.ports import FactStore
from tests.contracts.fact_store_cases import (
    HERE,
    RECORDED,
    active,
    apply,
    facts_in,
    judge,
    judged,
    review,
    settled,
)

SECOND = timedelta(seconds=1)


def held(a: str, b: str, *, retryable: bool = True) -> JudgedPair:
    """Return a pair that no judge could tell."""
    low, high = sorted((a, b))
    return JudgedPair(low, high, Unjudged("judge_unavailable", "down", retryable=retryable))


def finish(store: FactStore, *fact_ids: str, namespace: str = HERE) -> None:
    """Mark facts as finished."""
    with store.writing(namespace) as tx:
        tx.finish(fact_ids)


def test_an_empty_store_has_no_backlog(store: FactStore) -> None:
    """Where nothing is, nothing waits."""
    assert store.backlog.held() == []
    assert store.backlog.abandoned(RECORDED + timedelta(days=1)) == []
    assert store.backlog.waiting() == []


def test_a_held_pair_knows_how_often_it_was_tried(store: FactStore) -> None:
    """Every judgement in vain counts as an attempt; the first and the last one have their times."""
    a, b, _ = (fact.id for fact in facts_in(store, 3))
    judge(store, held(a, b))
    judge(store, held(b, a))
    judge(store, held(a, b))
    low, high = sorted((a, b))
    assert store.backlog.held() == [
        HeldPair(HERE, low, high, attempts=3, first=RECORDED + 2 * SECOND, last=RECORDED + 4 * SECOND)
    ]


def test_the_pair_longest_not_tried_comes_first(store: FactStore) -> None:
    """The order is that of the last attempts, over all namespaces; one of them can be looked at alone."""
    a, b, c = (fact.id for fact in facts_in(store, 3))
    d, e = (fact.id for fact in facts_in(store, 2, namespace="other"))
    judge(store, held(a, b))
    judge(store, held(d, e), namespace="other")
    judge(store, held(b, c))
    judge(store, held(a, b))
    expected = [("other", {d, e}), (HERE, {b, c}), (HERE, {a, b})]
    assert [(pair.namespace, set(pair.key)) for pair in store.backlog.held()] == expected
    assert [set(pair.key) for pair in store.backlog.held("other")] == [{d, e}]
    assert store.backlog.held("nowhere") == []
    counts = [store.backlog.held_count(name) for name in (None, HERE, "other", "nowhere")]
    assert counts == [3, 2, 1, 0]


def test_what_was_told_or_never_can_be_is_not_held(store: FactStore) -> None:
    """A verdict ends the waiting, in whatever order it came; so does a failure that stays one."""
    a, b, c, d = (fact.id for fact in facts_in(store, 4))
    judge(store, held(a, b), held(b, c), held(c, d))
    judge(store, judged(a, b, "unrelated"))
    judge(store, held(a, b))
    judge(store, held(c, d, retryable=False))
    assert [set(pair.key) for pair in store.backlog.held()] == [{b, c}]


def test_erased_facts_are_waited_for_no_longer(store: FactStore) -> None:
    """Neither their pairs nor they themselves are in the backlog."""
    a, b, c = (fact.id for fact in facts_in(store, 3))
    judge(store, held(a, b), held(b, c))
    with store.writing(HERE) as tx:
        tx.erase(a)
    later = RECORDED + timedelta(days=1)
    assert [set(pair.key) for pair in store.backlog.held()] == [{b, c}]
    assert store.backlog.abandoned(later) == [(HERE, fact_id) for fact_id in sorted((b, c))]
    assert [(found.queue, found.count) for found in store.backlog.waiting()] == [
        ("judge", 1),
        ("unfinished", 2),
    ]


def test_only_what_arrived_before_is_abandoned(store: FactStore) -> None:
    """A fact that may still be worked on is left alone, and so is a finished one."""
    (old, done) = (fact.id for fact in facts_in(store, 2))
    (young,) = (fact.id for fact in facts_in(store, 1, namespace="other"))
    finish(store, done)
    first, second = RECORDED + SECOND, RECORDED + 2 * SECOND
    assert store.backlog.abandoned(first) == []
    assert store.backlog.abandoned(second) == [(HERE, old)]
    assert store.backlog.abandoned(second + SECOND) == [(HERE, old), ("other", young)]
    assert store.backlog.abandoned(second + SECOND, "other") == [("other", young)]


def test_some_facts_can_be_looked_at_alone(store: FactStore) -> None:
    """Of those that are named, finished ones and unknown ones lack."""
    a, b, done = (fact.id for fact in facts_in(store, 3))
    finish(store, done)
    later = RECORDED + timedelta(days=1)
    assert store.backlog.abandoned(later, HERE, [b, done, "fact_0"]) == [(HERE, b)]
    assert store.backlog.abandoned(later, HERE, []) == []
    assert store.backlog.abandoned(later, "other", [a, b]) == []
    assert store.backlog.abandoned(RECORDED, HERE, [a, b]) == []


def test_the_queues_are_counted_by_namespace_and_kind(store: FactStore) -> None:
    """Each queue says how many wait and since when the oldest does; what is closed does not count."""
    a, b, c = (fact.id for fact in facts_in(store, 3))
    d, e = (fact.id for fact in facts_in(store, 2, namespace="other"))
    finish(store, a, b, c)
    finish(store, d, namespace="other")
    judge(store, held(a, b))
    conflict, unsure = review(a, b), review(b, c, kind="unsure")
    apply(store, settled(*active(a, b, c), reviews=[conflict, unsure]))
    other = review(d, e)
    apply(store, settled(*active(d, e), reviews=[other]), namespace="other")
    apply(store, settled(*active(a, b, c), reviews=[conflict]))
    assert store.backlog.waiting() == [
        Waiting(HERE, "judge", "", 1, RECORDED + 5 * SECOND),
        Waiting(HERE, "review", "conflict", 1, RECORDED + 6 * SECOND),
        Waiting("other", "review", "conflict", 1, RECORDED + 7 * SECOND),
        Waiting("other", "unfinished", "", 1, RECORDED + 2 * SECOND),
    ]


def test_a_store_that_can_be_written_says_so(store: FactStore) -> None:
    """The check leaves nothing behind that anybody would see, however often it is made."""
    store.check_writable()
    store.check_writable()
    assert store.namespaces() == []
    assert store.backlog.waiting() == []
