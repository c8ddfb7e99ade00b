"""Field cases of several writers at once: threads, processes, and a long job beside them."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import pytest

from arbiter import Arbiter
from arbiter.adapters.sql_store import SqlStore
from arbiter.domain.outcomes import Receipt
from tests.acceptance.bench import Bench, bench, outcomes, says
from tests.acceptance.field_cases import CASES, covers, record, records
from tests.chat import item, reply
from tests.scripted_server import Answer, Request

pytestmark = pytest.mark.filterwarnings("ignore:.*`ReadOnly` qualifier:UserWarning")

T = TypeVar("T")

PROCESS = """
import json, sys
from arbiter import Arbiter, Settings
database, told = sys.argv[1], json.loads(sys.argv[2])
with Arbiter.open(database, Settings(judge="none", embedding_threads=1)) as arbiter:
    arbiter.context.entities.extract(["Ana"])
    print("ready", flush=True)
    sys.stdin.readline()
    for record in told:
        (receipt,) = arbiter.submit([record])
        print(json.dumps([receipt.outcome, receipt.fact_id]), flush=True)
"""


def at_once(number: int, job: Callable[[int], T]) -> list[T]:
    """Run a job so many times, all from the same moment on; return what each gave."""
    line = threading.Barrier(number)

    def begin(place: int) -> T:
        line.wait(timeout=60)
        return job(place)

    with ThreadPoolExecutor(number) as pool:
        return list(pool.map(begin, range(number)))


def told_by(on: Bench, told: Mapping[str, Any]) -> Receipt:
    """Submit a record through a store of one's own on the same database, as another process would."""
    store = SqlStore(on.database, on.clock)
    try:
        (receipt,) = Arbiter(on.using(store=store).context).submit([told])
    finally:
        store.close()
    return receipt


@covers("parallel-identical-adds")
def test_eight_writers_of_one_fact_store_it_once() -> None:
    """One receipt says stored, seven say unchanged, all with the same id."""
    case = CASES["parallel-identical-adds"]
    told = record(case.input["request"]["record"])
    with bench() as on:
        receipts = at_once(case.input["n"], lambda _: told_by(on, told))
        assert sorted(outcomes(receipts)) == ["stored", *["unchanged"] * 7]
        (view,) = on.arbiter.facts()
        assert {receipt.fact_id for receipt in receipts} == {view.fact.id}
        assert {receipt.duplicate_of for receipt in receipts} == {None, view.fact.id}
        assert view.fact.seen_count == 8


@covers("parallel-import-raises-constraint-error")
def test_to_lose_a_race_is_no_error() -> None:
    """A hundred imports of one row at once: a hundred answers, one fact, counted a hundred times."""
    case = CASES["parallel-import-raises-constraint-error"]
    told = records(case.input["request"])
    with bench() as on:
        answers = at_once(case.input["n"], lambda _: on.arbiter.submit(told))
        receipts = [receipt for (receipt,) in answers]
        assert sorted(outcomes(receipts)) == ["stored", *["unchanged"] * 99]
        assert {receipt.reason.code for receipt in receipts if receipt.reason} == {"seen_before"}
        (view,) = on.arbiter.facts()
        assert view.fact.seen_count == 100


@covers("parallel-distinct-facts-lost")
def test_two_processes_lose_nothing() -> None:
    """Seven facts by this process and another one on one store: every id of a receipt can be read."""
    case = CASES["parallel-distinct-facts-lost"]
    told = [record(request["record"]) for request in case.input["requests"]]
    with bench() as on, another_process(on, told[::2]) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        process.stdin.write("\n")
        process.stdin.flush()
        receipts = [on.one(one) for one in told[1::2]]
        answers = [json.loads(line) for line in process.communicate()[0].splitlines()]
        answers += [[receipt.outcome, receipt.fact_id] for receipt in receipts]
        assert [outcome for outcome, _ in answers] == ["stored"] * 7
        assert on.active() == {one["content"] for one in told}
        assert {on.arbiter.fact(fact_id).fact.content for _, fact_id in answers} == on.active()
    assert process.returncode == 0


@contextmanager
def another_process(on: Bench, told: list[dict[str, Any]]) -> Iterator[subprocess.Popen[str]]:
    """Run ``PROCESS`` beside this one."""
    with subprocess.Popen(
        [sys.executable, "-c", PROCESS, on.database, json.dumps(told)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
    ) as process:
        try:
            yield process
        finally:
            process.kill()


@covers("two-updates-two-winners")
def test_two_updates_at_once_have_one_winner() -> None:
    """Whoever commits first, the last observation is current and the chain has no fork."""
    case = CASES["two-updates-two-winners"]
    (stored,) = (record(raw) for raw in case.input["store"])
    told = [record(request["record"]) for request in case.input["requests"]]
    with bench() as on:
        first = on.one(stored)
        receipts = at_once(2, lambda place: told_by(on, told[place]))
        assert outcomes(receipts) == ["stored", "stored"]
        assert on.active() == {"The tariff is now 0.25 per unit."}
        views = on.views()
        chain = [views[one["content"]].state for one in (stored, *told)]
        assert [state.state for state in chain] == ["superseded", "superseded", "active"]
        assert [state.successor for state in chain] == [receipts[0].fact_id, receipts[1].fact_id, None]
        assert first.fact_id == chain[0].fact_id
        assert on.arbiter.compile().changed == 0


@covers("long-job-writes-back-old-snapshot")
def test_a_long_sweep_does_not_write_over_what_happened_meanwhile() -> None:
    """While the model thinks about two facts one is erased and a third arrives; the sweep leaves both so."""
    case = CASES["long-job-writes-back-old-snapshot"]
    one, other = records(case.steps[0])
    (boat,) = records(case.steps[2])
    dinghy, thinking, go_on = (
        frozenset({one["content"], other["content"]}),
        threading.Event(),
        threading.Event(),
    )

    def script(request: Request) -> Answer:
        shown = [frozenset((p["a"]["text"], p["b"]["text"])) for p in request.pairs]
        if dinghy not in shown:
            return Answer(reply(*(item(p["pair"], "unrelated") for p in request.pairs)))
        thinking.set()
        return Answer(reply(*(item(p["pair"], "duplicate") for p in request.pairs)), hold=go_on)

    with bench(script=script) as on, ThreadPoolExecutor(1) as pool:
        d1, d2 = on.seed(one, other, judged=False)
        sweep = pool.submit(on.arbiter.compile)
        assert thinking.wait(timeout=30)
        assert outcomes([on.one(boat)]) == ["stored"]
        on.arbiter.erase(d1)
        go_on.set()
        swept = sweep.result(timeout=30)
        assert on.active() == {boat["content"], other["content"]}
        erased = on.arbiter.fact(d1).state
        assert (erased.state, erased.reason) == ("tombstoned", "erased")
        assert on.arbiter.fact(d2).state.successor is None
        assert swept.created == 0
        assert [made.action for made in on.decisions(d1)] == []


def test_a_long_sweep_compares_with_what_arrived_meanwhile() -> None:
    """What a record found while the sweep was under way is not lost with it."""
    case = CASES["two-updates-two-winners"]
    (old,) = (record(raw) for raw in case.input["store"])
    new = record(case.input["requests"][1]["record"])
    with bench(says(old["content"], new["content"], "update")) as on:
        on.seed(old, judged=False)
        on.one(new)
        assert on.arbiter.compile().resumed == 1
        assert on.states() == {old["content"]: "superseded", new["content"]: "active"}
