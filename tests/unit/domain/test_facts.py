"""Identities: what makes two records one fact, one event, one sighting."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta, timezone
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.domain.canonical import canonical, fingerprint, fold_name, sorted_tags
from arbiter.domain.facts import EventKeyPolicy, Sighting, event_key, fact_id, fact_of, sighting_of
from arbiter.domain.vocabulary import Explicitness, Mutability
from tests.factories import AGENT, make_record, make_sighting

AUTO, IDENTITY, CONTENT = EventKeyPolicy


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Parking permits are renewed in October.", "  parking permits are  renewed in october.\n"),
        ("Café Lumière", "Cafe\u0301 Lumie\u0300re"),
        ("İZMİR DEPOSU SAAT 8'DE AÇILIR.", "İzmir deposu saat 8'de açılır."),
        ("STRASSE", "straße"),
    ],
)
def test_presentation_is_folded(one: str, other: str) -> None:
    """Case, white space, composition and the final stop make no new fact."""
    assert fingerprint(one) == fingerprint(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("blood group A+", "blood group A-"),
        ("Guests may bring pets", "Guests may not bring pets"),
        ("温室の鍵は管理室にあります。", "회의는 매주 목요일에 열립니다."),
        ("Uses Kotlin\uff1b办公室在成都。", "Uses Kotlin\uff1b办公室已搬到苏州。"),
        ("C++", "C#"),
        ("version 1.10", "version 1.1"),
        ("-5 °C", "5 °C"),
        ("10.4.2.17", "10.42.17"),
    ],
)
def test_meaning_is_kept(one: str, other: str) -> None:
    """Signs, digits, negation and scripts tell facts apart."""
    assert fingerprint(one) != fingerprint(other)


@given(st.text())
def test_the_canonical_form_is_a_fixed_point(text: str) -> None:
    """Folding twice folds no further."""
    assert canonical(canonical(text)) == canonical(text)


@given(st.text(st.characters(codec="ascii")).filter(str.strip))
def test_plain_letters_fold_like_any_other(text: str) -> None:
    """The short way for texts of them comes to what the long way does, which another script asks for."""
    assert canonical(f"é {text}") == f"é {canonical(text)}".removesuffix(" ")


def test_names_fold_further_than_texts() -> None:
    """A surname written first is the same name."""
    assert fold_name("Okafor, Ngozi") == fold_name(" ngozi  OKAFOR") == "ngozi okafor"


def test_tags_have_no_order() -> None:
    """Sorted, folded, each once."""
    assert sorted_tags(["B", "a", "A "]) == ("a", "b")


def test_a_fact_is_its_namespace_subject_and_text() -> None:
    """Source and time play no part; namespace and subject do."""
    base = make_record("Bin 7 is for glass.", subject="bin 7")
    assert fact_id(base) == fact_id(make_record("bin 7 is for glass", subject="Bin 7", at=9, source="other"))
    assert fact_id(base) != fact_id(replace(base, namespace="b"))
    assert fact_id(base) != fact_id(replace(base, subject="bin 8"))


def test_events_carry_their_time_whatever_zone_it_is_written_in() -> None:
    """Two points of a series with one text are two facts; one moment in two zones is one."""
    point = make_record("Level 61 %.", mutability=Mutability.EVENT)
    later = make_record("Level 61 %.", mutability=Mutability.EVENT, at=1)
    moved = replace(point, observed_at=point.observed_at.astimezone(timezone(timedelta(hours=5))))
    assert fact_id(point) != fact_id(later)
    assert fact_id(point) == fact_id(moved)


def test_event_keys_follow_the_source_policy() -> None:
    """Identity keys take the reference, content keys the content, auto the reference where there is one."""
    issue = make_record("Title A", source="github:acme", ref="issue:4471:opened")
    assert event_key(issue, AUTO) == event_key(issue, IDENTITY) == "github:acme:issue:4471:opened"
    assert event_key(issue, IDENTITY) == event_key(replace(issue, content="Title B"), IDENTITY)
    assert event_key(issue, CONTENT) != event_key(replace(issue, content="Title B"), CONTENT)
    scan = make_record("scan: 3 files", source="ide")
    assert event_key(scan, AUTO) == event_key(scan, CONTENT) == f"ide:{fact_id(scan)}"


def test_a_re_read_is_the_same_sighting_a_year_later_too() -> None:
    """Neither time nor metadata makes a new sighting."""
    first = sighting_of(make_record("Starred acme/x", source="stars", metadata={"id": "1"}), AUTO)
    later = sighting_of(make_record("Starred acme/x", source="stars", at=365, metadata={"id": "2"}), AUTO)
    assert first.id == later.id


@pytest.mark.parametrize(
    "change",
    [
        {"confidence": 0.6},
        {"kind": AGENT},
        {"causal_hint": "after the storm"},
        {"explicitness": Explicitness.INFERRED},
        {"source": "chat:2"},
    ],
)
def test_a_change_of_what_is_known_is_a_new_sighting(change: dict[str, object]) -> None:
    """Another confidence class, kind, hint or source is recorded, not swallowed."""
    base = make_sighting("The lift is broken.", confidence=0.9)
    changed = make_sighting("The lift is broken.", **({"confidence": 0.9} | change))
    assert base.id != changed.id
    assert base.fact_id == changed.fact_id


def test_a_wobble_of_confidence_is_no_news() -> None:
    """0.90 and 0.92 are one class."""
    assert make_sighting("X is up.", confidence=0.9).id == make_sighting("X is up.", confidence=0.92).id


def test_a_fact_does_not_depend_on_the_order_of_its_sightings() -> None:
    """Any order of three sightings tells the same fact, in the words of the first by time."""
    told: list[Sighting] = [
        make_sighting("The lift is broken", at=2, source="a", tags=("x",)),
        make_sighting("the lift is broken.", at=1, source="b", claim_key="lift.state"),
        make_sighting("THE LIFT IS BROKEN", at=3, source="c", value="broken", tags=("w",)),
    ]
    facts = [fact_of(order) for order in permutations(told)]
    assert all(fact == facts[0] for fact in facts)
    first = facts[0]
    assert (first.content, first.claim_key, first.value) == ("the lift is broken.", "lift.state", "broken")
    assert first.tags == ("w", "x")
    assert (first.seen_count, first.sources) == (3, ("a", "b", "c"))
