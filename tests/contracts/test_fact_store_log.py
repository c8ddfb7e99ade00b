"""The log of a fact store: what arrives stays, once, and all or nothing."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest

from arbiter.domain.facts import fact_of
from arbiter.domain.vocabulary import Explicitness, Mutability, SourceKind, Stakes
from arbiter.errors import NotFoundError, StoreError
from arbiter.ports import FactStore
from tests.contracts.fact_store_cases import HERE, facts_in, keep, sightings_in
from tests.factories import day, make_record, make_sighting


class BrokenOffError(Exception):
    """Something else went wrong inside a transaction."""


def test_every_field_of_a_sighting_survives(store: FactStore) -> None:
    """What is read back equals what arrived, whatever the zone in which its times were written."""
    full = make_sighting(
        "Müller’s ‎dose is -5 mg — “A+”, 東京 🩸.",
        at=1.5,
        source="github:acme",
        kind=SourceKind.THIRD_PARTY,
        ref="issue:4471",
        subject="user:42",
        claim_key="user.dose",
        value="5 mg",
        confidence=0.30000000000000004,
        explicitness=Explicitness.INFERRED,
        causal_hint="because",
        valid_from=day(0.25),
        valid_to=day(9),
        mutability=Mutability.EPHEMERAL,
        stakes=Stakes.HIGH,
        tags=("b", "a"),
        metadata={"deep": {"list": [1, 2.5, None, True, "ü"]}},
    )
    full = replace(full, last_seen=day(7) + timedelta(microseconds=1), seen_count=3, record_index=9)
    bare = make_sighting("Nothing else is known.")
    keep(store, full, bare)
    assert sightings_in(store) == {full.id: full, bare.id: bare}


def test_facts_are_those_of_their_sightings(store: FactStore) -> None:
    """A fact is what the domain makes of all its sightings; unknown ids lack."""
    one = make_sighting("Ada lives in Porto.", at=3, source="s1", value="Porto")
    other = make_sighting("ada lives in porto", at=1, source="s2", claim_key="residence")
    keep(store, one)
    keep(store, other)
    fact = fact_of([one, other])
    assert store.facts(HERE, [fact.id, "fact_unknown"]) == {fact.id: fact}
    assert fact.content == "ada lives in porto"


def test_a_known_sighting_is_left_as_it_is(store: FactStore) -> None:
    """A delivery that repeats an id changes nothing, within a batch and later."""
    first = make_sighting("Ada lives in Porto.")
    keep(store, first, replace(first, seen_count=5))
    keep(store, replace(first, seen_count=9))
    assert sightings_in(store) == {first.id: first}


def test_touches_count_and_only_move_forward(store: FactStore) -> None:
    """The latest time seen is the latest of all, the counts add up, unknown ids are ignored."""
    first = make_sighting("Ada lives in Porto.")
    other = make_sighting("Bo lives in Rome.")
    keep(store, first, other)
    for latest, more in ((day(5), 2), (day(3), 1)):
        with store.writing(HERE) as tx:
            tx.touch({first.id: (latest, more), "sight_unknown": (latest, more)})
    assert sightings_in(store) == {
        first.id: replace(first, last_seen=day(5), seen_count=4),
        other.id: other,
    }


def test_a_touch_without_a_time_counts_only(store: FactStore) -> None:
    """Where nothing was seen later only the counts grow, each by its own number."""
    told = [make_sighting(f"Fact {n}", at=n) for n in range(3)]
    keep(store, *told)
    with store.writing(HERE) as tx:
        tx.touch({told[0].id: (None, 1), told[1].id: (None, 3), "sight_unknown": (None, 1)})
    counted = [replace(told[0], seen_count=2), replace(told[1], seen_count=4), told[2]]
    assert sightings_in(store) == {s.id: s for s in counted}


def test_when_sightings_were_last_seen(store: FactStore) -> None:
    """Each sighting has its own time, re-reads included; unknown ids lack."""
    a, b, c = (make_sighting(f"Fact {n}", at=n) for n in range(3))
    keep(store, a, b, c)
    with store.writing(HERE) as tx:
        tx.touch({b.id: (day(7) + timedelta(microseconds=1), 1)})
    assert store.last_seen(HERE, [b.id, a.id, "sight_unknown"]) == {
        a.id: day(0),
        b.id: day(7) + timedelta(microseconds=1),
    }


def test_facts_are_unfinished_until_they_are_finished(store: FactStore) -> None:
    """New facts wait, oldest first; a further sighting of a finished one does not start it again."""
    a, b, c = (fact.id for fact in facts_in(store, 3))
    with store.writing(HERE) as tx:
        tx.finish([b])
        assert tx.cluster([a, b, c]).unfinished == {a, c}
    keep(store, make_sighting("fact number 1", at=8, source="s2"))
    assert store.unfinished(HERE) == [a, c]
    with store.writing(HERE) as tx:
        tx.finish([c, a, b])
    assert store.unfinished(HERE) == []


def test_fact_ids_are_oldest_first(store: FactStore) -> None:
    """Ids come by the time at which the facts were first seen, whatever the order of arrival."""
    late, early, middle = (make_sighting(f"Fact {n}", at=n) for n in (9, 1, 5))
    keep(store, late, early)
    keep(store, middle)
    assert list(store.fact_ids(HERE)) == [early.fact_id, middle.fact_id, late.fact_id]
    assert list(store.fact_ids(HERE, after=early.fact_id)) == [middle.fact_id, late.fact_id]
    assert list(store.fact_ids(HERE, after=late.fact_id)) == []
    with pytest.raises(NotFoundError):
        list(store.fact_ids(HERE, after="fact_0"))
    keep(store, make_sighting("fact 9", at=0, source="s2"))
    assert list(store.fact_ids(HERE)) == [late.fact_id, early.fact_id, middle.fact_id]


def test_fact_ids_come_in_pages_without_gaps(store: FactStore) -> None:
    """More facts than any page holds, many of one moment, come once each, in order."""
    told = [make_sighting(f"Fact {n}", at=n // 1000) for n in range(4500)]
    keep(store, *told)
    expected = [s.fact_id for s in sorted(told, key=lambda s: (s.first_seen, s.fact_id))]
    assert list(store.fact_ids(HERE)) == expected


def test_nothing_is_kept_when_the_block_raises(store: FactStore) -> None:
    """Whatever was written in a block that raises is gone, and the next block works."""
    known = make_sighting("Ada lives in Porto.")
    keep(store, known)
    new = make_sighting("Bo lives in Rome.")

    def break_off() -> None:
        with store.writing(HERE) as tx:
            tx.arrive([new], {new.fact_id: "bo"}, {new.fact_id: frozenset({"rome"})})
            tx.touch({known.id: (day(4), 7)})
            tx.put_vectors("m", [new.fact_id], np.ones((1, 2), dtype=np.float32))
            tx.finish([known.fact_id])
            raise BrokenOffError

    with pytest.raises(BrokenOffError):
        break_off()
    assert sightings_in(store) == {known.id: known}
    assert list(store.fact_ids(HERE)) == store.unfinished(HERE) == [known.fact_id]
    assert store.subjects(HERE) == []
    assert store.by_entity(HERE, ["rome"], limit=5) == {}
    assert list(store.vectors(HERE, "m", after=0)) == []
    keep(store, new)
    assert sightings_in(store) == {known.id: known, new.id: new}


def test_the_writing_thread_reads_what_it_wrote(store: FactStore) -> None:
    """Inside the block the same thread sees its own changes."""
    new = make_sighting("Bo lives in Rome.")
    with store.writing(HERE) as tx:
        assert store.last_seen(HERE, [new.id]) == {}
        tx.arrive([new], {}, {})
        assert store.last_seen(HERE, [new.id]) == {new.id: new.last_seen}
        assert list(store.fact_ids(HERE)) == [new.fact_id]


def test_a_thread_writes_one_transaction_at_a_time(store: FactStore) -> None:
    """A second transaction inside the first one is refused instead of waiting for itself forever."""
    new = make_sighting("Bo lives in Rome.")
    with store.writing(HERE) as tx:
        with pytest.raises(StoreError, match="writing already"), store.writing("other"):
            pass
        tx.arrive([new], {}, {})
    assert list(store.fact_ids(HERE)) == [new.fact_id]


def test_records_of_one_time_are_told_apart_to_the_microsecond(store: FactStore) -> None:
    """Times keep their microseconds."""
    record = replace(make_record("Ada lives in Porto."), observed_at=day(0) + timedelta(microseconds=7))
    told = replace(make_sighting("Ada lives in Porto."), record=record)
    keep(store, told)
    assert sightings_in(store)[told.id].first_seen == day(0) + timedelta(microseconds=7)


def test_nothing_to_do_is_no_error(store: FactStore) -> None:
    """Empty calls of every kind change nothing."""
    with store.writing(HERE) as tx:
        tx.arrive([], {}, {})
        tx.touch({})
        tx.put_vectors("m", [], np.empty((0, 2), dtype=np.float32))
        tx.judged([])
        tx.finish([])
        tx.receipts([])
        assert tx.cluster([]).facts == {}
    assert store.namespaces() == []
    assert store.facts(HERE, []) == {}
    assert store.last_seen(HERE, []) == {}
    assert store.states(HERE, []) == {}
