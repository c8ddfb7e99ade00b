"""How much waits in the store and for how long: asked when somebody looks, and kept for a few seconds."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from threading import Lock

from prometheus_client.metrics_core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from arbiter.domain.backlog import Waiting
from arbiter.domain.review import KINDS
from arbiter.errors import StoreError
from arbiter.ports import Backlog, Clock

KEPT = timedelta(seconds=5)
"""For so long the figures are not asked for again, however many look."""


class QueueFigures(Collector):
    """The queues as Prometheus sees them.

    Args:
        backlog: where they are.
        clock: tells how old the oldest things in them are.
        namespaces: tell the queues apart by namespace.
    """

    def __init__(self, backlog: Backlog, clock: Clock, *, namespaces: bool) -> None:
        self._backlog = backlog
        self._clock = clock
        self._namespaces = namespaces
        self._known: tuple[datetime, Sequence[Waiting]] | None = None
        self._asking = Lock()

    def collect(self) -> Iterator[Metric]:
        """Yield depth and age of each queue; where the store cannot be read, only that it cannot."""
        up = GaugeMetricFamily("arbiter_store_up", "Can the store be read?")
        try:
            now, waiting = self._current()
        except StoreError:
            up.add_metric([], 0)
            yield up
            return
        up.add_metric([], 1)
        yield up
        names = ["queue", "kind", *(["namespace"] if self._namespaces else [])]
        depth = GaugeMetricFamily("arbiter_queue_items", "Things that wait.", labels=names)
        age = GaugeMetricFamily(
            "arbiter_queue_oldest_age_seconds", "How long the oldest of them has waited.", labels=names
        )
        for labels, (count, since) in sorted(self._by_labels(waiting).items()):
            depth.add_metric(labels, count)
            waited = 0.0 if since is None else max(0.0, (now - since).total_seconds())
            age.add_metric(labels, waited)
        yield depth
        yield age

    def _current(self) -> tuple[datetime, Sequence[Waiting]]:
        with self._asking:
            now = self._clock()
            if self._known is None or not timedelta() <= now - self._known[0] < KEPT:
                self._known = (now, self._backlog.waiting())
            return now, self._known[1]

    def _by_labels(self, waiting: Sequence[Waiting]) -> dict[tuple[str, ...], tuple[int, datetime | None]]:
        """Sum up; without namespaces every queue is told of, also an empty one."""
        found: dict[tuple[str, ...], list[Waiting]] = defaultdict(list)
        if not self._namespaces:
            found |= {("review", kind): [] for kind in KINDS}
            found |= {(queue, ""): [] for queue in ("judge", "unfinished")}
        for item in waiting:
            more = (item.namespace,) if self._namespaces else ()
            found[item.queue, item.kind, *more].append(item)
        return {
            labels: (sum(item.count for item in items), min((item.since for item in items), default=None))
            for labels, items in found.items()
        }
