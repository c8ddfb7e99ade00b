"""The service that a load is put on: ``arbiter serve`` on a store, and what it says of itself."""

from __future__ import annotations

import re
import subprocess
import sys
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

_SAMPLE = re.compile(r"^(\w+)(?:\{(.*)\})? (\S+)$")
_LABEL = re.compile(r'(\w+)="([^"]*)"')
Counters = Mapping[tuple[str, str], float]


@contextmanager
def serve(database: Path, *, judge: str, workers: int) -> Iterator[str]:
    """Run ``arbiter serve`` until the block ends, and yield its address.

    Raises:
        RuntimeError: it did not start; the message is what it printed.
    """
    arguments = ["--port", "0", "--db", str(database), "--judge", judge, "--workers", str(workers)]
    command = [sys.executable, "-m", "arbiter", "serve", *arguments]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:  # noqa: S603  our own
        try:
            stderr = process.stderr
            printed, found = [], None
            while found is None and stderr is not None and (line := stderr.readline()):
                printed.append(line)
                found = re.search(r"http://[\d.]+:\d+", line)
            if found is None:
                raise RuntimeError("".join(printed))
            reader = Thread(target=list, args=[stderr], daemon=True)
            reader.start()
            yield found[0]
        finally:
            process.terminate()
            process.wait()


def counters(url: str) -> Counters:
    """Return the seconds that the service counted, by what they were spent on and its label."""
    with urllib.request.urlopen(f"{url}/metrics") as answer:  # noqa: S310  the service that was just started
        lines = answer.read().decode().splitlines()
    found: dict[tuple[str, str], float] = {}
    for sample in filter(None, map(_SAMPLE.match, lines)):
        labels = dict(_LABEL.findall(sample[2] or ""))
        found[sample[1], labels.get("stage") or labels.get("judge") or ""] = float(sample[3])
    return found


def spent(before: Counters, after: Counters, seconds: float) -> dict[str, float]:
    """Return the share of the time that each stage and each judge was at work; threads add up."""
    names = {"arbiter_stage_duration_seconds_sum": "stage", "arbiter_judge_duration_seconds_sum": "judge"}
    shares = {
        f"{names[name]} {label.partition('/')[0]}": (value - before.get((name, label), 0.0)) / seconds
        for (name, label), value in after.items()
        if name in names
    }
    return {name: share for name, share in shares.items() if share > 0.0005}


def cores(before: Counters, after: Counters, seconds: float) -> float:
    """Return how many cores the service kept busy; 0 where several processes do not say."""
    name = ("process_cpu_seconds_total", "")
    return (after.get(name, 0.0) - before.get(name, 0.0)) / seconds
