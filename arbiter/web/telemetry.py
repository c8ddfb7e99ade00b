"""What is measured while the service works: numbers for Prometheus, and traces where they are wanted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from contextvars import Context
from dataclasses import replace
from time import perf_counter

from arbiter.api import Arbiter
from arbiter.domain.outcomes import Receipt
from arbiter.pipeline.retry import Retried
from arbiter.ports import Judge
from arbiter.settings import Settings
from arbiter.web.metrics import Metrics
from arbiter.web.observed import ObservedClient, ObservedJudge, ObservedJudges
from arbiter.web.traces import Traces, open_traces
from arbiter.wiring import Instruments


class Telemetry:
    """Watches one service."""

    def __init__(self, metrics: Metrics, traces: Traces) -> None:
        self.metrics = metrics
        self.traces = traces
        self.judges: list[Judge] = []

    @classmethod
    def of(cls, settings: Settings) -> Telemetry:
        """Return what the settings ask for.

        Raises:
            MissingExtraError: they ask for traces, and the extra ``otel`` is not installed.
        """
        return cls(Metrics(namespaces=settings.serve_metrics_namespaces), open_traces(settings))

    @property
    def instruments(self) -> Instruments:
        """What watches each judge and the client of the language model; ``judges`` lists those."""

        def watched(judge: Judge) -> Judge:
            self.judges.append(judge)
            return ObservedJudge(judge, self.metrics, self.traces)

        return Instruments(judge=watched, client=lambda client: ObservedClient(client, self.traces))

    def watched(self, arbiter: Arbiter) -> Arbiter:
        """Return an arbiter on the same store whose work is watched as a whole."""
        context = arbiter.context
        judges = ObservedJudges(context.judge, self.metrics)
        return Arbiter(replace(context, judge=judges, stage=self._stage))

    @contextmanager
    def batch(self, contexts: Sequence[Context]) -> Iterator[None]:
        """Watch records of several requests being written together; each request comes with its context."""
        self.metrics.batch_requests.observe(len(contexts))
        with self.traces.batch(contexts):
            yield

    def accepted(self, records: int, answer: Future[list[Receipt]]) -> None:
        """Count records that wait until there is an answer."""
        self.metrics.writer_waiting.inc(records)
        answer.add_done_callback(lambda _: self.metrics.writer_waiting.dec(records))

    def written(self, receipts: Sequence[Receipt]) -> None:
        """Count records that were written together."""
        self.metrics.batch_records.observe(len(receipts))
        self.answered(receipts)

    def answered(self, receipts: Iterable[Receipt]) -> None:
        """Count records by what became of them."""
        for receipt in receipts:
            more = (receipt.namespace,) if self.metrics.namespaces else ()
            self.metrics.records.labels(receipt.outcome.value, *more).inc()

    def retried(self, done: Retried) -> None:
        """Count a pass over what no judge could tell."""
        self.metrics.retried_pairs.labels("answered").inc(done.answered)
        self.metrics.retried_pairs.labels("waiting").inc(done.asked - done.answered)
        self.metrics.retry_outages.inc(done.outage)

    def close(self) -> None:
        """Send off what was not sent yet."""
        self.traces.close()
        self.metrics.close()

    @contextmanager
    def _stage(self, name: str) -> Iterator[None]:
        begun = perf_counter()
        with self.traces.span(f"arbiter.{name}"):
            yield
        self.metrics.stage_seconds.labels(name).observe(perf_counter() - begun)
