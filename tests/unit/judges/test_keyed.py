"""The keyed judge: registered attributes, compared by value, and silence where code cannot be sure."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.adapters.claim_keys import ClaimKeyRegistry
from arbiter.domain.evidence import RecordPair, Unjudged, Verdict
from arbiter.domain.facts import Record
from arbiter.domain.vocabulary import Mutability, Relation, Stakes, UpdateKind
from arbiter.judges.guards import TextGuards
from arbiter.judges.keyed import KeyedJudge
from tests.factories import day, make_record

REGISTRY = ClaimKeyRegistry.load()
JUDGE = KeyedJudge(REGISTRY, TextGuards(REGISTRY.canonical_name))


def told(content: str, key: str | None, **fields: Any) -> Record:
    """Return a record about Ana under a claim key."""
    return make_record(content, **{"subject": "Ana", "claim_key": key, **fields})


def judge(a: Record, b: Record) -> Verdict | Unjudged:
    """Return the judgement of one pair."""
    (judgement,), _ = JUDGE.judge([RecordPair(a, b)])
    return judgement


def relation(a: Record, b: Record) -> str:
    """Return relation and update kind in short, or why it was not decided."""
    judgement = judge(a, b)
    if isinstance(judgement, Unjudged):
        assert (judgement.code, judgement.retryable) == ("not_decided", False)
        return "not decided"
    return f"{judgement.relation} {judgement.update_kind or ''}".strip()


def test_a_later_value_of_the_same_source_is_a_change() -> None:
    """The verdict says which is current, why, and what the registry knows of the attribute."""
    a = told("Ana lives in Lisbon.", "user.residence", value="Lisbon")
    b = told("Ana moved to Porto.", "user.residence", value="Porto", at=30)
    assert judge(a, b) == Verdict(
        relation=Relation.UPDATE,
        confidence=0.98,
        judge=f"keyed/1@{REGISTRY.digest}",
        current="b",
        update_kind=UpdateKind.STATE_CHANGE,
        attribute="user.residence",
        mutability=Mutability.MUTABLE,
        stakes=Stakes.NORMAL,
        reason="user.residence: 'Lisbon' and 'Porto', changed",
    )


@pytest.mark.parametrize(
    ("at", "source", "expected"),
    [
        (0.01, "chat:1", "update state_change"),
        (0, "chat:1", "contradiction"),
        (0.5, "crm", "contradiction"),
        (1, "crm", "update state_change"),
    ],
)
def test_sources_and_moments(at: float, source: str, expected: str) -> None:
    """One source may change its mind at once; two sources within a day speak of one moment."""
    a = told("Ana lives in Lisbon.", "user.residence")
    b = told("Ana lives in Porto.", "user.residence", at=at, source=source)
    assert relation(a, b) == expected


def test_same_moment_can_be_set() -> None:
    """A shorter moment makes a later value of another source a change."""
    judge = KeyedJudge(REGISTRY, TextGuards(), same_moment=timedelta(hours=1))
    a = told("Ana lives in Lisbon.", "user.residence")
    b = told("Ana lives in Porto.", "user.residence", at=0.5, source="crm")
    (judgement,), _ = judge.judge([RecordPair(a, b)])
    assert isinstance(judgement, Verdict)
    assert judgement.relation is Relation.UPDATE


@pytest.mark.parametrize(
    ("key", "a", "b", "expected"),
    [
        ("ana.birthplace", "Ana was born in Ribe.", "Ana was born in Odense.", "contradiction"),
        ("ana.blood_group", "Ana is A+.", "Ana is A-.", "contradiction"),
        ("ana.dob", "Born on 3 May 1990.", "Date of birth: 1990-05-03", "duplicate"),
        ("ana.languages", "Ana speaks Portuguese.", "Ana speaks Finnish.", "complementary"),
        ("ana.weight", "It weighs 3.5 kg.", "It weighs 3500 g.", "duplicate"),
        ("ana.price", "Costs €1,150.00.", "Costs 1150 euro.", "duplicate"),
        ("ana.opens", "Opens at half past nine.", "Opens at 9:30.", "duplicate"),
        ("MeterService.retry_limit", "Retry limit is 3.", "Retry limit is now 5.", "update state_change"),
        ("ana.seats", "There are 5 seats.", "Correction: it was 6 seats.", "update correction"),
        ("ana.seats", "There are 5 seats.", "There are 6 seats, not 5.", "update correction"),
        ("ana.temperature", "It was 5 °C.", "It was 7 °C.", "complementary"),
        ("ana.residence", "Ana lives in Porto.", "Ana lives in Porto, Portugal.", "not decided"),
        ("ana.residence", "Ana lives in Porto.", "Ana lives in Porto with two dogs.", "not decided"),
        ("ana.residence", "Ana lives in Porto.", "Ana will live in Lisbon.", "not decided"),
        ("ana.residence", "Ana lives in Porto.", "Ana no longer lives in Lisbon.", "not decided"),
        ("ana.unheard_of", "Ana has 5.", "Ana has 6.", "not decided"),
    ],
)
def test_values_in_texts(key: str, a: str, b: str, expected: str) -> None:
    """A month later the same source tells a value in other words."""
    assert relation(told(a, key), told(b, key, at=30)) == expected


def test_another_source_is_believed_when_it_denies_the_old_value() -> None:
    """Naming the old value after "not" is a correction, whoever makes it."""
    a = told("The workshop is on 9 May.", "workshop.date")
    b = told("The workshop is on 16 May, not 9 May.", "workshop.date", at=2, source="host")
    assert relation(a, b) == "update correction"


def test_a_stable_attribute_told_otherwise_by_another_source_is_not_decided() -> None:
    """A name seldom changes: another one from elsewhere is a change or a mistake, and code cannot tell."""
    a = told("The holder is called Wiebke.", "holder.name")
    b = told("The holder is called Marlon.", "holder.name", at=30)
    assert relation(a, b) == "update state_change"
    assert relation(a, told(b.content, "holder.name", at=30, source="extractor")) == "not decided"


def test_subjects_and_keys_must_be_the_same() -> None:
    """Aliases and spellings meet; a missing subject or another one leaves the pair undecided."""
    a = told("Made there.", "x.capital", value="Lisbon", subject="USA")
    assert relation(a, told("Made there.", "X:Capital", value="Porto", subject="United States", at=3)) == (
        "update state_change"
    )
    for fields in ({"subject": None}, {"subject": "France"}, {"claim_key": "x.currency"}):
        other = told("Made there.", "x.capital", value="Porto", at=3, **({"subject": "USA"} | fields))
        assert relation(a, other) == "not decided"


def test_validity_keeps_values_apart() -> None:
    """Two values that held one after the other do not fight."""
    a = told("Ana lives in Lisbon.", "ana.residence", value="Lisbon", valid_to=day(10))
    b = told("Ana lives in Porto.", "ana.residence", value="Porto", valid_from=day(10), at=0.5, source="crm")
    assert relation(a, b) == "complementary"


def test_a_new_version_of_a_source_entry() -> None:
    """The same source and reference with other words is a new version, whatever the words are."""
    a = make_record("Route 9 is closed on Sundays.", ref="route:9")
    b = make_record("Route 9 runs daily.", ref="route:9", at=1)
    assert judge(a, b) == Verdict(
        relation=Relation.UPDATE,
        confidence=1.0,
        judge=JUDGE.judge_id,
        current="b",
        update_kind=UpdateKind.STATE_CHANGE,
        reason="a new version of route:9",
    )
    assert relation(a, make_record("Route 9 runs daily.", ref="route:9")) == "not decided"
    assert relation(a, make_record("Route 9 runs daily.", ref="route:9", at=1, source="crm")) == "not decided"
    assert relation(a, make_record("route 9 is closed on sundays", ref="route:9", at=1)) == "not decided"


def test_events() -> None:
    """One moment has one reading; dates in words and near tellings of others are left alone."""
    a = told("Level: 61 percent", "ana.reading")
    assert relation(a, told("Level: 58 percent", "ana.reading", source="crm")) == "contradiction"
    assert relation(a, told("Level 61 percent", "ana.reading", source="crm")) == "duplicate"
    assert relation(a, told("Level: 61 percent.", "ana.reading", at=0.5, source="crm")) == "not decided"
    assert relation(a, told("On 3 May: 58 percent", "ana.reading", at=9)) == "not decided"


def test_the_record_speaks_before_the_registry() -> None:
    """Mutability and stakes of the record are kept, and the higher stakes count."""
    a = told("Ana lives in Lisbon.", "ana.residence", mutability=Mutability.IMMUTABLE, stakes=Stakes.HIGH)
    b = told("Ana lives in Porto.", "ana.residence", mutability=Mutability.IMMUTABLE, at=30)
    judgement = judge(a, b)
    assert isinstance(judgement, Verdict)
    assert (judgement.relation, judgement.stakes) == (Relation.CONTRADICTION, Stakes.HIGH)


VALUES = st.sampled_from(["Lisbon", "Porto", "Porto, Portugal", "Odense", "not Porto"])
KEYS = st.sampled_from(["ana.residence", "ana.birthplace", "ana.languages", "ana.name", "ana.unknown"])


@given(KEYS, VALUES, VALUES, st.sampled_from(["chat:1", "crm"]))
def test_at_one_moment_the_sides_play_no_part(key: str, one: str, other: str, source: str) -> None:
    """Told at the same time, exchanging the two changes nothing."""
    a, b = told("Ana said so.", key, value=one), told("Ana told so.", key, value=other, source=source)
    assert relation(a, b) == relation(b, a)


@given(KEYS, st.text(max_size=20), st.text(max_size=20), st.text(max_size=40), st.floats(0, 400))
def test_no_text_breaks_the_judge(key: str, one: str, other: str, content: str, at: float) -> None:
    """Whatever the values and texts are, there is one judgement."""
    a, b = told(content, key, value=one), told(content + ".", key, value=other, at=at)
    assert isinstance(judge(a, b), Verdict | Unjudged)
