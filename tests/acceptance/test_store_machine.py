"""Whatever is done to a store, in whatever order: it stands as a model of a few sets says."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import combinations, count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, ClassVar

import pytest
from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from arbiter.adapters.sql_store import SqlStore
from arbiter.api import Arbiter
from arbiter.domain.facts import Record
from arbiter.domain.vocabulary import RulingKind, SourceKind
from arbiter.errors import DependentDecisionError
from arbiter.pipeline.compile import Compiled
from arbiter.pipeline.exact import identify
from arbiter.testing import TableJudge
from tests.consistency import check_index, check_states, seen
from tests.factories import day, make_record, verdict
from tests.first_commit import first_commit
from tests.unit.pipeline.conftest import context_on

Key = frozenset[str]
MOVES = {f"{who} lives in {city}.": who for who in ("Ana", "Bob") for city in ("Faro", "Braga", "Tomar")}
BORN = ("Cy was born in Porto.", "Cy was born in Lagos.")
NOTES = ("Dee sent a note.", "Eve sent a note.")
DAYS = {text: number for number, text in enumerate((*MOVES, *BORN, *NOTES), 1)}
TEXTS, SOURCES = tuple(DAYS), ("chat:1", "crm")
WHO = {**MOVES, **dict.fromkeys(BORN, "Cy"), **dict(zip(NOTES, ("Dee", "Eve"), strict=True))}
TABLE = {
    (a, b): verdict("update", mutability="mutable") for a, b in combinations(MOVES, 2) if WHO[a] == WHO[b]
} | {BORN: verdict("contradiction", mutability="immutable", stakes="high")}
RULED = {
    RulingKind.KEEP_A: ("active", "tombstoned"),
    RulingKind.KEEP_B: ("tombstoned", "active"),
    RulingKind.KEEP_BOTH: ("active", "active"),
}


def record_of(text: str, source: str) -> Record:
    """Return what a source says; the same source says the same thing on the same day only."""
    return make_record(text, at=DAYS[text], source=source, kind=SourceKind.USER_STATED, subject=WHO[text])


@dataclass
class Model:
    """What was said, compared, taken back, forgotten and ruled, and where each statement stands by that."""

    said: Counter[tuple[str, str]] = field(default_factory=Counter)
    compared: set[Key] = field(default_factory=set)
    undone: set[Key] = field(default_factory=set)
    erased: set[str] = field(default_factory=set)
    ruled: RulingKind | None = None

    @property
    def texts(self) -> set[str]:
        """Every statement, the forgotten ones too."""
        return {text for text, _ in self.said}

    def hear(self, told: list[tuple[str, str]]) -> None:
        """Count what is told, and compare what is new with everything of the same person that has words."""
        new = {text for text, _ in told} - self.texts
        self.said.update(told)
        for a, b in combinations(sorted(self.texts - self.erased), 2):
            if WHO[a] == WHO[b] and new & {a, b}:
                self.compared.add(frozenset((a, b)))

    def retiring(self, text: str) -> list[str]:
        """Return the later statements that retire one, the earliest first."""
        later = [other for other in MOVES if DAYS[other] > DAYS[text]]
        return [o for o in later if (key := frozenset((text, o))) in self.compared and key not in self.undone]

    @property
    def asks(self) -> bool:
        """Is there a question for a person?"""
        return frozenset(BORN) in self.compared and self.ruled is None and not self.erased & set(BORN)

    def state(self, text: str) -> str:
        """Return where a statement stands, with a mark if it is contested."""
        if text in self.erased:
            return "tombstoned"
        if text in MOVES:
            return "superseded" if self.retiring(text) else "active"
        if text in BORN and self.asks:
            return "active contested"
        return RULED[self.ruled][BORN.index(text)] if text in BORN and self.ruled else "active"

    def successor(self, text: str) -> str | None:
        """Return the statement that stands for one that is retired: of several the earliest."""
        if text in self.erased or self.state(text) == "active":
            return None
        if text in MOVES:
            return self.retiring(text)[0]
        return None if self.asks else BORN[1 - BORN.index(text)]


class Machine(RuleBasedStateMachine):
    """A store and its model, side by side."""

    location: ClassVar[str]
    numbers: ClassVar[count[int]] = count()

    def __init__(self) -> None:
        super().__init__()
        self.model = Model()
        self.namespace = f"machine {next(self.numbers)}"
        self.now = day(100)
        self.ids: dict[str, str] = {}
        self.open()

    def clock(self) -> datetime:
        """Return the time, which moves on with everything that is done."""
        self.now += (day(1) - day(0)) / 24
        return self.now

    def open(self) -> None:
        """Open the store."""
        self.store = SqlStore(self.location, self.clock)
        self.context = replace(context_on(self.store, TableJudge(TABLE)), clock=self.clock)
        self.arbiter = Arbiter(self.context)

    def records(self, told: list[tuple[str, str]]) -> list[Record]:
        """Return what is told as records, and note the ids of their facts."""
        found = [replace(record_of(text, source), namespace=self.namespace) for text, source in told]
        self.ids |= {d.record.content: d.sighting.fact_id for d in identify(enumerate(found), self.context)}
        return found

    @rule(told=st.lists(st.tuples(st.sampled_from(TEXTS), st.sampled_from(SOURCES)), min_size=1, max_size=4))
    def submit(self, told: list[tuple[str, str]]) -> None:
        """Submit some records at once; each is kept, whatever it says."""
        receipts = self.arbiter.submit(self.records(told))
        assert all(receipt.outcome.value in ("stored", "merged", "unchanged") for receipt in receipts)
        self.model.hear(told)

    @rule(told=st.lists(st.tuples(st.sampled_from(TEXTS), st.sampled_from(SOURCES)), min_size=1, max_size=4))
    def die(self, told: list[tuple[str, str]]) -> None:
        """Die between the two commits of a submission; a compile finishes it."""
        drafts = identify(enumerate(self.records(told)), self.context)
        first_commit(drafts, self.context, self.namespace)
        self.reopen()
        self.arbiter.compile(namespace=self.namespace)
        self.model.hear(told)

    @precondition(lambda self: self.model.asks)
    @rule(kind=st.sampled_from(list(RULED)))
    def answer(self, kind: RulingKind) -> None:
        """Settle the question."""
        (item,) = self.arbiter.review.items(namespace=self.namespace)
        self.arbiter.review.rule(item.id, kind, reviewer="ada", namespace=self.namespace)
        self.model.ruled = kind

    @precondition(lambda self: self.model.ruled is not None and not self.model.erased & set(BORN))
    @rule()
    def retract(self) -> None:
        """Take the ruling back: the question is open again."""
        given = [r for r in self.store.rulings(self.namespace) if r.kind in RULED]
        self.arbiter.review.undo(given[-1].id, reviewer="ada", namespace=self.namespace)
        self.model.ruled = None

    @rule(data=st.data())
    def undo(self, data: st.DataObject) -> None:
        """Take back that one statement retired another; it is refused at most where others bear on both."""
        model = self.model
        pairs = [(a, b) for a in sorted(model.texts & set(MOVES)) for b in model.retiring(a)]
        if not pairs:
            return
        pair = data.draw(st.sampled_from(pairs))
        named = {self.ids[text] for text in pair}
        made = self.store.decisions(self.namespace, named)
        (decision,) = (d for d in made if {d.a, d.b} == named and d.retires)
        try:
            self.arbiter.undo(decision.id, reviewer="ada", namespace=self.namespace)
        except DependentDecisionError:
            assert any(other != pair and other[0] in pair for other in pairs)
        else:
            model.undone.add(frozenset(pair))

    @precondition(lambda self: self.model.texts)
    @rule(data=st.data())
    def erase(self, data: st.DataObject) -> None:
        """Have a statement forgotten, once or again; what it retired stays retired."""
        text = data.draw(st.sampled_from(sorted(self.model.texts)))
        self.arbiter.erase(self.ids[text], namespace=self.namespace)
        self.model.erased.add(text)

    @rule(from_scratch=st.booleans())
    def compile(self, *, from_scratch: bool) -> None:
        """Derive everything again: nothing is new."""
        assert self.arbiter.compile(namespace=self.namespace, from_scratch=from_scratch) == Compiled()

    @rule()
    def reopen(self) -> None:
        """Close the store and open it again."""
        self.store.close()
        self.open()

    @invariant()
    def stands(self) -> None:
        """See that the store stands as the model says."""
        there, model = seen(self.context, self.namespace), self.model
        assert there.facts.keys() == {self.ids[text] for text in model.texts}
        for text in model.texts:
            fact, state = there.facts[self.ids[text]], there.states[self.ids[text]]
            assert fact.content == ("" if text in model.erased else text)
            assert state.state.value + (" contested" if state.contested else "") == model.state(text), text
            assert state.successor == self.ids.get(model.successor(text) or "")
            counted = {s.source.id: s.seen_count for s in fact.sightings}
            assert counted == {who: n for (said, who), n in model.said.items() if said == text}
        assert len(there.reviews) == model.asks

    def teardown(self) -> None:
        """See that it all follows from the log, and that the index finds it."""
        check_states(self.context, self.namespace)
        check_index(self.context, self.namespace)
        self.store.close()


@pytest.mark.parametrize("kept_in", ["sqlite", "postgresql"])
def test_a_store_stands_as_the_model_says(request: pytest.FixtureRequest, rounds: int, kept_in: str) -> None:
    """Submissions, deaths, rulings, undos, erasures and compiles, in any order, with any reopening."""
    # A case of twenty steps is read sooner than it is made smaller.
    phases = (Phase.reuse, Phase.generate)
    chosen = settings(max_examples=rounds, stateful_step_count=20, deadline=None, phases=phases)
    with TemporaryDirectory() as folder:
        file = str(Path(folder, "facts.db"))
        location = file if kept_in == "sqlite" else request.getfixturevalue("postgres_database")
        machine: Any = type("Kept", (Machine,), {"location": location})
        run_state_machine_as_test(machine, settings=chosen)
