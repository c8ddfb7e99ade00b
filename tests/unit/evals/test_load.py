"""The load benchmark: what it counts, what it says of it, and one small run against a real service."""

from __future__ import annotations

import json
from itertools import islice
from pathlib import Path

import pytest
from click.testing import CliRunner

from evals.__main__ import main
from evals.load import WORKLOADS, bodies, bound
from evals.load_client import Timings
from evals.load_service import cores, spent

STAGE, JUDGE = "arbiter_stage_duration_seconds_sum", "arbiter_judge_duration_seconds_sum"


def test_quantiles_are_of_the_slowest() -> None:
    """Of a hundred latencies the median is the 51st, and 99 of 100 stay under the last one."""
    timings = Timings([number / 1000 for number in range(100)], 0, 1.0, 0.1)
    assert (timings.quantile_ms(0.5), timings.quantile_ms(0.99)) == (50.0, 99.0)
    assert Timings([], 0, 1.0, 0.1).quantile_ms(0.5) == 0.0


def test_shares_are_what_was_added_meanwhile() -> None:
    """By the second, and by the kind of judge; what did nothing is left out."""
    before = {(STAGE, "arrive"): 1.0, (JUDGE, "exact/c1"): 1.0, ("process_cpu_seconds_total", ""): 5.0}
    after = {
        (STAGE, "arrive"): 2.0,
        (STAGE, "conclude"): 0.5,
        (JUDGE, "exact/c1"): 1.0,
        (JUDGE, "local/abc"): 3.0,
        ("process_cpu_seconds_total", ""): 7.0,
    }
    shares = spent(before, after, 2.0)
    assert shares == {"stage arrive": 0.5, "stage conclude": 0.25, "judge local": 1.5}
    assert cores(before, after, 2.0) == 1.0


@pytest.mark.parametrize(
    ("shares", "service", "client", "told"),
    [
        ({}, 0.4, 0.9, "the client"),
        ({"stage arrive": 0.7, "stage conclude": 0.1}, 0.9, 0.1, "the writing thread: stage arrive"),
        (
            {"stage investigate": 0.8, "judge exact": 0.01, "judge local": 0.7},
            0.9,
            0.1,
            "the writing thread: stage investigate, in it judge local",
        ),
        ({"judge exact": 0.1, "judge local": 3.0}, 1.0, 0.1, "judge local"),
        ({"stage arrive": 0.1}, 0.9, 0.1, "the interpreter: HTTP, JSON and checks"),
        ({"stage arrive": 0.1}, 0.2, 0.1, "waiting: for commits, and for others to write with"),
    ],
)
def test_the_busiest_part_is_the_bound(
    shares: dict[str, float], service: float, client: float, told: str
) -> None:
    """Whatever was at work most of the time."""
    assert bound(shares, service_cores=service, client_cores=client) == told


def test_new_records_are_new_and_replayed_ones_are_not() -> None:
    """In the same store; what a request brings has as many items as it says."""
    by_name = {(work.what, work.items): work for work in WORKLOADS}
    new, replayed = by_name["new records", 100], by_name["replayed records", 100]
    texts = [str(record["content"]) for record in islice(new.make(50), 200)]
    known = [str(record["content"]) for record in islice(replayed.make(50), 200)]
    assert (len(set(texts)), len(set(known)), set(texts) & set(known)) == (200, 50, set())
    assert len(json.loads(bodies(new, new.make(50))())["records"]) == 100


def test_a_small_run(tmp_path: Path) -> None:
    """Every load is answered without a failure, and told with its latencies and what bounds it."""
    out = tmp_path / "load.json"
    options = ["--facts", "20", "--seconds", "0.2", "--connections", "2", "--judge", "none"]
    run = CliRunner().invoke(main, ["load", *options, "--out", str(out)], catch_exceptions=False)
    figures = json.loads(out.read_text("utf-8"))["figures"]
    assert [(figure["what"], figure["items"]) for figure in figures] == [
        (work.what, work.items) for work in WORKLOADS
    ]
    assert {figure["failures"] for figure in figures} == {0}
    assert all(0 < figure["p50_ms"] <= figure["p99_ms"] for figure in figures)
    assert all(figure["requests"] and figure["bound"] for figure in figures)
    assert len(run.stdout.splitlines()) == 1 + len(figures)
