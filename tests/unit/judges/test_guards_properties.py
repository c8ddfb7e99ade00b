"""What holds for the guards on any two texts."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from arbiter.judges.guards import TextGuards
from tests.factories import make_record

GUARDS = TextGuards()
WORDS = (
    "Ana Ben the a not never all only no one two kg 5,000 g €5 May on 3 May 2026 at 14:00 2pm by reports to "
    "is isn't open closed former until , . ; A+ PSV-207 不少 成都 苏州 не нет से नहीं 10.4.2.17 half past nine"
).split(" ")
SENTENCES = st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join)
TEXTS = st.one_of(SENTENCES, st.text(max_size=60))


@given(TEXTS, TEXTS)
def test_order_plays_no_part(a: str, b: str) -> None:
    """Exchanging the texts exchanges the sides of the findings, and nothing else."""
    forth = GUARDS.compare(make_record(a), make_record(b))
    back = GUARDS.compare(make_record(b), make_record(a))
    assert [(found.guard, found.a, found.b) for found in forth] == [
        (found.guard, found.b, found.a) for found in back
    ]


@given(TEXTS)
def test_a_text_does_not_differ_from_itself(text: str) -> None:
    """The same text is no difference, in capitals and with other spaces neither."""
    assert GUARDS.compare(make_record(text), make_record(text)) == ()
    assert GUARDS.compare(make_record(text), make_record(f"  {text}\n")) == ()


@given(st.integers(1, 10**6), st.integers(1, 10**6))
def test_another_number_is_always_found(x: int, y: int) -> None:
    """In one sentence, two numbers are a difference exactly when they are not equal."""
    found = GUARDS.compare(make_record(f"It holds {x} litres."), make_record(f"It holds {y:,} litres."))
    assert [finding.guard for finding in found] == ([] if x == y else ["number"])


@given(SENTENCES, st.sampled_from(["May 2027", "12 kg", "at 09:15"]))
def test_a_detail_more_is_no_other_value(text: str, detail: str) -> None:
    """A value that one side adds is a detail: no guard over values speaks."""
    found = GUARDS.compare(make_record("It runs."), make_record(f"It runs {detail}."))
    assert found == ()
    assert GUARDS.compare(make_record(text), make_record(text)) == ()
