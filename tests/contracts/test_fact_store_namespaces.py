"""Nothing crosses a namespace: the same ids in two of them never meet, in any method."""

from __future__ import annotations

import numpy as np
import pytest

from arbiter.domain.evidence import JudgedPair, Unjudged
from arbiter.domain.outcomes import Receipt
from arbiter.domain.vocabulary import Outcome, State
from arbiter.errors import NotFoundError
from arbiter.ports import FactStore
from tests.contracts.fact_store_cases import (
    active,
    decision,
    judged,
    review,
    ruling,
    settled,
    sightings_in,
)
from tests.factories import day, make_sighting

ONE, TWO = "one", "two"
TOLD = [
    make_sighting(f"Ada lives in city {n}", at=n, subject="ada", claim_key="home", source="s", ref="r")
    for n in (1, 2, 3)
]
A, B, C = (sighting.fact_id for sighting in TOLD)
RECEIPT = Receipt(0, ONE, Outcome.STORED, stored=True, fact_id=A, event_key="k")
KEY = (min(A, B), max(A, B))


def fill(store: FactStore) -> None:
    """Put everything there is into the first namespace, and only the bare facts into the second."""
    ids = [A, B, C]
    with store.writing(TWO) as tx:
        tx.arrive(TOLD, {}, {})
    with store.writing(ONE) as tx:
        tx.arrive(TOLD, dict.fromkeys(ids, "ada"), dict.fromkeys(ids, frozenset({"city"})))
        tx.touch({TOLD[0].id: (day(9), 4)})
        tx.put_vectors("m", ids, np.ones((3, 2), dtype=np.float32))
        tx.judged([judged(A, B, "update"), JudgedPair(B, C, Unjudged("c", "m", retryable=True))])
        tx.finish(ids)
        tx.ruled(ruling(A, C))
        tx.apply(settled(*active(*ids), decisions=[decision(A, B)], reviews=[review(B, C)]))
        tx.receipts([RECEIPT])


def test_the_other_namespace_sees_nothing_of_it(store: FactStore) -> None:
    """With the same facts in both, the second has no touch, name, vector, verdict, state or decision."""
    fill(store)
    assert store.namespaces() == [ONE, TWO]
    assert sightings_in(store, namespace=TWO)[TOLD[0].id].seen_count == 1
    assert store.states(TWO, [A, B, C]) == {}
    assert store.subjects(TWO) == []
    assert store.by_subject(TWO, ["ada"], limit=9) == {}
    assert store.by_claim_key(TWO, [("ada", "home")], limit=9) == {}
    assert store.by_entity(TWO, ["city"], limit=9) == {}
    assert store.entities(TWO, [A, B, C]) == {}
    assert list(store.vectors(TWO, "m", after=0)) == []
    assert store.unembedded(TWO, "m") == store.unfinished(TWO) == [A, B, C]
    assert store.verdicts(TWO, [KEY]) == {}
    assert store.retryable(TWO) == []
    assert list(store.fact_ids(TWO, state=State.ACTIVE)) == []
    assert store.decisions(TWO, [A, B, C]) == []
    assert store.reviews(TWO, open_only=False) == []
    assert store.rulings(TWO) == []
    assert [entry.kind for entry in store.history(TWO, A)] == ["sighting"]
    with store.writing(TWO) as tx:
        cluster = tx.cluster([A])
    assert set(cluster.facts) == {A}
    assert (cluster.pairs, cluster.rulings) == ((), ())


@pytest.mark.parametrize("namespace", [TWO, "three", "One", "one ", ""])
def test_ids_of_another_namespace_are_unknown(store: FactStore, namespace: str) -> None:
    """Decisions, reviews and receipts are not found under another name, be it ever so alike."""
    fill(store)
    lookups = (
        lambda: store.decision(namespace, decision(A, B).id),
        lambda: store.later_decisions(namespace, decision(A, B).id),
        lambda: store.review(namespace, review(B, C).id),
        lambda: store.receipt(namespace, RECEIPT.id),
        lambda: store.history(namespace, "fact_x"),
    )
    for look_up in lookups:
        with pytest.raises(NotFoundError):
            look_up()


def test_a_namespace_without_facts_is_empty(store: FactStore) -> None:
    """A namespace that nobody wrote to reads as empty and is not listed."""
    fill(store)
    assert store.facts("three", [A]) == {}
    assert store.last_seen("three", [TOLD[0].id]) == {}
    assert store.by_fingerprint("three", ["x"], limit=1) == {}
    assert store.by_reference("three", [("s", "r")], limit=1) == {}
    assert list(store.fact_ids("three")) == store.unfinished("three") == store.unembedded("three", "m") == []
    with store.writing("three") as tx:
        tx.ruled(ruling(A, B))
    assert store.namespaces() == [ONE, TWO]


def test_writing_to_one_leaves_the_other_alone(store: FactStore) -> None:
    """Finishing, settling, erasing and rebuilding in the second changes nothing in the first."""
    fill(store)

    def seen() -> list[object]:
        with store.writing(ONE) as tx:
            cluster = tx.cluster([A])
        return [
            cluster,
            store.facts(ONE, [A, B, C]),
            store.states(ONE, [A, B, C]),
            store.decisions(ONE, [A, B]),
            store.reviews(ONE),
            store.by_subject(ONE, ["ada"], limit=9),
            store.by_entity(ONE, ["city"], limit=9),
            store.unfinished(ONE),
            [ids for _, ids, _ in store.vectors(ONE, "m", after=0)],
            store.history(ONE, A),
            store.receipt(ONE, RECEIPT.id),
        ]

    before = seen()
    with store.writing(TWO) as tx:
        tx.touch({TOLD[0].id: (day(30), 1)})
        tx.judged([judged(A, B, "unrelated")])
        tx.finish([B])
        tx.apply(settled(*active(A, B, C)))
        tx.apply(settled())
        tx.erase(A)
    store.rebuild_views(TWO)
    assert seen() == before
