"""The record of a merged text: whose word it is, of when, and what is known beside its words."""

from __future__ import annotations

from dataclasses import replace

from arbiter.adapters.policy_file import load_policy
from arbiter.domain.facts import Fact, Record, Source, fact_of
from arbiter.domain.merged_record import merged_record
from arbiter.domain.policy import SourceRule
from arbiter.domain.vocabulary import Explicitness, Mutability, SourceKind, Stakes
from tests.factories import AGENT, THIRD, USER, day, make_fact, make_sighting

POLICY = load_policy()


def merged(a: Fact, b: Fact) -> Record:
    """Return the record of a text by Ada for two facts."""
    return merged_record(a, b, "Both.", reviewer="ada", ref="rev_1", policy=POLICY)


def test_the_reviewer_is_the_source_and_the_best_source_gives_kind_and_time() -> None:
    """The user outranks the later echo of an agent; of equals the latest word counts."""
    a = fact_of(
        [make_sighting("One.", at=1, kind=USER), make_sighting("One.", at=9, source="bot", kind=AGENT)]
    )
    b = make_fact("Two.", at=5, source="crm", kind=THIRD)
    record = merged(a, b)
    assert record.source == Source("reviewer:ada", SourceKind.USER_STATED, "rev_1")
    assert (record.content, record.observed_at, record.namespace) == ("Both.", day(1), "default")
    assert record.metadata == {"merged_from": [a.id, b.id]}
    assert merged(a, make_fact("Two.", at=5, kind=USER)).observed_at == day(5)


def test_the_policy_says_who_is_the_best_source() -> None:
    """A third party with a high weight stands above the user."""
    weighty = replace(POLICY, sources=(SourceRule("land-registry", weight=9.0),))
    a, b = make_fact("One.", at=1), make_fact("Two.", at=5, source="land-registry", kind=THIRD)
    record = merged_record(a, b, "Both.", reviewer="ada", ref="rev_1", policy=weighty)
    assert (record.source.kind, record.observed_at) == (THIRD, day(5))


def test_what_the_two_agree_on_is_kept() -> None:
    """A silent side agrees; keys or values that differ are dropped, of two subjects the later one stays."""
    a = make_fact("One.", subject="Dana", claim_key="user.home", value="Porto", tags=("x",))
    silent = make_fact("Two.", at=1, tags=("y",))
    record = merged(a, silent)
    assert (record.subject, record.claim_key, record.value, record.tags) == (
        "Dana",
        "user.home",
        "Porto",
        ("x", "y"),
    )
    same = make_fact("Two.", at=1, subject="Dana Okafor", claim_key="User.Home", value="Faro")
    record = merged(a, same)
    assert (record.subject, record.claim_key, record.value) == ("Dana Okafor", "User.Home", None)
    other = make_fact("Two.", at=1, claim_key="user.office", value="Porto")
    assert (merged(a, other).claim_key, merged(a, other).value) == (None, "Porto")


def test_what_limits_a_statement_is_the_wider_of_both() -> None:
    """Validity, lifetime, stakes, confidence: never narrower than either side, never less careful."""
    a = make_fact("One.", valid_from=day(2), valid_to=day(8), mutability=Mutability.MUTABLE, confidence=0.4)
    b = make_fact(
        "Two.",
        at=1,
        valid_from=day(1),
        mutability=Mutability.STABLE,
        stakes=Stakes.HIGH,
        confidence=0.7,
        explicitness=Explicitness.INFERRED,
    )
    record = merged(a, b)
    assert (record.valid_from, record.valid_to) == (day(1), None)
    assert (record.mutability, record.stakes) == (Mutability.STABLE, Stakes.HIGH)
    assert (record.confidence, record.explicitness) == (0.7, Explicitness.STATED)
    later = make_fact("Two.", at=1, valid_to=day(9), explicitness=Explicitness.INFERRED)
    assert merged(a, later).valid_to == day(9)
    assert merged(make_fact("One."), make_fact("Two.", at=1)).mutability is None
