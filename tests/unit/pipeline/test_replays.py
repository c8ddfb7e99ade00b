"""Records that the store has seen before: counted, never kept twice, and answered without much ado."""

from __future__ import annotations

from pathlib import Path

from arbiter.adapters.sql_store import SqlStore
from arbiter.domain.facts import Fact
from arbiter.domain.outcomes import Receipt
from arbiter.domain.vocabulary import State
from arbiter.pipeline.context import Context
from arbiter.pipeline.submit import submit
from arbiter.testing import TableJudge
from tests.factories import day, make_record
from tests.statements import statements
from tests.unit.pipeline.conftest import context_on

PORTO = "Ada lives in Porto."
ROME = "Bo lives in Rome."


def known(context: Context, receipt: Receipt) -> Fact:
    """Return the fact of a receipt as the store has it."""
    fact_id = receipt.fact_id or ""
    return context.store.facts("default", [fact_id])[fact_id]


def test_a_batch_counts_every_reading_and_moves_only_what_was_seen_later(context: Context) -> None:
    """Each reading counts, several in one batch too; an earlier one leaves the time, a later one moves it."""
    first = submit([make_record(PORTO, at=5), make_record(ROME, at=5)], context)
    again = [make_record(PORTO, at=at) for at in (3, 5)] + [make_record(ROME, at=at) for at in (9, 4, 5)]
    receipts = submit(again, context)
    assert [(r.outcome.value, r.stored, r.state) for r in receipts] == [
        ("unchanged", False, State.ACTIVE)
    ] * 5
    assert [r.fact_id for r in receipts] == [first[0].fact_id] * 2 + [first[1].fact_id] * 3
    porto, rome = (known(context, receipt) for receipt in first)
    assert (porto.seen_count, porto.first_seen, porto.last_seen) == (3, day(5), day(5))
    assert (rome.seen_count, rome.first_seen, rome.last_seen) == (4, day(5), day(9))
    assert len(porto.sightings) == len(rome.sightings) == 1


def test_what_is_known_and_what_is_new_may_come_together(context: Context) -> None:
    """In one batch a re-read is counted, another source is kept, and a new fact is stored."""
    first = submit([make_record(PORTO, at=5)], context)
    receipts = submit(
        [make_record(PORTO, at=5), make_record(PORTO, at=6, source="s2"), make_record(ROME, at=5)], context
    )
    assert [(r.outcome.value, r.stored) for r in receipts] == [
        ("unchanged", False),
        ("merged", True),
        ("stored", True),
    ]
    fact = known(context, first[0])
    assert (fact.sources, [s.seen_count for s in fact.sightings]) == (("chat:1", "s2"), [2, 1])


def test_re_reads_are_no_entries_of_the_log(context: Context) -> None:
    """Replayed twice over, a fact has the history that it had; each replay has the same receipts."""
    (first,) = submit([make_record(PORTO, at=5)], context)
    before = [(entry.kind, entry.at) for entry in context.store.history("default", first.fact_id or "")]
    replays = [submit([make_record(PORTO, at=5)] * 3, context) for _ in range(2)]
    assert replays[0] == replays[1]
    after = [(entry.kind, entry.at) for entry in context.store.history("default", first.fact_id or "")]
    assert before == after
    assert known(context, first).seen_count == 7


def test_a_replay_of_any_length_takes_eight_statements(tmp_path: Path) -> None:
    """Which are known, were any left behind, count them, what are their states: each in a transaction."""
    store = SqlStore(tmp_path / "facts.db", lambda: day(100))
    context = context_on(store, TableJudge())
    records = [make_record(f"Fact {n} is so.", at=n) for n in range(200)]
    submit(records, context)
    for batch in (records[:1], records):
        with statements() as sent:
            receipts = submit(batch, context)
        assert [text.split()[0] for text in sent] == [
            *("BEGIN", "SELECT") * 2,
            *("BEGIN", "UPDATE"),
            *("BEGIN", "SELECT"),
        ]
        assert {receipt.outcome.value for receipt in receipts} == {"unchanged"}
    store.close()
