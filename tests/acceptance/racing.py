"""Several at once on one store, round after round, and what may come of it: a few lines of oracle each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from threading import BrokenBarrierError
from typing import Any, Protocol

from arbiter.api import Arbiter
from arbiter.domain.vocabulary import RulingKind
from arbiter.errors import ArbiterError
from arbiter.pipeline.context import Context
from tests.acceptance.calling import born, lives, told
from tests.consistency import Seen
from tests.light_service import light_context

RACERS = 3
PATIENCE_S = 120


class Start(Protocol):
    """Where racers wait for each other."""

    def wait(self, timeout: float) -> int:
        """Wait for the others."""
        ...


@dataclass(frozen=True)
class Finish:
    """What a reader sees when all are done, and what each racer was told."""

    there: Seen
    told: Sequence[str]

    @property
    def states(self) -> Mapping[str, str]:
        """Where each statement stands, with a mark if it is contested."""
        there = self.there
        return {
            fact.content: there.states[i].state.value + (" contested" if there.states[i].contested else "")
            for i, fact in there.facts.items()
        }

    @property
    def sightings(self) -> Mapping[str, int]:
        """How often each statement was heard, readings again included."""
        return {
            fact.content: sum(sighting.seen_count for sighting in fact.sightings)
            for fact in self.there.facts.values()
        }


@dataclass(frozen=True)
class Race:
    """What is there before, what the racers do at the same moment, and whether the outcome is right."""

    before: Sequence[Mapping[str, Any]]
    moves: Sequence[Callable[[Arbiter, str], str]]
    right: Callable[[Finish], bool]


def sends(*records: Mapping[str, Any]) -> Callable[[Arbiter, str], str]:
    """Return a racer that submits records and is told what became of them."""

    def move(arbiter: Arbiter, namespace: str) -> str:
        receipts = arbiter.submit([{**record, "namespace": namespace} for record in records])
        return " ".join(receipt.outcome.value for receipt in receipts)

    return move


def rules(kind: RulingKind, reviewer: str) -> Callable[[Arbiter, str], str]:
    """Return a racer that answers the one question there is."""

    def move(arbiter: Arbiter, namespace: str) -> str:
        (item,) = arbiter.context.store.reviews(namespace, open_only=False)
        arbiter.review.rule(item.id, kind, reviewer=reviewer, namespace=namespace)
        return kind.value

    return move


def undoes(content: str) -> Callable[[Arbiter, str], str]:
    """Return a racer that takes back what retired a statement when the race began."""

    def move(arbiter: Arbiter, namespace: str) -> str:
        history = arbiter.history(_fact(arbiter, namespace, content), namespace=namespace)
        first = next(entry.detail["id"] for entry in history if entry.kind == "decision")
        arbiter.undo(str(first), reviewer="ada", namespace=namespace)
        return "undone"

    return move


def erases(content: str) -> Callable[[Arbiter, str], str]:
    """Return a racer that has a statement forgotten."""

    def move(arbiter: Arbiter, namespace: str) -> str:
        arbiter.erase(_fact(arbiter, namespace, content), namespace=namespace)
        return "erased"

    return move


def compiles(*, from_scratch: bool = False) -> Callable[[Arbiter, str], str]:
    """Return a racer that derives every state."""

    def move(arbiter: Arbiter, namespace: str) -> str:
        arbiter.compile(namespace=namespace, from_scratch=from_scratch)
        return "compiled"

    return move


def _fact(arbiter: Arbiter, namespace: str, content: str) -> str:
    (found,) = (
        view.fact.id
        for view in arbiter.facts(namespace=namespace, state=None)
        if view.fact.content == content
    )
    return found


def _one_ruling(finish: Finish) -> bool:
    """Of two answers one holds, and what came meanwhile is one more sighting of what it always was."""
    won, lost = finish.told[:2] if finish.told[1] == "stale_ruling" else finish.told[1::-1]
    kept, gone = ("Faro", "Braga") if won == "keep_a" else ("Braga", "Faro")
    return (
        lost == "stale_ruling"
        and finish.told[2] == "merged"
        and finish.states == {f"Bob was born in {kept}.": "active", f"Bob was born in {gone}.": "tombstoned"}
        and finish.sightings == {"Bob was born in Faro.": 2, "Bob was born in Braga.": 1}
    )


FARO, BRAGA, TOMAR = ("Ana lives in Faro.", "Ana lives in Braga.", "Ana lives in Tomar.")
MOVED = {FARO: "superseded", BRAGA: "superseded", TOMAR: "active"}
RACES = {
    "the same record": Race(
        [],
        [sends(told("The lift is out of order.", ref="note 1"))] * 3,
        lambda f: (
            (sorted(f.told), f.states, f.sightings)
            == (
                ["stored", "unchanged", "unchanged"],
                {"The lift is out of order.": "active"},
                {"The lift is out of order.": 3},
            )
        ),
    ),
    "the same statement of three": Race(
        [],
        [sends(told("The gate is open.", by=f"guard {n}"), told(f"Guard {n} came.")) for n in "abc"],
        lambda f: (
            Counter(f.told) == {"stored stored": 1, "merged stored": 2}
            and (f.sightings["The gate is open."], len(f.states)) == (3, 4)
        ),
    ),
    "contradictions": Race(
        [],
        [sends(born(city, day, by=city)) for day, city in enumerate(("Faro", "Braga", "Tomar"), 1)],
        lambda f: (
            set(f.states.values()) == {"active contested"} and len(f.states) == len(f.there.reviews) == 3
        ),
    ),
    "changes": Race(
        [],
        [sends(lives(city, day, by=city)) for day, city in enumerate(("Faro", "Braga", "Tomar"), 1)],
        lambda f: f.states == MOVED,
    ),
    "rulings against a record": Race(
        [born("Faro"), born("Braga", 2, by="crm")],
        [rules(RulingKind.KEEP_A, "ada"), rules(RulingKind.KEEP_B, "bob"), sends(born("Faro", 3, by="web"))],
        _one_ruling,
    ),
    "an undo against a record": Race(
        [lives("Faro"), lives("Braga", 2)],
        [undoes(FARO), sends(lives("Tomar", 3)), compiles()],
        lambda f: f.states == MOVED and f.told[0] in ("undone", "dependent_decision"),
    ),
    "compiles against records": Race(
        [lives("Faro")],
        [sends(lives("Braga", 2), lives("Tomar", 3)), compiles(), compiles(from_scratch=True)],
        lambda f: (f.states, f.told[0]) == (MOVED, "stored stored"),
    ),
    "an erasure against records": Race(
        [told("Forget me.")],
        [
            erases("Forget me."),
            sends(told("Forget me.", 2, by="crm")),
            sends(told("Forget me.", 3, by="web")),
        ],
        lambda f: (f.states, f.sightings, f.told[0]) == ({"": "tombstoned"}, {"": 3}, "erased"),
    ),
}


def run(arbiter: Arbiter, name: str, racer: int, namespace: str, start: Start) -> str:
    """Do what one racer does once all are there, and return what it was told; an error tells its code."""
    start.wait(PATIENCE_S)
    try:
        return RACES[name].moves[racer](arbiter, namespace)
    except ArbiterError as error:
        return error.code


def race_along(database: str, racer: int, start: Start, line: Any) -> None:
    """Run in every race that is announced, in a process of one's own, until the line is closed."""
    context: Context = light_context(database)
    with closing(context.store):
        while True:
            try:
                name, namespace = line.recv()
                line.send(run(Arbiter(context), name, racer, namespace, start))
            except (EOFError, BrokenBarrierError):
                return
