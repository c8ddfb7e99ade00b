"""Imported rulings put into force."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from arbiter.api import Arbiter
from arbiter.domain.outcomes import review_id
from arbiter.domain.review_answer import Answer, Ruled
from arbiter.domain.vocabulary import Relation, RulingKind, State, StateReason
from arbiter.errors import StoreUnavailableError
from arbiter.interchange.review_answers import ImportedRuling, RulingFault
from arbiter.interchange.review_import import ImportLine, ImportStatus, apply_rulings
from arbiter.pipeline.review_batch import Outcome
from arbiter.pipeline.reviews import Reviews
from arbiter.settings import Settings
from tests.factories import make_fact, pair
from tests.stored import keep

PORTO = make_fact("Ana was born in Porto.", at=1, source="chat:1")
FARO = make_fact("Ana was born in Faro.", at=2, source="chat:2")
CONFLICT = pair(PORTO, FARO, "contradiction", mutability="immutable")
ANSWER = Answer(RulingKind.KEEP_A, "kim", seen=(PORTO.digest, FARO.digest))
RULING = ImportedRuling(
    line=2,
    review_id=review_id(PORTO.id, FARO.id),
    a=PORTO.id,
    b=FARO.id,
    reviewer="kim",
    answer=ANSWER,
)


@pytest.fixture
def arbiter() -> Iterator[Arbiter]:
    """Yield an arbiter in memory with one conflict."""
    with Arbiter.open(":memory:", Settings(judge="none")) as opened:
        keep(opened, [PORTO, FARO], [CONFLICT])
        yield opened


def applied(arbiter: Arbiter, *rulings: ImportedRuling | RulingFault) -> list[ImportLine]:
    """Apply rulings in the default namespace."""
    return list(apply_rulings("default", rulings, arbiter.context.store, arbiter.review))


def ruled(kind: RulingKind, **fields: Any) -> ImportedRuling:
    """Return another ruling on the conflict."""
    return replace(RULING, answer=replace(ANSWER, kind=kind, **fields))


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
    answer = replace(ANSWER, seen=(FARO.digest, PORTO.digest))
    turned = replace(RULING, a=FARO.id, b=PORTO.id, answer=answer)
    (done,) = applied(arbiter, turned)
    assert done.status is ImportStatus.APPLIED
    assert states(arbiter) == (State.TOMBSTONED, State.ACTIVE)
    same = ruled(RulingKind.KEEP_B)
    assert [line.status for line in applied(arbiter, same)] == [ImportStatus.SETTLED]


@pytest.mark.parametrize(
    "other", [ruled(RulingKind.KEEP_B), ruled(RulingKind.RELABEL, relabel=Relation.UNRELATED)]
)
def test_another_ruling_on_a_settled_pair_is_refused(arbiter: Arbiter, other: ImportedRuling) -> None:
    """Who was second learns that it is settled; the first ruling stands."""
    applied(arbiter, RULING)
    (done,) = applied(arbiter, other)
    assert (done.status, done.refused) == (ImportStatus.STALE, True)
    assert "is no longer open" in done.message
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

    class Locked(Reviews):
        """Reviews of a store that cannot be written."""

        def answer(self, *_: object, **__: object) -> Ruled:
            """Fail."""
            raise StoreUnavailableError

        def answer_all(self, *_: object, **__: object) -> list[Outcome]:
            """Fail."""
            raise StoreUnavailableError

    done = list(apply_rulings("default", [RULING, RULING], arbiter.context.store, Locked(arbiter.context)))
    assert [(line.status, line.message) for line in done] == [
        (ImportStatus.FAILED, "The store is locked, full or cannot be read.")
    ] * 2
    assert states(arbiter) == (State.ACTIVE, State.ACTIVE)


def test_namespaces_do_not_meet(arbiter: Arbiter) -> None:
    """The review of one namespace is unknown in another, and a row cannot reach into another one."""
    foreign = replace(RULING, namespace="default")
    unknown, refused = apply_rulings("acme", [RULING, foreign], arbiter.context.store, arbiter.review)
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
        answer=replace(ANSWER, seen=(other[0].digest, other[1].digest)),
        namespace="acme",
    )
    done = apply_rulings(None, [RULING, there, there], arbiter.context.store, arbiter.review)
    assert [line.status for line in done] == [
        ImportStatus.APPLIED,
        ImportStatus.APPLIED,
        ImportStatus.SETTLED,
    ]
    assert arbiter.fact(other[1].id, namespace="acme").state.state is State.TOMBSTONED


def test_a_merge_is_applied_once(arbiter: Arbiter) -> None:
    """One text stands for both; the same merge by the same person again is settled, another is refused."""
    merge = ruled(RulingKind.MERGE, text="Ana was born in Porto, not in Faro.")
    first, again = applied(arbiter, merge, merge)
    assert (first.status, again.status) == (ImportStatus.APPLIED, ImportStatus.SETTLED)
    assert states(arbiter) == (State.SUPERSEDED, State.SUPERSEDED)
    assert [view.fact.content for view in arbiter.facts()] == ["Ana was born in Porto, not in Faro."]
    lee = replace(merge, reviewer="lee", answer=merge.answer and replace(merge.answer, reviewer="lee"))
    other = ruled(RulingKind.MERGE, text="Ana was born in Faro, not in Porto.")
    assert [line.status for line in applied(arbiter, lee, other)] == [ImportStatus.STALE] * 2


def test_a_merge_that_names_something_new_must_be_confirmed(arbiter: Arbiter) -> None:
    """The line is to blame, and says what neither side names; a confirmed one is applied."""
    text = "Ana was born in Braga in 1987."
    refused, done = applied(
        arbiter,
        ruled(RulingKind.MERGE, text=text),
        ruled(RulingKind.MERGE, text=text, confirmed=True),
    )
    assert (refused.status, refused.field) == (ImportStatus.INVALID, "text")
    assert "Braga" in refused.message
    assert "1987" in refused.message
    assert done.status is ImportStatus.APPLIED


@pytest.mark.parametrize("kind", [RulingKind.SKIP, RulingKind.NEEDS_CONTEXT])
def test_what_is_set_aside_may_be_ruled_later(arbiter: Arbiter, kind: RulingKind) -> None:
    """A skip settles nothing: given twice it is the same, and a ruling afterwards is applied."""
    aside = ruled(kind, reason="no passport at hand")
    assert [line.status for line in applied(arbiter, aside, aside, RULING)] == [
        ImportStatus.APPLIED,
        ImportStatus.SETTLED,
        ImportStatus.APPLIED,
    ]
    assert states(arbiter) == (State.ACTIVE, State.TOMBSTONED)


def test_a_ruling_that_was_taken_back_is_not_given_again_by_an_old_file(arbiter: Arbiter) -> None:
    """Who took it back wants a new look; what the old file says otherwise is a ruling like any other."""
    applied(arbiter, RULING)
    (ruling,) = arbiter.context.store.rulings("default")
    arbiter.review.undo(ruling.id, reviewer="lee")
    assert [line.status for line in applied(arbiter, ruled(RulingKind.KEEP_BOTH))] == [ImportStatus.APPLIED]


def test_what_is_in_the_hands_of_another_is_refused(arbiter: Arbiter) -> None:
    """A file does not answer past the person who works on the question; the claimant's own answer counts."""
    arbiter.review.claim(RULING.review_id, reviewer="lee", lasting=timedelta(hours=1))
    (done,) = applied(arbiter, RULING)
    assert (done.status, done.message.split(" until ")[0]) == (
        ImportStatus.CLAIMED,
        f"{RULING.review_id} is in the hands of lee",
    )
    mine = replace(RULING, reviewer="lee", answer=replace(ANSWER, reviewer="lee"))
    assert [line.status for line in applied(arbiter, mine)] == [ImportStatus.APPLIED]


def test_a_comment_is_noted_once(arbiter: Arbiter) -> None:
    """It may come alone or with a ruling; another import notes nothing, and neither does a refused ruling."""
    alone = replace(RULING, answer=None, comment="ask the registry")
    both = replace(RULING, comment="saw the passport")
    stale = replace(ruled(RulingKind.KEEP_B), comment="no, Faro")
    done = applied(arbiter, alone, alone, both, both, stale)
    assert [line.status for line in done] == [
        ImportStatus.COMMENTED,
        ImportStatus.COMMENTED,
        ImportStatus.APPLIED,
        ImportStatus.SETTLED,
        ImportStatus.STALE,
    ]
    noted = arbiter.review.view(RULING.review_id).comments
    assert [(comment.author, comment.text) for comment in noted] == [
        ("kim", "ask the registry"),
        ("kim", "saw the passport"),
    ]


def test_a_dispute_is_told_as_such(arbiter: Arbiter) -> None:
    """What several people answered otherwise has a status of its own, and nothing is applied."""
    fault = RulingFault(1, RULING.review_id, "ruling", "they do not agree", disputed=True)
    (done,) = applied(arbiter, fault)
    assert (done.status, done.refused, done.field) == (ImportStatus.DISPUTED, True, "ruling")
    assert states(arbiter) == (State.ACTIVE, State.ACTIVE)
