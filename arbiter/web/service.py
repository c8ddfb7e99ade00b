"""The one object that the routes work with: an arbiter, the thread that writes, and the threads that read."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from contextvars import copy_context
from datetime import UTC, datetime
from functools import partial
from typing import TypeVar

from fastapi import Request

from arbiter.adapters.secret_tokens import new_owner
from arbiter.api import Arbiter
from arbiter.domain.facts import Record, Source
from arbiter.domain.outcomes import Receipt
from arbiter.domain.vocabulary import SourceKind
from arbiter.errors import ArbiterError, TimeLimitError
from arbiter.pipeline.retry import retry
from arbiter.pipeline.submit import Each, submit
from arbiter.settings import Settings
from arbiter.web.access import Caller
from arbiter.web.coalesce import Submitter
from arbiter.web.gate import Gate
from arbiter.web.intake import check
from arbiter.web.queue_figures import QueueFigures
from arbiter.web.readiness import Readiness, ask
from arbiter.web.request_log import note_receipts
from arbiter.web.retrying import RetryWorker
from arbiter.web.side_by_side import SideBySide
from arbiter.web.telemetry import Telemetry
from arbiter.wiring import asks_llm, retry_plan

T = TypeVar("T")

# Each has the time of its own questions, and all share the calls under way: with more at once, calls that
# take a few seconds would run out of it.
_NAMESPACES = 4
# Conversions are loaded when two units meet.
_IN_TWO_UNITS = tuple(
    Record(text, Source("arbiter", SourceKind.VERIFIED_OBSERVATION), datetime(2026, 1, 1, tzinfo=UTC))
    for text in ("The crate weighs 2 kg.", "The crate weighs 5 lb.")
)


class Service:
    """An open store, served. Routes use ``run`` for whatever blocks and ``submit`` for records."""

    def __init__(self, arbiter: Arbiter, settings: Settings, telemetry: Telemetry | None = None) -> None:
        self.telemetry = telemetry or Telemetry.of(settings)
        self.arbiter = arbiter = self.telemetry.watched(arbiter)
        self.settings = settings
        self.gate = Gate(arbiter.context.store.keys, arbiter.context.clock, settings)
        at_once = min(_NAMESPACES, settings.llm_concurrency)
        self._each: Each = SideBySide(at_once) if asks_llm(settings) else map
        self.threads = ThreadPoolExecutor(settings.serve_threads, thread_name_prefix="arbiter-reader")
        self.submitter = Submitter(
            self._arbitrate,
            linger_s=settings.serve_linger_ms / 1000,
            queue_records=settings.serve_queue_records,
            around=self.telemetry.batch,
        )
        context, many = arbiter.context, settings.serve_metrics_namespaces
        self.figures = QueueFigures(context.store.backlog, context.clock, namespaces=many)
        self.readiness = Readiness(context, self.telemetry.judges)
        retrying = partial(retry, context, retry_plan(settings), new_owner())
        self.retrying = RetryWorker(retrying, self.telemetry.retried, every_s=settings.serve_retry_s)

    @classmethod
    def open(cls, settings: Settings) -> Service:
        """Open the store that the settings name and load the models, so that no caller waits for them.

        What no judge could tell is asked again from now on.

        Raises:
            ConfigurationError: the settings, or a file they name, have faults.
            StoreError: the store cannot be opened.
        """
        telemetry = Telemetry.of(settings)
        arbiter = Arbiter.open(settings=settings, instruments=telemetry.instruments)
        try:
            arbiter.context.embedder.embed(["ready"])
            arbiter.context.entities.extract(["ready"])
            arbiter.context.guard.compare(*_IN_TWO_UNITS)
            # What does not work is told by /readyz.
            with suppress(ArbiterError):
                ask(telemetry.judges)
            service = cls(arbiter, settings, telemetry)
        except Exception:
            arbiter.close()
            raise
        if settings.serve_retry_s:
            service.retrying.start()
        return service

    async def run(self, work: Callable[[], T]) -> T:
        """Do what blocks on another thread, within the time that a request has.

        Raises:
            TimeLimitError: it took longer; what had begun goes on.
        """
        return await self._within(self.threads.submit(copy_context().run, work))

    async def submit(
        self, records: Sequence[object], caller: Caller, *, first_index: int = 0
    ) -> list[Receipt]:
        """Arbitrate records together with those of other callers, and return a receipt for each.

        Raises:
            OverloadedError: too many records wait already.
            StoreUnavailableError: the store could not be written; to send the records again is safe.
            TimeLimitError: it took too long; what had begun goes on.
        """
        checked = await self.run(lambda: check(records, self.arbiter, caller, first_index))
        self.telemetry.answered(checked.refused.values())
        written: list[Receipt] = []
        if checked.valid:
            accepted = self.submitter.submit(list(checked.valid.values()), list(checked.valid))
            self.telemetry.accepted(len(checked.valid), accepted)
            written = await self._within(accepted)
        receipts = checked.answered(written)
        note_receipts(receipts)
        return receipts

    def close(self) -> None:
        """Finish what was accepted and let go of the store."""
        self.retrying.stop()
        self.submitter.close()
        self.threads.shutdown(cancel_futures=True)
        self.readiness.close()
        self.retrying.join(self.settings.serve_grace_s)
        self.arbiter.close()
        self.telemetry.close()

    def _arbitrate(self, records: Sequence[Record], indexes: Sequence[int]) -> list[Receipt]:
        receipts = submit(records, self.arbiter.context, indexes, self._each)
        self.telemetry.written(receipts)
        return receipts

    async def _within(self, future: Future[T]) -> T:
        limit = self.settings.serve_timeout_s
        try:
            async with asyncio.timeout(limit):
                return await asyncio.wrap_future(future)
        except TimeoutError as error:
            raise TimeLimitError(
                f"this took longer than {limit:g} seconds; what was begun goes on, and to repeat it is safe"
            ) from error


def service_of(request: Request) -> Service:
    """Return the service of the app that a request came to."""
    service: Service = request.app.state.service
    return service
