"""Which candidates come before the judges, and which do not."""

from __future__ import annotations

from itertools import permutations

import pytest

from arbiter.domain.facts import Record
from arbiter.pipeline.context import Context
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
