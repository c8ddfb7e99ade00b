"""A closed loop of connections: each sends its next request when it has the answer to the last one."""

from __future__ import annotations

import http.client
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from threading import Barrier
from urllib.parse import urlsplit

Body = Callable[[], bytes]


@dataclass(frozen=True, slots=True)
class Timings:
    """What one load came to; latencies are in seconds, from the first byte sent to the last one read."""

    latencies: Sequence[float]
    failures: int
    seconds: float
    client_cpu_s: float

    def quantile_ms(self, share: float) -> float:
        """Return the latency, in milliseconds, that this share of the requests stayed under."""
        ordered = sorted(self.latencies)
        return 1000 * ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0


def load(url: str, path: str, body: Body, *, connections: int, seconds: float) -> Timings:
    """Post bodies for some seconds, over as many connections at once.

    ``body`` makes the next body; it is called by several threads.
    """
    address = urlsplit(url)
    ready = Barrier(connections + 1)

    def one_connection() -> tuple[list[float], int]:
        latencies, failures = [], 0
        connection = http.client.HTTPConnection(address.hostname or "", address.port, timeout=300)
        try:
            connection.connect()
            ready.wait()
            end = time.perf_counter() + seconds
            while (begun := time.perf_counter()) < end:
                connection.request("POST", path, body(), {"Content-Type": "application/json"})
                answer = connection.getresponse()
                answer.read()
                latencies.append(time.perf_counter() - begun)
                failures += answer.status >= 400
        finally:
            connection.close()
        return latencies, failures

    with ThreadPoolExecutor(connections) as threads:
        running = [threads.submit(one_connection) for _ in range(connections)]
        ready.wait()
        begun, cpu = time.perf_counter(), time.process_time()
        done = [one.result() for one in running]
        took, cpu = time.perf_counter() - begun, time.process_time() - cpu
    latencies = [latency for found, _ in done for latency in found]
    return Timings(latencies, sum(failures for _, failures in done), took, cpu)
