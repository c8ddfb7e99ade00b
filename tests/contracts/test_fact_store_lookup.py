"""Finding facts: newest first, so many a key, of every state."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.adapters.sql_store import SqlStore
from arbiter.domain.facts import Sighting, fact_of
from arbiter.ports import FactStore
from tests.contracts.fact_store_cases import HERE, fresh, keep
from tests.factories import make_sighting


def three(store: FactStore) -> tuple[str, str, str]:
    """Keep three facts about Ada, the oldest first, and return their ids."""
    told = [
        make_sighting(
            f"Ada lived in city {n}", at=n, source="s", ref="r", subject="Ada", claim_key="Residence"
        )
        for n in (1, 2, 3)
    ]
    ids = [sighting.fact_id for sighting in told]
    names = dict.fromkeys(ids, "ada")
    keep(store, *told, subjects=names, entities=dict.fromkeys(ids, frozenset({"ada", "city"})))
    one, two, three_ = ids
    return one, two, three_


@pytest.mark.parametrize("limit", [1, 2, 5])
def test_every_lookup_is_newest_first_within_its_limit(store: FactStore, limit: int) -> None:
    """Each road gives the newest facts of a key up to the limit; keys that nobody has lack."""
    one, two, three_ = three(store)
    newest = [three_, two, one][:limit]
    assert store.by_subject(HERE, ["ada", "bo"], limit=limit) == {"ada": newest}
    assert store.by_claim_key(HERE, [("ada", "residence"), ("ada", "x")], limit=limit) == {
        ("ada", "residence"): newest
    }
    assert store.by_reference(HERE, [("s", "r"), ("s", "q")], limit=limit) == {("s", "r"): newest}
    assert store.by_entity(HERE, ["city", "ada", "rome"], limit=limit) == {"city": newest, "ada": newest}


def test_texts_are_found_by_fingerprint(store: FactStore) -> None:
    """One text about several subjects is several facts of one fingerprint."""
    told = [make_sighting("Likes tea.", at=n, subject=f"user:{n}") for n in range(3)]
    keep(store, *told)
    fingerprint = fact_of([told[0]]).fingerprint
    assert store.by_fingerprint(HERE, [fingerprint, "c1:unknown"], limit=2) == {
        fingerprint: [told[2].fact_id, told[1].fact_id]
    }


def test_subjects_are_compared_as_they_are(store: FactStore) -> None:
    """The name is the one given on arrival, not the record's, and not folded again."""
    told = make_sighting("Likes tea.", subject="Ada L.")
    keep(store, told, subjects={told.fact_id: "ada lovelace"})
    assert store.subjects_of(HERE, [told.fact_id, "fact_0"]) == {told.fact_id: "ada lovelace"}
    assert store.subjects_of("elsewhere", [told.fact_id]) == {}
    assert store.subjects(HERE) == ["ada lovelace"]
    assert store.by_subject(HERE, ["Ada L.", "ada l.", "Ada Lovelace"], limit=1) == {}


def test_subjects_are_sorted_and_told_once(store: FactStore) -> None:
    """Every name comes once, in order; facts without one add none."""
    told = [make_sighting(f"Likes tea {n}") for n in range(4)]
    ids = [sighting.fact_id for sighting in told]
    keep(store, *told, subjects={ids[0]: "zoë", ids[1]: "ada", ids[2]: "zoë"})
    assert store.subjects(HERE) == ["ada", "zoë"]


def test_entities_are_those_of_the_arrival(store: FactStore) -> None:
    """Named things are read back; facts that name nothing lack; later sightings do not add any."""
    one, _, _ = three(store)
    bare = keep(store, make_sighting("It rains."))[0]
    again = make_sighting("ada lived in city 1", at=9, source="s2", subject="Ada")
    keep(store, again, entities={one: frozenset({"mars"})})
    assert store.entities(HERE, [one, bare, "fact_unknown"]) == {one: frozenset({"ada", "city"})}


def test_an_earlier_sighting_makes_a_fact_older(store: FactStore) -> None:
    """Order is by first seen, so it does not depend on which sighting arrived first."""
    one, two, three_ = three(store)
    keep(store, make_sighting("ada lived in city 3", at=0, source="s2", ref="q", subject="Ada"))
    order = [two, one, three_]
    assert store.by_subject(HERE, ["ada"], limit=5) == {"ada": order}
    assert store.by_entity(HERE, ["ada"], limit=5) == {"ada": order}
    assert store.by_reference(HERE, [("s", "r"), ("s2", "q")], limit=5) == {
        ("s", "r"): order,
        ("s2", "q"): [three_],
    }


def test_a_claim_key_that_comes_later_is_found(store: FactStore) -> None:
    """The claim key is the fact's: that of the first sighting that has one."""
    told = make_sighting("Ada lives in Porto.", at=5, subject="ada")
    keep(store, told, subjects={told.fact_id: "ada"})
    keep(store, make_sighting("Ada lives in Porto.", at=6, source="s2", subject="ada", claim_key="Home"))
    assert store.by_claim_key(HERE, [("ada", "home")], limit=3) == {("ada", "home"): [told.fact_id]}


def test_vectors_come_after_a_position_and_of_one_model(store: FactStore) -> None:
    """A reader that remembers its position gets what is new since, of its own model, oldest first."""
    ids = [f"fact_{n}" for n in range(5)]
    rows = np.arange(15, dtype=np.float32).reshape(5, 3) / np.float32(7)
    with store.writing(HERE) as tx:
        tx.put_vectors("m", ids[:2], rows[:2])
        tx.put_vectors("other", ids[:1], np.ones((1, 8), dtype=np.float32))
    ((position, got, vectors),) = store.vectors(HERE, "m", after=0)
    assert got == ids[:2]
    np.testing.assert_array_equal(vectors, rows[:2])
    assert vectors.dtype == np.float32
    with store.writing(HERE) as tx:
        tx.put_vectors("m", [ids[0], ids[4]], rows[[3, 4]])
    ((later, got, vectors),) = store.vectors(HERE, "m", after=position)
    assert later > position
    assert got == [ids[4]]
    np.testing.assert_array_equal(vectors, rows[4:])
    assert list(store.vectors(HERE, "m", after=later)) == []
    ((_, got, vectors),) = store.vectors(HERE, "other", after=0)
    assert (got, vectors.shape) == (ids[:1], (1, 8))


def test_vectors_stream_in_chunks(store: FactStore) -> None:
    """Thousands come in several chunks, all of them, in the order in which they were added."""
    ids = [f"fact_{n:05}" for n in range(5000)]
    rows = np.arange(5000, dtype=np.float32).reshape(-1, 1)
    with store.writing(HERE) as tx:
        tx.put_vectors("m", ids, rows)
    chunks = list(store.vectors(HERE, "m", after=0))
    assert [fact_id for _, chunk, _ in chunks for fact_id in chunk] == ids
    np.testing.assert_array_equal(np.concatenate([vectors for *_, vectors in chunks]), rows)
    assert max(len(chunk) for _, chunk, _ in chunks) < 5000
    positions = [position for position, _, _ in chunks]
    assert positions == sorted(set(positions))


def test_unembedded_facts_lack_a_vector_of_that_model(store: FactStore) -> None:
    """A vector of another model does not count."""
    one, two, three_ = three(store)
    with store.writing(HERE) as tx:
        tx.put_vectors("m", [two], np.ones((1, 2), dtype=np.float32))
    assert store.unembedded(HERE, "m") == [one, three_]
    assert store.unembedded(HERE, "other") == [one, two, three_]


@given(
    told=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 30), st.integers(0, 2)), max_size=25),
    limit=st.integers(1, 4),
)
def test_lookups_agree_with_a_search_through_everything(
    sql_store: SqlStore, told: Sequence[tuple[int, int, int]], limit: int
) -> None:
    """Whatever arrives in whatever order, a lookup is the newest facts of a plain search."""
    namespace = fresh()
    sightings: dict[str, Sighting] = {}
    for name, at, source in told:
        sighting = make_sighting(
            f"Fact {at % 7}", at=at, source=f"s{source}", subject=f"user:{name}", ref="r"
        )
        sightings.setdefault(sighting.id, sighting)
        keep(sql_store, sighting, subjects={sighting.fact_id: f"user:{name}"}, namespace=namespace)
    groups: dict[str, list[str]] = {}
    facts = [
        fact_of([s for s in sightings.values() if s.fact_id == fact_id])
        for fact_id in {s.fact_id for s in sightings.values()}
    ]
    for fact in sorted(facts, key=lambda fact: (fact.first_seen, fact.id), reverse=True):
        groups.setdefault(str(fact.subject), []).append(fact.id)
    expected = {name: ids[:limit] for name, ids in groups.items()}
    assert sql_store.by_subject(namespace, [f"user:{n}" for n in range(4)], limit=limit) == expected
