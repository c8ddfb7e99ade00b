"""Imported rulings put into force."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from arbiter.api import Arbiter
from arbiter.domain.outcomes import FactState, review_id
from arbiter.domain.vocabulary import Relation, RulingKind, State, StateReason
from arbiter.errors import StoreUnavailableError
from arbiter.interchange.review_files import ImportedRuling, RulingFault
from arbiter.interchange.review_import import ImportLine, ImportStatus, apply_rulings
from arbiter.settings import Settings
from tests.factories import make_fact, pair
from tests.stored import keep

PORTO = make_fact("Ana was born in Porto.", at=1, source="chat:1")
FARO = make_fact("Ana was born in Faro.", at=2, source="chat:2")
CONFLICT = pair(PORTO, FARO, "contradiction", mutability="immutable")
RULING = ImportedRuling(
    line=2,
    review_id=review_id(PORTO.id, FARO.id),
    a=PORTO.id,
    b=FARO.id,
    seen=(PORTO.digest, FARO.digest),
    kind=RulingKind.KEEP_A,
    reviewer="kim",
)


@pytest.fixture
def arbiter() -> Iterator[Arbiter]:
    """Yield an arbiter in memory with one conflict."""
    with Arbiter.open(":memory:", Settings(judge="none")) as opened:
        keep(opened, [PORTO, FARO], [CONFLICT])
        yield opened


def applied(arbiter: Arbiter, *rulings: ImportedRuling | RulingFault) -> list[ImportLine]:
    """Apply rulings in the default namespace."""
    return list(apply_rulings("default", rulings, arbiter.context.store, arbiter.review.rule))


def states(arbiter: Arbiter) -> tuple[State, State]:
    """Return where both facts stand."""
    return arbiter.fact(PORTO.id).state.state, arbiter.fact(FARO.id).state.state


def test_a_ruling_is_applied_once(arbiter: Arbiter) -> None:
    """The first time it changes both states, the second time it is settled already."""
    first, second = applied(arbiter, RULING, replace(RULING, line=3))
    assert (first.status, first.refused) == (ImportStatus.APPLIED, False)
    assert {state.fact_id: (state.state, state.reason) for state in first.changed} == {
        PORTO.id: (State.ACTIVE, None),
        FARO.id: (State.TOMBSTONED, StateReason.RULING),
    }
    assert second == ImportLine(3, RULING.review_id, ImportStatus.SETTLED)
    assert len(arbiter.context.store.rulings("default")) == 1


def test_the_sides_are_those_of_the_file(arbiter: Arbiter) -> None:
    """When a and b were exchanged since the export, the ruling still keeps the fact that it named."""
    turned = replace(RULING, a=FARO.id, b=PORTO.id, seen=(FARO.digest, PORTO.digest))
    (done,) = applied(arbiter, turned)
    assert done.status is ImportStatus.APPLIED
    assert states(arbiter) == (State.TOMBSTONED, State.ACTIVE)
    same = replace(RULING, kind=RulingKind.KEEP_B)
    assert [line.status for line in applied(arbiter, same)] == [ImportStatus.SETTLED]


@pytest.mark.parametrize(
    ("ruling", "status", "message"),
    [
        (replace(RULING, kind=RulingKind.KEEP_B), ImportStatus.STALE, "is no longer open"),
        (
            replace(RULING, kind=RulingKind.RELABEL, relabel=Relation.UNRELATED),
            ImportStatus.STALE,
            "is no longer open",
        ),
    ],
)
def test_another_ruling_on_a_settled_pair_is_refused(
    arbiter: Arbiter, ruling: ImportedRuling, status: ImportStatus, message: str
) -> None:
    """Who was second learns that it is settled; the first ruling stands."""
    applied(arbiter, RULING)
    (done,) = applied(arbiter, ruling)
    assert (done.status, done.refused) == (status, True)
    assert message in done.message
    assert states(arbiter) == (State.ACTIVE, State.TOMBSTONED)


def test_a_ruling_that_lapsed_is_not_given_again_by_an_old_file(arbiter: Arbiter) -> None:
    """The user said again, later, what was retired: the item is open again and wants a new look."""
    applied(arbiter, RULING)
    now = arbiter.context.clock()
    after = (now - FARO.first_seen).total_seconds() / 86_400 + 10
    keep(arbiter, [make_fact("Ana was born in Faro.", at=after, source="chat:3")])
    assert [item.id for item in arbiter.review.items()] == [RULING.review_id]
    (done,) = applied(arbiter, RULING)
    assert (done.status, done.message) == (
        ImportStatus.STALE,
        "was ruled so before and opened again since; look again",
    )


def test_a_fault_is_passed_on(arbiter: Arbiter) -> None:
    """A line that held no ruling is reported in its place."""
    fault = RulingFault(1, "rev_1", "ruling", "'x' is none of these")
    first, second = applied(arbiter, fault, RULING)
    assert first == ImportLine(1, "rev_1", ImportStatus.INVALID, "'x' is none of these", "ruling")
    assert second.status is ImportStatus.APPLIED


def test_a_store_that_fails_midway_does_not_stop_the_report(arbiter: Arbiter) -> None:
    """Each line says that it failed and why; nothing was applied."""

    def locked(*_: object, **__: object) -> list[FactState]:
        raise StoreUnavailableError

    done = list(apply_rulings("default", [RULING, RULING], arbiter.context.store, locked))
    assert [(line.status, line.message) for line in done] == [
        (ImportStatus.FAILED, "The store is locked, full or cannot be read.")
    ] * 2
    assert states(arbiter) == (State.ACTIVE, State.ACTIVE)


def test_namespaces_do_not_meet(arbiter: Arbiter) -> None:
    """The review of one namespace is unknown in another, and a row cannot reach into another one."""
    foreign = replace(RULING, namespace="default")
    unknown, refused = apply_rulings("acme", [RULING, foreign], arbiter.context.store, arbiter.review.rule)
    assert unknown.status is ImportStatus.NOT_FOUND
    assert (refused.status, refused.field, refused.message) == (
        ImportStatus.INVALID,
        "namespace",
        "is not acme",
    )
    assert states(arbiter) == (State.ACTIVE, State.ACTIVE)


def test_rows_may_name_their_namespace(arbiter: Arbiter) -> None:
    """A file of several namespaces is applied row by row, each in its own."""
    other = (make_fact(PORTO.content, namespace="acme"), make_fact(FARO.content, at=1, namespace="acme"))
    keep(arbiter, other, [pair(*other, "contradiction", mutability="immutable")])
    there = replace(
        RULING,
        review_id=review_id(other[0].id, other[1].id),
        a=other[0].id,
        b=other[1].id,
        seen=(other[0].digest, other[1].digest),
        namespace="acme",
    )
    done = apply_rulings(None, [RULING, there, there], arbiter.context.store, arbiter.review.rule)
    assert [line.status for line in done] == [
        ImportStatus.APPLIED,
        ImportStatus.APPLIED,
        ImportStatus.SETTLED,
    ]
    assert arbiter.fact(other[1].id, namespace="acme").state.state is State.TOMBSTONED
