"""Group commit: concurrent callers share one write, and each gets its own receipts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from threading import Event

import pytest

from arbiter.domain.facts import Record
from arbiter.domain.outcomes import Receipt
from arbiter.domain.vocabulary import Outcome
from arbiter.errors import OverloadedError, StoreUnavailableError
from arbiter.web.coalesce import GROUP_RECORDS, Submitter
from tests.factories import make_record

A, B, C = (make_record(f"Fact {name}") for name in "ABC")
Fails = Callable[[Sequence[Record]], Exception | None]


class Writer:
    """Notes what is written together; waits until it is let go, and fails on demand."""

    def __init__(self, fails: Fails = lambda _: None) -> None:
        self.groups: list[list[str]] = []
        self.begun, self.go = Event(), Event()
        self._fails = fails

    def __call__(self, records: Sequence[Record], indexes: Sequence[int]) -> list[Receipt]:
        """Answer with a receipt that names the record as its fact."""
        self.begun.set()
        assert self.go.wait(10)
        self.groups.append([record.content for record in records])
        error = self._fails(records)
        if error is not None:
            raise error
        return [
            Receipt(index, record.namespace, Outcome.STORED, stored=True, fact_id=record.content)
            for record, index in zip(records, indexes, strict=True)
        ]


@contextmanager
def submitter(writer: Writer, *, queue_records: int = 100) -> Iterator[Submitter]:
    """Return a submitter whose writer is busy until it is let go."""
    made = Submitter(writer, linger_s=0, queue_records=queue_records)
    made.submit([make_record("first")], [0])
    assert writer.begun.wait(10)
    try:
        yield made
    finally:
        writer.go.set()
        made.close()


def test_who_comes_meanwhile_is_written_together() -> None:
    """Three callers wait, one write serves them, and each gets its own receipts with its own indexes."""
    writer = Writer()
    with submitter(writer) as made:
        answers = [made.submit([A], [0]), made.submit([B, C], [0, 1]), made.submit([A], [7])]
        assert made.waiting == 4
        writer.go.set()
        told = [[(r.record_index, r.fact_id) for r in answer.result(10)] for answer in answers]
    assert told == [[(0, "Fact A")], [(0, "Fact B"), (1, "Fact C")], [(7, "Fact A")]]
    assert writer.groups == [["first"], ["Fact A", "Fact B", "Fact C", "Fact A"]]
    assert made.waiting == 0


def test_a_group_has_a_limit() -> None:
    """What does not fit waits for the next write; a caller's records stay together."""
    writer = Writer()
    half = [A] * (GROUP_RECORDS // 2 + 1)
    with submitter(writer, queue_records=10_000) as made:
        for records in (half, half, [B] * (GROUP_RECORDS * 2)):
            made.submit(records, range(len(records)))
    assert [len(group) for group in writer.groups] == [1, len(half), len(half), GROUP_RECORDS * 2]


def test_a_failing_store_is_told_to_every_caller_of_the_group() -> None:
    """Nobody is left waiting, nobody is told another story, and the next one is served again."""
    failures = iter([None, StoreUnavailableError("the disk is full"), None])
    writer = Writer(lambda _: next(failures))
    with submitter(writer) as made:
        answers = [made.submit([A], [0]), made.submit([B], [0])]
        writer.go.set()
        errors = [answer.exception(10) for answer in answers]
        later = made.submit([C], [0]).result(10)
    assert [str(error) for error in errors] == ["the disk is full"] * 2
    assert [receipt.fact_id for receipt in later] == ["Fact C"]


def test_what_one_caller_brings_does_not_sink_the_others() -> None:
    """An error that is not the store's leads to one write for each caller."""
    writer = Writer(lambda records: RuntimeError("unforeseen") if B in records else None)
    with submitter(writer) as made:
        answers = [made.submit([A], [0]), made.submit([B], [0]), made.submit([C], [0])]
        writer.go.set()
        assert isinstance(answers[1].exception(10), RuntimeError)
        assert [answers[i].result(10)[0].fact_id for i in (0, 2)] == ["Fact A", "Fact C"]
    assert writer.groups[1:] == [["Fact A", "Fact B", "Fact C"], ["Fact A"], ["Fact B"], ["Fact C"]]


def test_the_queue_is_bounded() -> None:
    """Who would pass the bound is turned away; nothing of theirs was accepted."""
    writer = Writer()
    with submitter(writer, queue_records=3) as made:
        made.submit([A, B], [0, 1])
        with pytest.raises(OverloadedError) as turned_away:
            made.submit([A, B], [0, 1])
        assert (turned_away.value.retryable, made.waiting) == (True, 2)
        made.submit([C], [0])
    assert writer.groups == [["first"], ["Fact A", "Fact B", "Fact C"]]


def test_a_large_batch_is_taken_where_nobody_waits() -> None:
    """The bound is on what waits, not on what a caller may bring."""
    writer = Writer()
    with submitter(writer, queue_records=2) as made:
        answer = made.submit([A, B, C], [0, 1, 2])
    assert len(answer.result()) == 3


def test_what_is_cancelled_in_time_is_not_written() -> None:
    """A caller who gave up while waiting leaves nothing behind."""
    writer = Writer()
    with submitter(writer) as made:
        given_up, kept = made.submit([A], [0]), made.submit([B], [0])
        assert given_up.cancel()
    assert [receipt.fact_id for receipt in kept.result()] == ["Fact B"]
    assert writer.groups == [["first"], ["Fact B"]]


def test_closing_finishes_what_was_accepted() -> None:
    """What waits is written before the thread ends; what comes later is turned away."""
    writer = Writer()
    with submitter(writer) as made:
        answer = made.submit([A], [0])
    assert [receipt.fact_id for receipt in answer.result(0)] == ["Fact A"]
    with pytest.raises(OverloadedError, match="stopping"):
        made.submit([B], [0])
