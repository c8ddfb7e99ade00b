"""What Prometheus is told. Label values come from closed lists or from the settings, never from a text.

With several workers on one port each scrape meets only one of them, so prometheus-client keeps the numbers of
all of them in files of the folder that ``PROMETHEUS_MULTIPROC_DIR`` names; ``arbiter serve --workers`` makes
one. What waits in the store is asked when somebody looks (see ``queue_figures``).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, values
from prometheus_client.exposition import choose_encoder
from prometheus_client.metrics_core import GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead
from prometheus_client.registry import Collector

FOLDER = "PROMETHEUS_MULTIPROC_DIR"
_FAST = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120)
_COUNTS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1000)
_RECORDS = "arbiter_records"
_DUPLICATES = ("merged", "unchanged")
_NOT_KEPT = ("refused", "deferred")


class Metrics:
    """The numbers of this process, and of its siblings where there are several workers.

    Args:
        namespaces: tell records apart by namespace; a store may have very many of them.
    """

    def __init__(self, *, namespaces: bool = False) -> None:
        self.namespaces = namespaces
        self._shared = values.ValueClass is not values.MutexValue
        own = self._registry = CollectorRegistry()
        if self._shared:
            _forget_the_dead()
        else:
            ProcessCollector(registry=own)
        by_namespace = ["namespace"] if namespaces else []
        self.requests = Histogram(
            "arbiter_http_request_duration_seconds",
            "Time from a request's arrival to the end of its answer.",
            ["method", "route", "status"],
            buckets=_FAST,
            registry=own,
        )
        self.replays = Counter(
            "arbiter_idempotent_replays", "Requests that got the answer of an earlier one.", registry=own
        )
        self.records = Counter(
            _RECORDS, "Records by what became of them.", ["outcome", *by_namespace], registry=own
        )
        self.relations = Counter(
            "arbiter_relations", "Pairs put before the judges, by what was found.", ["relation"], registry=own
        )
        self.judge_seconds = Histogram(
            "arbiter_judge_duration_seconds",
            "Time in which a judge answered about some pairs.",
            ["judge"],
            buckets=_FAST,
            registry=own,
        )
        self.judge_pairs = Counter(
            "arbiter_judge_pairs", "Pairs that a judge was asked about.", ["judge"], registry=own
        )
        self.judge_failures = Counter(
            "arbiter_judge_failures",
            "Pairs that a judge should have told and could not, by the reason.",
            ["judge", "code"],
            registry=own,
        )
        self.llm_calls = Counter(
            "arbiter_llm_calls", "Calls of a language model that ended.", ["judge"], registry=own
        )
        self.llm_tokens = Counter(
            "arbiter_llm_tokens", "Tokens sent and received.", ["judge", "direction"], registry=own
        )
        self.cost_usd = Counter(
            "arbiter_cost_usd", "US dollars by the provider's price list.", ["judge"], registry=own
        )
        self.local_pairs = Counter(
            "arbiter_local_pairs", "Pairs that the packaged model computed.", registry=own
        )
        self.stage_seconds = Histogram(
            "arbiter_stage_duration_seconds",
            "Time of each stage of a batch of submissions.",
            ["stage"],
            buckets=_FAST,
            registry=own,
        )
        self.batch_records = Histogram(
            "arbiter_batch_records", "Records written together.", buckets=_COUNTS, registry=own
        )
        self.batch_requests = Histogram(
            "arbiter_batch_requests",
            "Requests whose records were written together.",
            buckets=_COUNTS,
            registry=own,
        )
        self.writer_waiting = Gauge(
            "arbiter_writer_waiting_records",
            "Records accepted and not answered yet.",
            registry=own,
            multiprocess_mode="livesum",
        )
        self.retried_pairs = Counter(
            "arbiter_retried_pairs",
            "Held pairs asked about again, by what came of it.",
            ["result"],
            registry=own,
        )
        self.retry_outages = Counter(
            "arbiter_retry_outages",
            "Retries that ended early, since the judges seemed to be down.",
            registry=own,
        )

    def exposed(self, accept: str, more: Collector) -> tuple[bytes, str]:
        """Return everything, and the content type, in the form that a scraper prefers."""
        encode, media_type = choose_encoder(accept)
        source = _of_all_workers() if self._shared else self._registry
        return encode(_Everything(source, more)), media_type

    def close(self) -> None:
        """Take this process out of what is summed over the living ones."""
        if self._shared:
            _forget(os.getpid())


class _Everything(Collector):
    def __init__(self, source: Collector, more: Collector) -> None:
        self._source = source
        self._more = more

    def collect(self) -> Iterator[Metric]:
        """Yield what was counted, what follows from it, and what is asked now."""
        for family in self._source.collect():
            yield family
            if family.name == _RECORDS:
                yield _duplicate_ratio(family)
        yield from self._more.collect()


def _duplicate_ratio(records: Metric) -> Metric:
    kept = [
        sample
        for sample in records.samples
        if sample.name.endswith("_total") and sample.labels["outcome"] not in _NOT_KEPT
    ]
    total = sum(sample.value for sample in kept)
    again = sum(sample.value for sample in kept if sample.labels["outcome"] in _DUPLICATES)
    ratio = again / total if total else 0.0
    text = "Share of the records since the start that said what was known already."
    return GaugeMetricFamily("arbiter_duplicate_ratio", text, value=ratio)


def _of_all_workers() -> Collector:
    collector: Collector = MultiProcessCollector(None)  # type: ignore[no-untyped-call]  # it has no types
    return collector


def _forget(pid: int) -> None:
    mark_process_dead(pid)  # type: ignore[no-untyped-call]  # it has no types


def _forget_the_dead() -> None:
    """Take workers that were killed out of what is summed over the living ones."""
    folder = os.environ[FOLDER]  # noqa: TID251  prometheus-client has no other switch
    for pid in {path.stem.rpartition("_")[2] for path in Path(folder).glob("gauge_live*_*.db")}:
        if not _lives(int(pid)):
            _forget(int(pid))


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True
