"""What is measured across threads and processes: batches of several requests, numbers of several workers."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import Context, ContextVar
from pathlib import Path
from threading import Event

from prometheus_client.parser import text_string_to_metric_families as families
from prometheus_client.registry import CollectorRegistry

from arbiter.web.coalesce import Submitter
from arbiter.web.metrics import Metrics
from arbiter.web.telemetry import Telemetry
from arbiter.web.traces import NoTraces
from tests.factories import make_record

WHO: ContextVar[str] = ContextVar("who")
WORKER = """
import os
from arbiter.web.metrics import Metrics
from prometheus_client.registry import CollectorRegistry
metrics = Metrics()
metrics.records.labels("stored").inc(3)
metrics.records.labels("merged").inc(1)
metrics.writer_waiting.inc(7)
if {closes}:
    metrics.close()
print(metrics.exposed("", CollectorRegistry())[0].decode(), flush=True)
os._exit(0)
"""


def test_a_batch_knows_whose_records_it_holds() -> None:
    """Whoever watches gets the context of each request; a batch that is done again is watched again."""
    seen: list[list[str]] = []
    go = Event()

    @contextmanager
    def around(contexts: Sequence[Context]) -> Iterator[None]:
        seen.append([context[WHO] for context in contexts])
        yield

    def arbitrate(records: Sequence[object], _: Sequence[int]) -> list[object]:
        go.wait()
        if len(records) > 1:
            raise ValueError
        return list(records)

    submitter = Submitter(arbitrate, linger_s=0, queue_records=10, around=around)  # type: ignore[arg-type]
    answers = []
    for who in ("first", "ada", "ben"):
        WHO.set(who)
        answers.append(submitter.submit([make_record("x")], [0]))
    go.set()
    submitter.close()
    assert [len(answer.result(60)) for answer in answers] == [1, 1, 1]
    assert sorted(names for names in seen if len(names) == 1) == [["ada"], ["ben"], ["first"]]
    assert seen[0][0] == "first"


def test_batches_are_counted_by_their_requests() -> None:
    """Three requests in one batch and one in another: two batches, four requests."""
    metrics = Metrics()
    telemetry = Telemetry(metrics, NoTraces())
    for number in (3, 1):
        with telemetry.batch([Context()] * number):
            pass
    text = metrics.exposed("", CollectorRegistry())[0].decode()
    assert "arbiter_batch_requests_count 2.0" in text
    assert "arbiter_batch_requests_sum 4.0" in text


def worker(folder: Path, *, closes: bool) -> dict[str, float]:
    """Run a worker to its sudden end, and return the numbers that it told of all workers."""
    done = subprocess.run(
        ["env", f"PROMETHEUS_MULTIPROC_DIR={folder}", sys.executable, "-c", WORKER.format(closes=closes)],
        capture_output=True,
        text=True,
        check=True,
    )
    return {
        f"{sample.name} {' '.join(sample.labels.values())}".strip(): sample.value
        for family in families(done.stdout)
        for sample in family.samples
    }


def test_workers_that_are_gone_count_for_what_they_did(tmp_path: Path) -> None:
    """What was done stays done; what waited in one that was killed, or that ended, does not wait any more."""
    first = worker(tmp_path, closes=False)
    assert (first["arbiter_records_total stored"], first["arbiter_writer_waiting_records"]) == (3, 7)
    second = worker(tmp_path, closes=False)
    assert (second["arbiter_records_total stored"], second["arbiter_writer_waiting_records"]) == (6, 7)
    assert second["arbiter_duplicate_ratio"] == 0.25
    third = worker(tmp_path, closes=True)
    assert third["arbiter_records_total stored"] == 9
    assert "arbiter_writer_waiting_records" not in third
