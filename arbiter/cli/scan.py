"""``arbiter scan``: the main job, a dump or a stream of records arbitrated and reported on."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, redirect_stdout
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arbiter.cli.options import MEMORY, Options, common_options, named_here, store_path
from arbiter.cli.render import plain, print_json
from arbiter.errors import ConfigurationError

if TYPE_CHECKING:
    from arbiter.api import Arbiter
    from arbiter.interchange.summary import Summary
    from arbiter.scan import Engine, Progress

_FORMATS = ("auto", "jsonl", "json", "csv")
_ENGINES = ("process", "ray")
_STOPPED = 130
_SHOWN_REFUSALS = 5
_COUNTED_CHUNK = 1 << 20


@click.command("scan")
@click.argument("files", metavar="FILE...", nargs=-1)
@click.option(
    "--sample", is_flag=True, help="Scan the packaged sample, without a store unless --db names one."
)
@click.option("--format", "file_format", type=click.Choice(_FORMATS), default="auto", show_default=True)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("arbiter-report"),
    show_default=True,
    help="Folder for the report and the other files; what an earlier scan left there is replaced.",
)
@click.option("--dry-run", is_flag=True, help="Work on a throw-away copy of the store; write nothing to it.")
@click.option(
    "--batch-size",
    type=click.IntRange(1, 10_000),
    default=500,
    show_default=True,
    help="Records arbitrated and committed together.",
)
@click.option(
    "--engine",
    "engine_name",
    type=click.Choice(_ENGINES),
    default="process",
    show_default=True,
    help="Who reads texts and pairs: this process, or the workers of a Ray cluster, with the same result.",
)
@click.option(
    "--ray-address",
    metavar="ADDRESS",
    envvar="RAY_ADDRESS",
    show_envvar=True,
    show_default="one of this machine alone, for the time of the scan",
    help="The Ray cluster to use.",
)
@common_options(namespace=False, judge=True)
def command(  # noqa: PLR0913
    options: Options,
    files: tuple[str, ...],
    file_format: str,
    out: Path,
    batch_size: int,
    engine_name: str,
    ray_address: str | None,
    *,
    sample: bool,
    dry_run: bool,
) -> None:
    """Arbitrate a dump or a stream of records, and report on it.

    FILE (or - for standard input) holds records as JSON Lines, a JSON array or CSV. The folder then holds
    receipts.jsonl, facts.jsonl, review.jsonl, summary.json and report.html, the page to look at. A scan can
    be stopped at any time and run again: what was read before is known and only counted.
    """
    from arbiter.interchange.readers import check_readable
    from arbiter.scan import scan, summary_json

    if bool(files) == sample:
        raise click.UsageError("Give the files to scan (- for standard input), or --sample.")
    with ExitStack() as stack:
        if sample:
            packaged = resources.files("arbiter").joinpath("assets/sample.jsonl")
            files = (str(stack.enter_context(resources.as_file(packaged))),)
        check_readable(files, file_format)
        _check_folder(out)
        keep = not dry_run and (not sample or named_here("database"))
        engine = stack.enter_context(_engine(engine_name, ray_address))
        arbiter = stack.enter_context(_opened(options, engine, keep=keep, empty=sample and not dry_run))
        summary = scan(
            arbiter,
            files,
            out,
            file_format=file_format,
            batch_size=batch_size,
            progress=stack.enter_context(_progress(files)),
            dry_run=not keep,
            engine=engine,
        )
    if options.as_json:
        print_json(summary_json(summary))
    else:
        _tell(summary, out)
    _tell_refusals(summary)
    if summary.stopped:
        click.echo("stopped; scan the same again to go on", err=True)
        raise click.exceptions.Exit(_STOPPED)
    if summary.outcomes["refused"]:
        raise click.exceptions.Exit(1)


def _check_folder(out: Path) -> None:
    """See that the report can be written, before a store is made.

    Raises:
        click.BadParameter: it cannot.
    """
    there = next(place for place in (out.absolute(), *out.absolute().parents) if place.exists())
    if not there.is_dir() or not os.access(there, os.W_OK | os.X_OK):
        raise click.BadParameter(f"{out} cannot be written, because of {there}", param_hint="--out")


@contextmanager
def _engine(name: str, ray_address: str | None) -> Iterator[Engine]:
    """Return what computes the scan."""
    from arbiter.adapters.ray_cluster import RayCluster
    from arbiter.scan import ProcessEngine, RayEngine

    if name == "process":
        yield ProcessEngine()
        return
    # Ray tells on stdout which of its processes died; there, nothing stands but the summary.
    with redirect_stdout(sys.stderr), RayCluster(ray_address) as cluster:
        yield RayEngine(cluster)


@contextmanager
def _opened(options: Options, engine: Engine, *, keep: bool, empty: bool) -> Iterator[Arbiter]:
    """Open the store, or a throw-away one in its place: empty, or a copy of it."""
    from arbiter.scan import trial_database

    settings = options.settings()
    if keep:
        with engine.open(settings) as arbiter:
            yield arbiter
        return
    original = None if empty else store_path(settings.database)
    if original is None and not empty and settings.database != MEMORY:
        raise ConfigurationError("--dry-run works on a copy of the store's file; this store has none")
    with (
        trial_database(original) as database,
        engine.open(settings.model_copy(update={"database": database})) as arbiter,
    ):
        yield arbiter


@contextmanager
def _progress(files: Sequence[str]) -> Iterator[Progress | None]:
    """Show on a terminal how far the scan is: by lines where they can be counted."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    before: dict[str, int] = {}
    total: int | None = 0
    for name in files:
        before[name] = total or 0
        total = None if total is None or not Path(name).is_file() else total + _count_lines(Path(name))
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[told]}"),
        TimeElapsedColumn(),
    )
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("scanning", total=total, told="")

        def show(records: int, source: str, line: int) -> None:
            bar.update(task, completed=before[source] + line, told=f"{records:,} records")

        yield show


def _count_lines(path: Path) -> int:
    with path.open("rb") as stream:
        return sum(chunk.count(b"\n") for chunk in iter(lambda: stream.read(_COUNTED_CHUNK), b""))


def _tell(summary: Summary, out: Path) -> None:
    """Print the summary for people; lines that would say nothing are left out."""
    relations = summary.relations
    told = {
        "records": _counted(summary.records, _listed(summary.outcomes)),
        "facts": f"{summary.unique_facts:,} different ones, {summary.new_facts:,} new to the store",
        "duplicates": f"{100 * summary.duplicate_ratio:.1f} %, {summary.redundant_copies:,} redundant copies",
        "updates": f"{relations.get('update', 0):,}, {summary.corrected:,} facts marked false",
        "contradictions": f"{relations.get('contradiction', 0):,}, {summary.contested:,} facts contested",
        "to review": f"{summary.to_review:,}, of high stakes {summary.to_review_high_stakes:,}",
        "judged by": _listed(_by_judge(summary.judges)),
        "not judged": _listed(summary.unjudged),
        "not stored": _listed(summary.not_stored),
        "refused for": _named(summary.refused_fields),
        "not registered": _named(summary.unregistered_keys),
        "cost": f"{summary.cost.llm_calls:,} model calls, ${summary.cost.usd:.2f}",
        "time": f"{summary.seconds:.1f} s, {summary.records_per_second:,.0f} records a second",
        "report": str(out / "report.html"),
    }
    for name, text in told.items():
        if text:
            click.echo(f"{name:<16}{plain(text)}")
    if summary.dry_run:
        click.echo("nothing was written to a store", err=True)


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name.replace('_', ' ')} {count:,}" for name, count in counts.items() if count)


def _named(counts: Mapping[str, int]) -> str:
    """List names as they are written in records."""
    return ", ".join(f"{name} {count:,}" for name, count in counts.items())


def _counted(count: int, parts: str) -> str:
    return f"{count:,} ({parts})" if parts else f"{count:,}"


def _tell_refusals(summary: Summary) -> None:
    """Print where the first records that were not taken stand, and why."""
    shown = summary.refusals[:_SHOWN_REFUSALS]
    for refusal in shown:
        where = f"{refusal.source}, line {refusal.line}"
        click.echo(plain(f"{where}: {refusal.outcome.value}: {refusal.reason.message}"), err=True)
    rest = summary.outcomes["refused"] + summary.outcomes["deferred"] - len(shown)
    if rest:
        click.echo(f"and {rest:,} more; receipts.jsonl has all of them", err=True)


def _by_judge(judges: Mapping[str, int]) -> Counter[str]:
    """Return how many pairs each kind of judge told, in words."""
    from arbiter.interchange.report_cards import judge_name

    families: Counter[str] = Counter()
    for judge, count in judges.items():
        families[judge_name(judge)] += count
    return families
