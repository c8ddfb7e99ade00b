"""The history of a fact, and its views built again from the log."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest

from arbiter.domain.outcomes import FactState, HistoryEntry
from arbiter.domain.vocabulary import State, StateReason
from arbiter.errors import NotFoundError
from arbiter.interchange.receipts import decision_json, verdict_json
from arbiter.ports import FactStore
from tests.contracts.fact_store_cases import (
    HERE,
    RECORDED,
    active,
    apply,
    decision,
    judge,
    judged,
    keep,
    review,
    ruling,
    settled,
)
from tests.factories import day, make_sighting


def test_history_tells_everything_in_the_order_of_the_log(store: FactStore) -> None:
    """Sightings, judgements, decisions, states and rulings of the fact, as they were recorded."""
    first = make_sighting("Ada lives in Porto.", at=3, source="s1", ref="r1", confidence=0.9)
    later = make_sighting("Ada lives in Rome.", at=4)
    a, b = keep(store, first, later)
    found = judged(a, b, "update", reason="moved")
    judge(store, found)
    decided = decision(a, b, scores={"votes": 1.0})
    retired = FactState(a, State.SUPERSEDED, StateReason.UPDATE, b, decision=decided.id)
    apply(store, settled(*active(a)))
    apply(store, settled(retired, *active(b), decisions=[decided]))
    with store.writing(HERE) as tx:
        tx.ruled(ruling(b, a, at=9, reason="no"))
        tx.touch({first.id: (day(8), 2)})
    apply(store, settled(*active(a, b)))
    entries = store.history(HERE, a)
    kinds = ["sighting", "judgement", "state", "decision", "state", "ruling", "decision", "state"]
    assert [entry.kind for entry in entries] == kinds
    assert [entry.at for entry in entries] == sorted(entry.at for entry in entries)
    assert all(RECORDED < entry.at < RECORDED + timedelta(minutes=1) for entry in entries)
    details = [dict(entry.detail) for entry in entries]
    assert details[0] == {
        "sighting_id": first.id,
        "event_key": "s1:r1",
        "source": {"id": "s1", "kind": "user_stated", "ref": "r1"},
        "content": "Ada lives in Porto.",
        "confidence": 0.9,
        "observed_at": "2026-01-04T09:00:00+00:00",
        "last_seen": "2026-01-09T09:00:00+00:00",
        "seen_count": 3,
        "record_index": None,
    }
    said = verdict_json(None, found.judgement)
    del said["id"]
    assert details[1] == {"a": a, "b": b, **said}
    plain = {"reason": None, "successor": None, "contested": False, "decision": None}
    assert details[2] == {"old": None, "new": "active", **plain}
    assert details[3] == {"in_force": True, **decision_json(decided)}
    assert details[4] == {
        "old": "active",
        "new": "superseded",
        "reason": "update",
        "successor": b,
        "contested": False,
        "decision": decided.id,
    }
    assert details[5] == {
        "id": "rul_1",
        "a": b,
        "b": a,
        "ruling": "keep_both",
        "reviewer": "ada",
        "at": "2026-01-10T09:00:00+00:00",
        "relabel": None,
        "reason": "no",
        "policy": "",
        "decision": None,
        "merged": None,
        "retracts": None,
    }
    assert details[6] == {"in_force": False, **decision_json(decided)}
    assert details[7] == {"old": "superseded", "new": "active", **plain}


def test_only_known_facts_have_a_history(store: FactStore) -> None:
    """A fact that just arrived has its sighting; an unknown one is an error."""
    (a,) = keep(store, make_sighting("Ada lives in Porto."))
    assert [type(entry) for entry in store.history(HERE, a)] == [HistoryEntry]
    with pytest.raises(NotFoundError, match="fact_unknown"):
        store.history(HERE, "fact_unknown")


def test_rebuilding_gives_back_everything_but_the_states(store: FactStore) -> None:
    """Fact rows, lookups, pairs, what is finished and what is in force are the same; states are gone."""
    told = [
        make_sighting(f"Fact {n}", at=n, subject="Ada", claim_key="k", source="s", ref="r") for n in range(4)
    ]
    a, b, c, d = keep(
        store,
        *told,
        subjects=dict.fromkeys((s.fact_id for s in told), "ada"),
        entities={told[0].fact_id: frozenset({"porto"})},
    )
    keep(store, make_sighting("fact 3", at=-1, subject="Ada", source="s2", ref="q"))
    judge(store, judged(a, b, "update"), judged(b, c, "unrelated"))
    decided, asked = decision(a, b), review(a, b)
    with store.writing(HERE) as tx:
        tx.put_vectors("m", [a], np.ones((1, 2), dtype=np.float32))
        tx.finish([a, b])
        tx.ruled(ruling(c, d))
        tx.erase(c)
        tx.apply(settled(*active(a, b, c, d), decisions=[decided], reviews=[asked]))

    def views() -> list[object]:
        with store.writing(HERE) as tx:
            cluster = tx.cluster([a, c])
        return [
            cluster,
            list(store.fact_ids(HERE)),
            store.facts(HERE, [a, b, c, d]),
            store.unfinished(HERE),
            store.unembedded(HERE, "m"),
            store.subjects(HERE),
            store.by_subject(HERE, ["ada"], limit=9),
            store.by_claim_key(HERE, [("ada", "k")], limit=9),
            store.by_reference(HERE, [("s", "r"), ("s2", "q")], limit=9),
            store.by_entity(HERE, ["porto"], limit=9),
            store.by_fingerprint(HERE, [f.fingerprint for f in cluster.facts.values()], limit=9),
            store.verdicts(HERE, [tuple(sorted(pair)) for pair in ((a, b), (b, c))]),  # type: ignore[misc]
            store.decisions(HERE, [a]),
            store.reviews(HERE),
        ]

    before, history = views(), store.history(HERE, a)
    store.rebuild_views(HERE)
    assert store.states(HERE, [a, b, c, d]) == {}
    assert views() == before
    again = settled(*active(a, b, c, d), decisions=[decided], reviews=[asked])
    assert apply(store, again) == []
    assert store.states(HERE, [a, b, c, d]) == again.states
    assert store.history(HERE, a) == history
    moved = replace(again.states[a], contested=True)
    assert apply(store, settled(moved, *active(b, c, d), decisions=[decided], reviews=[asked])) == [moved]
