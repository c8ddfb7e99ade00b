"""Speed of the main job on the embedded default, in one run on one machine.

Machines are shared and noisy, so the figures to compare are the ratios to the embedding model alone,
which is the floor for records that are new.
"""

from __future__ import annotations

import json
import os
import platform
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import TypeVar

import click

from arbiter import Arbiter, Settings

Item = TypeVar("Item")
BATCH = 500
START = datetime(2026, 1, 1, tzinfo=UTC)
_SUBJECTS = ("printer", "boiler", "lift", "gate", "kiln", "ferry", "archive", "clinic", "studio", "depot")
_VERBS = ("is serviced by", "is stored next to", "was painted by", "is insured with", "is cleaned by")
_NAMES = ("Amara", "Bjorn", "Chiara", "Dmitri", "Esi", "Farid", "Grete", "Hiro", "Ines", "Jonas")


@dataclass(frozen=True)
class Figure:
    """One measured rate: what, how many, seconds, and how many a second."""

    what: str
    count: int
    seconds: float

    @property
    def rate(self) -> float:
        """How many a second."""
        return self.count / self.seconds


def records(count: int, seed: int = 1) -> Iterator[dict[str, object]]:
    """Yield different small facts about many subjects, always the same for a seed."""
    draw = Random(seed)
    for number in range(count):
        subject = f"{draw.choice(_SUBJECTS)} {draw.randrange(count)}"
        yield {
            "content": f"The {subject} {draw.choice(_VERBS)} {draw.choice(_NAMES)} in bay {number}.",
            "subject": subject,
            "source": {"id": "bench:feed", "kind": "verified_observation"},
            "observed_at": (START + timedelta(minutes=number)).isoformat(),
        }


def timed(what: str, count: int, work: Callable[[], object]) -> Figure:
    """Run something once and return its figure."""
    begun = time.perf_counter()
    work()
    return Figure(what, count, time.perf_counter() - begun)


def measure(new: int, replayed: int, threads: int) -> list[Figure]:
    """Measure the embedding floor, new records, and replayed records on one store."""
    settings = Settings(embedding_threads=threads, judge="none")
    fresh = list(records(new))
    with (
        tempfile.TemporaryDirectory() as folder,
        Arbiter.open(Path(folder) / "bench.db", settings) as arbiter,
    ):
        texts = [str(record["content"]) for record in fresh]
        arbiter.context.embedder.embed(texts[:BATCH])
        figures = [
            timed(
                "embedding alone", new, lambda: [arbiter.context.embedder.embed(b) for b in _batches(texts)]
            ),
            timed("new records", new, lambda: [arbiter.submit(batch) for batch in _batches(fresh)]),
        ]
        again = [fresh[number % new] for number in range(replayed)]
        figures.append(
            timed("replayed records", replayed, lambda: [arbiter.submit(b) for b in _batches(again)])
        )
    return figures


def _batches(items: Sequence[Item]) -> Iterator[Sequence[Item]]:
    return (items[start : start + BATCH] for start in range(0, len(items), BATCH))


@click.command()
@click.option("--new", default=2_000, show_default=True, help="New records to submit.")
@click.option("--replayed", default=20_000, show_default=True, help="Re-reads of them to submit.")
@click.option("--threads", default=0, show_default=True, help="Threads of the embedder; 0: all cores.")
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="Write the figures as JSON.")
def command(new: int, replayed: int, threads: int, out: Path | None) -> None:
    """Measure how many records a second are answered."""
    figures = measure(new, replayed, threads)
    floor = figures[0].rate
    machine = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    click.echo(f"{machine}, batches of {BATCH}")
    for figure in figures:
        click.echo(
            f"{figure.what:<20} {figure.rate:>10,.0f} a second   {figure.rate / floor:>7.2f} x embedding"
        )
    if out is not None:
        rows = [{**asdict(f), "rate": f.rate, "ratio_to_embedding": f.rate / floor} for f in figures]
        out.write_text(json.dumps({"machine": machine, "batch": BATCH, "figures": rows}, indent=1) + "\n")
