"""How far people agree with the judge."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

import pytest

from arbiter.domain.evidence import Unjudged, Verdict
from arbiter.domain.outcomes import Ruling
from arbiter.domain.ruled import SettledPair
from arbiter.domain.vocabulary import Relation, RulingKind
from arbiter.interchange.agreement import agreement
from tests.factories import make_fact, verdict

A, B = make_fact("The door is red."), make_fact("The door is blue.", at=1)
DUPLICATE, CONTRADICTION = verdict("duplicate"), replace(verdict("contradiction"), judge="other")
NONE = {"rulings": 0, "agreed": 0, "disagreed": 0, "silent": 0, "share": None, "low": None, "high": None}


def settled(kind: str, found: Verdict | Unjudged, at: str, relabel: str | None = None) -> SettledPair:
    """Return the pair with a ruling of this kind, made at this time."""
    ruling = Ruling(
        id="rul_1",
        namespace="default",
        a=A.id,
        b=B.id,
        kind=RulingKind(kind),
        reviewer="kim",
        at=datetime.fromisoformat(at),
        digest_a=A.digest,
        digest_b=B.digest,
        relabel=None if relabel is None else Relation(relabel),
    )
    return SettledPair(ruling, A, B, found)


PAIRS = (
    settled("keep_a", DUPLICATE, "2026-01-31T23:30:00+00:00"),
    # In February by the clock of who ruled, in January by ours.
    settled("keep_b", DUPLICATE, "2026-02-01T00:30:00+01:00"),
    settled("relabel", DUPLICATE, "2026-02-03T09:00:00+00:00", relabel="update"),
    settled("relabel", DUPLICATE, "2026-02-04T09:00:00+00:00", relabel="unrelated"),
    settled("keep_both", DUPLICATE, "2026-02-05T09:00:00+00:00"),
    settled("merge", DUPLICATE, "2026-02-05T09:00:00+00:00"),
    settled("keep_a", CONTRADICTION, "2026-02-06T09:00:00+00:00"),
    settled("neither", CONTRADICTION, "2026-02-06T09:00:00+00:00"),
    settled("keep_a", Unjudged("down", "down", retryable=True), "2026-02-06T09:00:00+00:00"),
)


def counts(told: object) -> tuple[object, ...]:
    """Return rulings, agreed, disagreed and silent of a tally."""
    assert isinstance(told, dict)
    return tuple(told[name] for name in ("rulings", "agreed", "disagreed", "silent"))


def test_rulings_are_counted_by_relation_judge_and_month() -> None:
    """Each says agreed, disagreed, or does not say; what nobody judged is counted apart."""
    found = agreement(PAIRS).as_json()
    assert counts(found["overall"]) == (8, 3, 3, 2)
    tables = {name: found[name] for name in ("relations", "judges", "months")}
    assert {
        name: {key: counts(told) for key, told in table.items()}
        for name, table in tables.items()
        if isinstance(table, dict)
    } == {
        "relations": {"duplicate": (6, 2, 3, 1), "contradiction": (2, 1, 0, 1)},
        "judges": {"test": (6, 2, 3, 1), "other": (2, 1, 0, 1)},
        "months": {"2026-01": (2, 2, 0, 0), "2026-02": (6, 1, 3, 2)},
    }
    assert found["instead"] == {"duplicate": {"unrelated": 1, "update": 1}}
    assert found["unjudged"] == 1


def test_shares_have_exact_intervals() -> None:
    """Of two out of five the interval is that of Clopper and Pearson; of nothing said there is none."""
    found = agreement(PAIRS)
    told = found.relations["duplicate"].as_json()
    assert (told["share"], told["low"], told["high"]) == (
        0.4,
        pytest.approx(0.0527450, abs=1e-6),
        pytest.approx(0.8533672, abs=1e-6),
    )
    silent = agreement(PAIRS[7:8]).overall.as_json()
    assert silent == NONE | {"rulings": 1, "silent": 1}


def test_nothing_settled_is_nothing_counted() -> None:
    """An empty queue has an answer of the same form."""
    assert agreement([]).as_json() == {
        "overall": NONE,
        "relations": {},
        "judges": {},
        "months": {},
        "instead": {},
        "unjudged": 0,
    }
