"""Candidates: which pairs come before the judges, on fakes."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from arbiter.domain.vocabulary import Relation
from arbiter.pipeline.context import Context
from arbiter.ports import Judge
from evals.candidates import Wanted, find_pairs, retrieval_suite
from tests.factories import make_record
from tests.fake_stack import around

RECORDS = [
    make_record("Ana lives in Porto.", subject="Ana"),
    make_record("Ana moved to Lagos.", at=1, subject="Ana"),
    make_record("the kettle is broken", at=2),
    make_record("boiling water takes for ever these days", at=3),
    make_record("ana lives in porto", at=4, subject="Ana"),
    make_record("the red kettle in the kitchen was mended", at=5),
]
WANTED = [
    Wanted("shared", "g", Relation.UPDATE, 0, 1),
    Wanted("far", "g", Relation.CONTRADICTION, 2, 3),
    Wanted("same", "g", Relation.DUPLICATE, 0, 4),
    Wanted("near", "g", Relation.UPDATE, 2, 5),
]


def strict(judge: Judge) -> Context:
    """Return a context in which unlike texts are no candidates."""
    context = around(judge)
    return replace(context, limits=replace(context.limits, near=0.2))


def test_what_becomes_of_wanted_pairs() -> None:
    """Judged, one fact already, no candidate at all, or dropped by a rule."""
    score = find_pairs("mine", RECORDS, WANTED, strict)
    assert [(pair.id, pair.fate) for pair in score.pairs] == [
        ("shared", "judged"),
        ("far", "not_retrieved"),
        ("same", "same_fact"),
        ("near", "similarity"),
    ]
    assert [(pair.complete, pair.retrieved) for pair in score.pairs] == [
        (True, True),
        (False, False),
        (True, True),
        (False, True),
    ]
    assert score.pairs[3].similarity == pytest.approx(0.47, abs=0.1)
    assert score.completeness() == 0.5
    assert score.completeness(Relation.UPDATE) == 0.5


def test_what_is_written_of_it() -> None:
    """Shares, and how many candidates a fact has."""
    told = find_pairs("mine", RECORDS, WANTED, strict).as_json()
    assert told["by_relation"] == {"duplicate": 1.0, "update": 0.5, "contradiction": 0.0}
    assert (told["wanted"], told["completeness"], told["retrieved"], told["facts"]) == (4, 0.5, 0.75, 5)
    assert (told["candidates_per_fact"], told["judged_per_fact"]) == (1.2, 0.2)
    assert told["pairs"][0]["id"] == "shared"


def test_distractors_are_there_before() -> None:
    """They are candidates like any other fact, and wanted pairs are still found among them."""
    score = find_pairs("mine", RECORDS, WANTED, around, 40)
    assert (score.distractors, score.pairs[0].fate) == (40, "judged")
    assert score.candidates > find_pairs("mine", RECORDS, WANTED, around).candidates


def test_the_suite_holds_pairs_that_matter() -> None:
    """The duplicates, updates and contradictions of streams and gold_dev, among all their records."""
    records, wanted = retrieval_suite()
    assert (len(records), len(wanted)) == (691 + 600, 330 + 180)
    assert Counter(pair.relation.value for pair in wanted) == {
        "duplicate": 116,
        "update": 276,
        "contradiction": 118,
    }
    first = wanted[0]
    assert records[first.a].namespace == records[first.b].namespace == first.group == "sd-01"
