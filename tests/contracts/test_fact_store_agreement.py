"""The fake and the real store live through the same and tell the same story."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from arbiter.adapters.policy_file import load_policy
from arbiter.adapters.sql_store import SqlStore
from arbiter.domain.facts import fact_of
from arbiter.domain.outcomes import Ruling, review_id
from arbiter.domain.review_queue import Comment, Place, QueueQuery, ReviewWork
from arbiter.domain.rulings import ASIDE
from arbiter.domain.settle import settle
from arbiter.domain.vocabulary import RulingKind, SourceKind, State
from arbiter.ports import FactStore
from arbiter.testing_store import MemoryStore
from tests.contracts.fact_store_cases import TickingClock, fresh, ruling
from tests.factories import day, make_sighting, pair

Step: TypeAlias = tuple[str, int, int, int]
"""What is done, and up to three numbers that say with what."""

POLICY = load_policy()
SOURCES = (SourceKind.USER_STATED, SourceKind.AGENT_INFERENCE)
TOLD = [
    make_sighting(
        f"Ada lives in city {n}",
        at=at,
        source=kind.value,
        kind=kind,
        ref=f"r{n % 2}",
        subject="Ada",
        claim_key="Home",
    )
    for n in range(4)
    for kind, at in zip(SOURCES, (n, 9 - n), strict=True)
]
FACTS = [fact_of(TOLD[n : n + 2]) for n in range(0, len(TOLD), 2)]
IDS = [fact.id for fact in FACTS]
WORDS = ("duplicate", "update", "contradiction", "complementary", "unrelated", "unjudged")
RULINGS = [kind for kind in RulingKind if kind is not RulingKind.RELABEL]
KINDS = (
    "arrive",
    "arrive",
    "touch",
    "judge",
    "judge",
    "rule",
    "rule",
    "work",
    "finish",
    "settle",
    "settle",
    "erase",
)
NOW = Place.start(day(3))

stories = st.lists(
    st.tuples(st.sampled_from(KINDS), st.integers(0, 7), st.integers(0, 7), st.integers(0, 5)), max_size=25
)


def take(step: Step, place: int, store: FactStore, namespace: str) -> None:
    """Take one step in a store; one that has nothing to work on does nothing."""
    what, i, j, k = step
    known = list(store.facts(namespace, IDS))
    one, other = IDS[i % 4], IDS[j % 4]
    with store.writing(namespace) as tx:
        if what == "arrive":
            name = {TOLD[i].fact_id: "ada"} if j % 2 else {}
            here = replace(TOLD[i], record=replace(TOLD[i].record, namespace=namespace))
            tx.arrive([here], name, {TOLD[i].fact_id: frozenset({"ada", f"city {i % 2}"})})
            tx.put_vectors("m", [TOLD[i].fact_id], np.full((1, 2), i, dtype=np.float32))
        elif what == "touch":
            tx.touch({TOLD[i].id: (day(j) if j else None, k)})
        elif what == "finish":
            tx.finish(known[: k + 1])
        elif what == "settle":
            tx.apply(settle(tx.cluster(known[: k + 1]), POLICY))
        elif what == "erase" and one in known:
            tx.erase(one)
        elif {one, other} <= set(known) and one != other:
            if what == "judge":
                tx.judged([pair(FACTS[i % 4], FACTS[j % 4], WORDS[k])])
            elif what == "rule":
                kind = RULINGS[(i + k) % len(RULINGS)]
                said = ruling(one, other, name=f"rul_{place}", at=20 + place, kind=kind, reason="so")
                tx.ruled(replace(said, namespace=namespace, **particulars(store, said, k)))
            elif what == "work":
                item = review_id(one, other)
                tx.works(ReviewWork(item, assignee=f"p{k}", claimed_by="ada", claimed_until=day(j)))
                tx.commented(Comment(item, f"p{k}", day(place), "so"))


def particulars(store: FactStore, said: Ruling, k: int) -> dict[str, Any]:
    """Return what belongs to a kind of ruling: the text of a merge, what a retraction is of, the evidence."""
    if said.kind is RulingKind.MERGE:
        text = TOLD[k]
        return {"merged": text.fact_id, "sighting": text.id}
    if said.kind is RulingKind.RETRACT:
        return {"retracts": f"rul_{k}"}
    if said.kind in ASIDE:
        name = review_id(said.a, said.b)
        asked = store.queued(said.namespace, [name])
        return {"evidence": asked[name].item.evidence if name in asked else ""}
    return {}


def told_by(store: FactStore, namespace: str) -> dict[str, object]:
    """Return everything that a store tells about a namespace."""
    keys = [(a, b) for a in IDS for b in IDS if a < b]
    with store.writing(namespace) as tx:
        clusters = [tx.cluster([fact_id]) for fact_id in IDS]
    decisions = store.decisions(namespace, IDS)
    return {
        "clusters": clusters,
        "facts": store.facts(namespace, IDS),
        "ids": [list(store.fact_ids(namespace, state=state)) for state in (None, *State)],
        "states": store.states(namespace, IDS),
        "waiting": [
            store.unfinished(namespace),
            store.retryable(namespace),
            store.unembedded(namespace, "m"),
        ],
        "verdicts": store.verdicts(namespace, keys),
        "decisions": decisions,
        "later": [store.later_decisions(namespace, decision.id) for decision in decisions],
        "reviews": [store.reviews(namespace, open_only=only) for only in (True, False)],
        "rulings": [[r.id for r in store.rulings(namespace)], store.rulings_on(namespace, keys)],
        "queue": [
            [
                (queued.item, queued.status, queued.work)
                for queued in store.queue(
                    namespace, QueueQuery(None, text=text, free_for=free), behind=NOW, limit=20
                )
            ]
            for text in (None, "CITY 1")
            for free in (None, "ada", "p1")
        ],
        "counts": replace(store.queue_counts(namespace, day(3)), oldest=None),
        "comments": store.comments(namespace, [review_id(a, b) for a, b in keys]),
        "subjects": [store.subjects(namespace), store.by_subject(namespace, ["ada"], limit=2)],
        "claims": store.by_claim_key(namespace, [("ada", "home")], limit=2),
        "entities": [store.entities(namespace, IDS), store.by_entity(namespace, ["ada", "city 1"], limit=2)],
        "texts": store.by_fingerprint(namespace, [fact.fingerprint for fact in FACTS], limit=2),
        "references": store.by_reference(namespace, [("user_stated", "r0"), ("x", "r1")], limit=2),
        "vectors": [(ids, rows.tolist()) for _, ids, rows in store.vectors(namespace, "m", after=0)],
        "history": [
            [(entry.kind, entry.detail) for entry in store.history(namespace, fact_id)]
            for fact_id in store.facts(namespace, IDS)
        ],
    }


@given(stories)
def test_both_stores_tell_the_same_story(sql_store: SqlStore, story: Sequence[Step]) -> None:
    """After any story both stores tell the same, and the real one also after rebuilding its views."""
    namespace = fresh()
    fake = MemoryStore(TickingClock())
    for place, step in enumerate(story):
        for store in (fake, sql_store):
            take(step, place, store, namespace)
    expected = told_by(fake, namespace)
    assert told_by(sql_store, namespace) == expected
    for store in (fake, sql_store):
        store.rebuild_views(namespace)
    assert told_by(sql_store, namespace) == told_by(fake, namespace)
    changed = {key for key, told in told_by(sql_store, namespace).items() if told != expected[key]}
    assert changed <= {"states", "ids"}
