"""Which candidates come before the judges, and which do not."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations

import pytest

from arbiter.domain.facts import Record
from arbiter.pipeline.context import Context, Limits
from arbiter.pipeline.submit import submit
from tests.factories import make_record

ONE = make_record("Printer 12 is out of toner.", subject="printer 12")


def dropped(first: Record, second: Record, context: Context) -> list[str | None]:
    """Submit one record after the other, and return why each candidate of the second was not judged."""
    submit([first], context)
    (receipt,) = submit([second], context)
    return [candidate.dropped_by for candidate in receipt.candidates]


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize(
    ("other", "rule"),
    [
        (make_record("Printer 45 is out of toner.", subject="printer 45", at=2), "subject"),
        (make_record("Printer 45 is out of paper.", subject="printer", at=2), None),
        (make_record("Printer 45 is out of paper.", at=2), None),
        (make_record("The plotter is next to Printer 12.", subject="Plotter", at=2), "subject"),
        (make_record(ONE.content, subject="plotter", at=2), None),
    ],
    ids=[
        "two numbers",
        "one name within the other",
        "no subject",
        "a name that is no entity",
        "the same words",
    ],
)
def test_two_subjects_are_not_compared(
    other: Record, rule: str | None, *, turned: bool, context: Context
) -> None:
    """However alike they read, unless one may be the other, names it, or says the very same."""
    first, second = (other, ONE) if turned else (ONE, other)
    assert dropped(first, second, context) == [rule]


@pytest.mark.parametrize("turned", [False, True])
def test_a_fact_that_names_the_other_one_is_compared(*, turned: bool, context: Context) -> None:
    """As the object of one and the subject of the other, a name joins two facts."""
    acme = make_record("Acme was bought.", subject="Acme")
    buyer = make_record("Globex owns Acme.", subject="Globex", at=2)
    assert dropped(*((buyer, acme) if turned else (acme, buyer)), context) == [None]


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_lookalikes_keep_nobody_out(order: tuple[int, ...], context: Context) -> None:
    """What is about another subject takes no place among the pairs to be judged, in whatever order."""
    crowd = [make_record(f"Printer {n} is out of toner.", subject=f"printer {n}") for n in range(20, 60)]
    parts = [crowd, [ONE], [make_record("It still prints.", subject="printer 12", at=3)]]
    receipts = {place: submit(parts[place], context) for place in order}
    last = max(order, key=lambda place: order.index(place) if place else -1)
    judged = [c for c in receipts[last][0].candidates if c.dropped_by is None]
    assert ["subject" in candidate.retrieved_by for candidate in judged] == [True]


@pytest.fixture
def crowded(context: Context) -> Context:
    """A context in which four facts are a crowd, and what is as near as 0.8 is judged in any."""
    return replace(context, limits=Limits(nearer=0.8, crowd=4))


def about_ana(*told: str, at: int = 0) -> list[Record]:
    """Return what somebody says about Ana, a day after the other."""
    return [make_record(f"Ana {words}.", subject="Ana", at=at + day) for day, words in enumerate(told)]


LIFE = ("keeps bees", "plays chess", "drives trams", "likes jazz", "grows kale", "reads Greek")


@pytest.mark.parametrize(("count", "rules"), [(3, [None] * 3), (6, ["crowd"] * 6)])
def test_what_does_not_stand_out_is_not_judged(count: int, rules: list[str | None], crowded: Context) -> None:
    """Of many facts about one person none is nearer than is usual; of a few nobody can say what is usual."""
    submit(about_ana(*LIFE[:count]), crowded)
    (receipt,) = submit(about_ana("sells tea", at=20), crowded)
    assert [candidate.dropped_by for candidate in receipt.candidates] == rules


def test_what_stands_out_is_judged(crowded: Context) -> None:
    """In the same crowd, the one fact that says nearly the same comes before the judge, and no other."""
    submit(about_ana(*LIFE), crowded)
    (receipt,) = submit(about_ana("drives trams in Faro", at=20), crowded)
    first, *others = [candidate.dropped_by for candidate in receipt.candidates]
    assert (first, set(others)) == (None, {"crowd"})


def test_a_crowd_of_one_claim_is_judged(crowded: Context) -> None:
    """Where all say nearly the same none stands out, but all are near enough whatever the crowd."""
    manners = ("since May", "they say", "now", "by the sea", "alone", "again")
    submit(about_ana(*(f"lives in Faro, in the old town, {manner}" for manner in manners)), crowded)
    (receipt,) = submit(about_ana("lives in Faro, in the old town, happily", at=20), crowded)
    assert [candidate.dropped_by for candidate in receipt.candidates] == [None] * 6


def test_of_namesakes_the_nearest_is_judged(crowded: Context) -> None:
    """Ana Silva may be Ana Lopez under another name; one pair is enough to ask. Her own facts come first."""
    told = ("Ana Lopez", "lives in Faro"), ("Ana Costa", "lives in Faro today"), ("Ana Silva", "likes Faro")
    submit([make_record(f"{name} {words}.", subject=name, at=1) for name, words in told], crowded)
    (receipt,) = submit([make_record("Ana Silva lives in Faro.", subject="Ana Silva", at=2)], crowded)
    facts = crowded.store.facts("default", [candidate.fact_id for candidate in receipt.candidates])
    judged = [(facts[c.fact_id].subject, c.dropped_by) for c in receipt.candidates]
    assert judged == [("Ana Silva", None), ("Ana Lopez", None), ("Ana Costa", "namesake")]


def test_what_stands_out_must_be_near_too(crowded: Context) -> None:
    """Where every pair waits for a person, the least similarity counts in a crowd as well."""
    context = replace(crowded, limits=replace(crowded.limits, near=0.9, nearer=0.9))
    submit(about_ana(*LIFE), context)
    (receipt,) = submit(about_ana("drives trams in Faro", at=20), context)
    assert {candidate.dropped_by for candidate in receipt.candidates} == {"crowd"}
