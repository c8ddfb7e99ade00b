"""``python -m evals benchmark``: speed and size, in one run on one machine."""

from __future__ import annotations

import json
import multiprocessing
import os
import platform
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import click

from arbiter.settings import Settings
from evals.benchmark.facts import stored
from evals.benchmark.filling import fill
from evals.benchmark.growth import Growth, Work, measure, reopened
from evals.benchmark.models import Model, measure_models
from evals.benchmark.tables import growth_rows, model_rows, part_rows, print_columns
from evals.report.provenance import checkout


@dataclass(frozen=True)
class Measured:
    """Everything that one run measured."""

    machine: str
    commit: str | None
    growth: Sequence[Growth]
    models: Sequence[Model]


@click.command()
@click.option(
    "--facts",
    multiple=True,
    default=(1_000, 10_000),
    show_default=True,
    type=click.IntRange(1),
    help="Facts in the store; repeatable. A million takes about an hour and 6 GB of disk.",
)
@click.option(
    "--spread",
    default=0,
    show_default=True,
    type=click.IntRange(0),
    help="Also measure as many facts in 10,000 namespaces.",
)
@click.option("--new", default=500, show_default=True, help="New records to submit.")
@click.option("--bare", default=200, show_default=True, help="New records to submit without a subject.")
@click.option("--replayed", default=20_000, show_default=True, help="Records to submit that are known.")
@click.option("--single", default=200, show_default=True, help="New records to submit one at a time.")
@click.option(
    "--alone", default=400, show_default=True, help="Texts and pairs that each model reads alone, at most."
)
@click.option("--threads", default=0, show_default=True, help="Threads of the models; 0: all cores.")
@click.option(
    "--keep",
    type=click.Path(file_okay=False, path_type=Path),
    help="Keep the filled stores here, for the next time; copies are measured, since they grow by it.",
)
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="Write the figures as JSON.")
def command(
    *,
    facts: tuple[int, ...],
    spread: int,
    threads: int,
    alone: int,
    keep: Path | None,
    out: Path | None,
    **counts: int,
) -> None:
    """Measure how many records a second are answered, and what a store costs.

    Machines are shared and noisy: compare the ratios to the embedding model alone, which is the floor for
    new records.
    """
    settings = Settings(embedding_threads=threads)
    work = Work(**counts)
    stores = [(count, 1) for count in sorted(facts)] + ([(spread, min(spread, 10_000))] if spread else [])
    with tempfile.TemporaryDirectory() as folder:
        growth = list(_grown(stores, Path(folder), keep, settings, work))
    models = measure_models(alone)
    cores = f"{os.cpu_count()} cores, models on {threads or 'all'} of them"
    machine = f"{platform.machine()}, {cores}, Python {platform.python_version()}"
    click.echo(machine)
    for title, rows in (
        ("Stores", growth_rows(growth)),
        ("Milliseconds for a new record", part_rows(growth)),
        ("The models alone", model_rows(models)),
    ):
        print_columns(title, rows)
    if out is not None:
        told = asdict(Measured(machine, checkout()[0], growth, models))
        out.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")


def _grown(
    stores: Sequence[tuple[int, int]], folder: Path, keep: Path | None, settings: Settings, work: Work
) -> Iterator[Growth]:
    """Fill each store if it is not there, and measure it in a process of its own."""
    for count, namespaces in stores:
        database = (keep or folder) / f"{count}-in-{namespaces}.db"
        if not database.exists():
            click.echo(f"filling a store with {count:,} facts", err=True)
            fill(database, stored(count, namespaces), settings=settings)
        if keep is not None:
            database = Path(shutil.copyfile(database, folder / database.name))
        click.echo(f"measuring it, {database.stat().st_size / 1e6:,.0f} MB", err=True)
        with multiprocessing.get_context("spawn").Pool(1, maxtasksperchild=1) as alone:
            grown = alone.apply(measure, (database, count, namespaces, settings, work))
            yield replace(grown, reopen_s=alone.apply(reopened, (database, namespaces, settings)))
