"""A load figure from a real client: what the service answers a second, how long it takes, and what bounds it.

Client and service share the machine, and with it the cores; a figure says how many of them each one used.
"""

from __future__ import annotations

import json
import os
import platform
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from itertools import count, islice
from pathlib import Path
from threading import Lock

import click

from arbiter.interchange.record_in import parse_record
from arbiter.settings import Settings
from arbiter.wiring import now
from evals.benchmark.facts import records
from evals.benchmark.filling import fill
from evals.load_client import Body, load
from evals.load_service import cores, counters, serve, spent

Raw = dict[str, object]
BATCH, PAIRS = 100, 32
AT_ONCE = 2
"""Requests under way at once where each brings many items."""
HALF = 0.5
_FAR = 10_000_000
_CITIES = ("Lisbon", "Porto", "Faro", "Braga", "Coimbra", "Aveiro", "Evora", "Beja")


@dataclass(frozen=True)
class Figure:
    """One measured load.

    Attributes:
        what: what was asked.
        facts: facts in the store at the beginning.
        connections: requests under way at once.
        items: pairs or records of a request.
        requests: how many were answered, ``failures`` of them with an error.
        requests_per_s: answered a second.
        items_per_s: the same in pairs or records.
        p50_ms: the median latency, in milliseconds.
        p99_ms: the latency that 99 of 100 requests stayed under.
        service_cores: cores that the service kept busy.
        client_cores: cores that the client kept busy.
        shares: how much of the time each stage and each judge was at work, 1 being one thread all the time.
        bound: what most of the time went into.
    """

    what: str
    facts: int
    connections: int
    items: int
    requests: int
    failures: int
    requests_per_s: float
    items_per_s: float
    p50_ms: float
    p99_ms: float
    service_cores: float
    client_cores: float
    shares: Mapping[str, float]
    bound: str


@dataclass(frozen=True)
class Workload:
    """One kind of request: where it goes, how many items it has, and what makes its items."""

    what: str
    path: str
    key: str
    items: int
    make: Callable[[int], Iterator[Raw]]


def _replayed(facts: int) -> Iterator[Raw]:
    known = list(islice(records(facts), 2_000))
    while True:
        yield from known


def _new(facts: int) -> Iterator[Raw]:
    # About the same things as what is there, each in words that are not.
    for seed in count(2):
        yield from records(facts, seed)


def _keyed_pairs(_: int) -> Iterator[Raw]:
    for number in count():
        told = [
            {
                "content": f"User {number} lives in {city}.",
                "source": {"id": "bench:chat", "kind": "user_stated"},
                "observed_at": f"2026-01-0{day}T09:00:00Z",
                "subject": f"user:{number}",
                "claim_key": "user.residence",
                "value": city,
            }
            for day, city in ((1, _CITIES[number % 8]), (2, _CITIES[(number + 3) % 8]))
        ]
        yield {"a": told[0], "b": told[1]}


def _read_pairs(_: int) -> Iterator[Raw]:
    told = records(_FAR)
    while True:
        a, b = next(told), next(told)
        yield {"a": a, "b": {**b, "subject": a["subject"]}}


WORKLOADS = (
    Workload("classify, by claim key", "/v1/classify", "pairs", 1, _keyed_pairs),
    Workload("classify, read by the judge", "/v1/classify", "pairs", 1, _read_pairs),
    Workload("classify, read by the judge", "/v1/classify", "pairs", PAIRS, _read_pairs),
    Workload("replayed records", "/v1/records", "records", 1, _replayed),
    Workload("replayed records", "/v1/records", "records", BATCH, _replayed),
    Workload("new records", "/v1/records", "records", 1, _new),
    Workload("new records", "/v1/records", "records", BATCH, _new),
)


def bodies(work: Workload, made: Iterator[Raw]) -> Body:
    """Return what makes the next body of a workload; threads may share it."""
    lock = Lock()

    def body() -> bytes:
        with lock:
            told = list(islice(made, work.items))
        return json.dumps({work.key: told}).encode()

    return body


def measure(
    database: Path, facts: int, *, connections: int, seconds: float, judge: str, workers: int
) -> Iterator[Figure]:
    """Put every load on a store that holds so many facts, one after the other."""
    with serve(database, judge=judge, workers=workers) as url:
        new = _new(facts)
        for work in WORKLOADS:
            # What is new must stay new from one load to the next.
            body = bodies(work, new if work.make is _new else work.make(facts))
            at_once = connections if work.items == 1 else min(connections, AT_ONCE)
            load(url, work.path, body, connections=at_once, seconds=min(1.0, seconds))
            before = counters(url)
            timed = load(url, work.path, body, connections=at_once, seconds=seconds)
            after = counters(url)
            answered, shares = len(timed.latencies), spent(before, after, timed.seconds)
            busy, client = cores(before, after, timed.seconds), timed.client_cpu_s / timed.seconds
            yield Figure(
                what=work.what,
                facts=facts,
                connections=at_once,
                items=work.items,
                requests=answered,
                failures=timed.failures,
                requests_per_s=answered / timed.seconds,
                items_per_s=answered * work.items / timed.seconds,
                p50_ms=timed.quantile_ms(0.5),
                p99_ms=timed.quantile_ms(0.99),
                service_cores=busy,
                client_cores=client,
                shares=shares,
                bound=bound(shares, service_cores=busy / workers, client_cores=client),
            )


def bound(shares: Mapping[str, float], *, service_cores: float, client_cores: float) -> str:
    """Say what a load was bound by: whatever was at work for more than half of the time.

    Args:
        shares: how much of the time each stage and each judge was at work.
        service_cores: cores that each process of the service kept busy.
        client_cores: cores that the client kept busy.
    """
    stages = {name: share for name, share in shares.items() if name.startswith("stage ")}
    judges = {name: share for name, share in shares.items() if name.startswith("judge ")}
    judge = max(judges, key=judges.__getitem__, default="")
    if client_cores > HALF:
        return "the client"
    if sum(stages.values()) > HALF:
        stage = max(stages, key=stages.__getitem__)
        within = f", in it {judge}" if judge and judges[judge] > HALF * stages[stage] else ""
        return f"the writing thread: {stage}{within}"
    if sum(judges.values()) > HALF:
        return judge
    if service_cores > HALF:
        return "the interpreter: HTTP, JSON and checks"
    return "waiting: for commits, and for others to write with"


def told(figure: Figure) -> str:
    """Return a figure as a line of text."""
    shares = ", ".join(f"{name} {share:.2f}" for name, share in sorted(figure.shares.items()))
    what = f"{figure.what}, {figure.items} a request"
    return (
        f"{figure.facts:>8,}  {what:<44}"
        f" {figure.requests_per_s:>8,.1f} requests/s {figure.items_per_s:>9,.1f} items/s"
        f"  p50 {figure.p50_ms:>7,.1f} ms  p99 {figure.p99_ms:>8,.1f} ms"
        f"  cores {figure.service_cores:.2f} + {figure.client_cores:.2f}  {figure.bound}  ({shares})"
    )


@click.command()
@click.option(
    "--facts",
    "sizes",
    type=click.IntRange(min=1),
    multiple=True,
    default=(1_000,),
    show_default=True,
    help="Facts in the store; once for each size.",
)
@click.option("--seconds", default=5.0, show_default=True, help="How long each load lasts.")
@click.option("--connections", default=16, show_default=True, help="Requests under way at once.")
@click.option("--judge", default="cascade", show_default=True, help="Who judges, as for `arbiter serve`.")
@click.option("--workers", default=1, show_default=True, help="Processes that serve.")
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="Write the figures as JSON.")
def command(
    sizes: tuple[int, ...], seconds: float, connections: int, judge: str, workers: int, out: Path | None
) -> None:
    """Measure what the service answers under load, and what bounds it."""
    machine = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    click.echo(f"{machine}; {connections} connections, judge {judge}, {workers} process(es)")
    figures: list[Figure] = []
    with tempfile.TemporaryDirectory() as folder:
        for size in sorted(sizes):
            database = Path(folder) / f"{size}.db"
            seeds = (parse_record(raw, now()) for raw in records(size))
            fill(database, seeds, settings=Settings(), exactly=True)
            for figure in measure(
                database, size, connections=connections, seconds=seconds, judge=judge, workers=workers
            ):
                click.echo(told(figure))
                figures.append(figure)
    if out is not None:
        setup = {"machine": machine, "judge": judge, "workers": workers, "seconds": seconds}
        rows = [json.dumps(_rounded(asdict(figure))) for figure in figures]
        lines = ",\n ".join(rows)
        out.write_text(f'{{"setup": {json.dumps(setup)},\n "figures": [\n {lines}\n]}}\n', encoding="utf-8")


def _rounded(value: object) -> object:
    if isinstance(value, dict):
        return {name: _rounded(inner) for name, inner in value.items()}
    return round(value, 3) if isinstance(value, float) else value
