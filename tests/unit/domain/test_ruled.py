"""What rulings say about how a pair relates."""

from __future__ import annotations

from typing import Any

import pytest

from arbiter.domain.evidence import Unjudged, Verdict
from arbiter.domain.outcomes import Ruling
from arbiter.domain.ruled import Consent, RuledRelation, SettledPair
from arbiter.domain.vocabulary import Relation, RulingKind, UpdateKind
from tests.factories import day, make_fact, verdict

A, B = make_fact("The door is red."), make_fact("The door is blue.", at=1)
DUPLICATE, CONTRADICTION = verdict("duplicate"), verdict("contradiction")
UPDATE = verdict("update", kind="correction", current="b")
BESIDE, DOUBTED = verdict("complementary"), verdict("complementary", stale_risk="a")
APART = verdict("unrelated")


def settled(kind: str, found: Verdict | Unjudged | None, **fields: Any) -> SettledPair:
    """Return the pair with a ruling of this kind and what a judge found."""
    ruling = Ruling(
        id="rul_1",
        namespace="default",
        a=A.id,
        b=B.id,
        kind=RulingKind(kind),
        reviewer="kim",
        at=day(3),
        digest_a=A.digest,
        digest_b=B.digest,
        **fields,
    )
    return SettledPair(ruling, A, B, found)


@pytest.mark.parametrize(
    ("kind", "found", "relation", "consent"),
    [
        ("keep_a", DUPLICATE, RuledRelation(Relation.DUPLICATE), Consent.AGREED),
        ("keep_b", CONTRADICTION, RuledRelation(Relation.CONTRADICTION), Consent.AGREED),
        ("keep_b", UPDATE, RuledRelation(Relation.UPDATE, "b", UpdateKind.CORRECTION), Consent.AGREED),
        # The judge had it the other way round: it may be no update at all.
        ("keep_a", UPDATE, None, Consent.DISAGREED),
        ("keep_both", BESIDE, RuledRelation(Relation.COMPLEMENTARY), Consent.AGREED),
        ("keep_both", APART, RuledRelation(Relation.UNRELATED), Consent.AGREED),
        # It was doubtful, and it holds.
        ("keep_both", DOUBTED, RuledRelation(Relation.COMPLEMENTARY), Consent.AGREED),
        ("keep_b", DOUBTED, RuledRelation(Relation.COMPLEMENTARY, stale_risk="a"), Consent.AGREED),
        ("keep_a", DOUBTED, None, Consent.DISAGREED),
        ("keep_a", BESIDE, None, Consent.DISAGREED),
        ("keep_a", APART, None, Consent.DISAGREED),
        ("keep_both", CONTRADICTION, None, Consent.DISAGREED),
        ("keep_both", DUPLICATE, None, Consent.DISAGREED),
        ("neither", CONTRADICTION, None, Consent.SILENT),
        ("merge", DUPLICATE, None, Consent.SILENT),
        ("keep_a", Unjudged("judge_unavailable", "down", retryable=True), None, Consent.SILENT),
        ("keep_a", None, None, Consent.SILENT),
    ],
)
def test_a_ruling_confirms_what_it_does(
    kind: str, found: Verdict | Unjudged | None, relation: RuledRelation | None, consent: Consent
) -> None:
    """Only what a ruling bears out is taken for a relation; the rest is not guessed."""
    pair = settled(kind, found)
    assert (pair.relation, pair.consent) == (relation, consent)


@pytest.mark.parametrize(
    ("found", "consent"),
    [(UPDATE, Consent.AGREED), (DUPLICATE, Consent.DISAGREED), (None, Consent.SILENT)],
)
def test_a_relabel_says_the_relation(found: Verdict | None, consent: Consent) -> None:
    """It says no more than that: which side is current stays open, whatever the judge found."""
    pair = settled("relabel", found, relabel=Relation.UPDATE)
    assert (pair.relation, pair.consent) == (RuledRelation(Relation.UPDATE), consent)
