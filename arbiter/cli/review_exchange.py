"""Reviews out to files and annotation tools, answers back in: what ``arbiter review`` has for it."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, TextIO, TypeVar, cast

import click

from arbiter.cli.options import Options, common_options
from arbiter.cli.render import plain, print_json, print_table

if TYPE_CHECKING:
    from arbiter.interchange.agreement import Tally
    from arbiter.interchange.review_files import ImportForm, OpenForm, SettledForm
    from arbiter.interchange.review_import import ImportLine

T = TypeVar("T")
_OPEN = ("jsonl", "csv", "label-studio", "label-studio-config", "argilla", "argilla-settings")
_SETTLED = ("jsonl", "csv", "training")
_IMPORTED = ("jsonl", "csv", "label-studio", "argilla")
_SUFFIXES = ("", ".jsonl", ".ndjson", ".csv")
_BY_NAME = "by the file's name; jsonl where it has no suffix"


@click.command("export")
@click.option(
    "--format",
    "form",
    type=click.Choice([*_OPEN, "training"]),
    show_default=_BY_NAME,
    help="How it is written, or for which tool; -config and -settings are what the tool must know first.",
)
@click.option(
    "--settled", is_flag=True, help="What people settled, with their rulings, in place of what waits."
)
@click.option("--limit", type=click.IntRange(min=1), help="At most so many, the most urgent ones.")
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    help="File to write, in place of standard output.",
)
@common_options()
def export(options: Options, form: str | None, limit: int | None, out: Path | None, *, settled: bool) -> None:
    """Write what waits for a person as a file to fill in, or as tasks of an annotation tool.

    In jsonl and csv the last columns are empty: ruling, relabel, text (of a merge), confirmed (it names
    something new), reviewer, reason, comment. `arbiter review import` reads every form back.

    --format training writes the settled pairs of which a ruling says how they relate, as `arbiter judge
    train` reads them.
    """
    from arbiter.interchange.review_files import export_open, export_settled, holds_items

    chosen = form or _by_name(out)
    settled = settled or chosen == "training"
    if settled and chosen not in _SETTLED:
        raise click.UsageError(f"--settled goes with {', '.join(_SETTLED)}, not with {chosen}")
    if not settled and not holds_items(cast("OpenForm", chosen)):
        _write(export_open((), cast("OpenForm", chosen)), out)
        return
    from arbiter.domain.review_queue import QueueQuery
    from arbiter.pipeline.review_exchange import queued_views, settled_pairs

    with options.open() as arbiter:
        count, written = Counter[str](), Counter[str]()
        if settled:
            pairs = islice(settled_pairs(options.only, arbiter.context), limit)
            pieces = export_settled(_counted(pairs, count), cast("SettledForm", chosen))
            if chosen == "training":
                pieces = _counted(pieces, written)
        else:
            views = islice(queued_views(options.only, QueueQuery(), arbiter.context), limit)
            pieces = export_open(_counted(views, count), cast("OpenForm", chosen))
        _write(pieces, out)
    if chosen == "training":
        silent = count.total() - written.total()
        left = f"; {silent} reviews left out, whose rulings do not say how the sides relate" if silent else ""
        if out is not None or silent:
            told = f"{written.total()} labelled pairs written to {out or 'standard output'}"
            click.echo(told + left, err=True)
    elif out is not None:
        click.echo(f"{count.total()} reviews written to {out}", err=True)


@click.command("import")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path))
@click.option(
    "--format",
    "form",
    type=click.Choice(_IMPORTED),
    show_default=_BY_NAME,
    help="How it is written, or by which tool.",
)
@click.option("--reviewer", metavar="NAME", default="", help="Who decided, where an answer does not say it.")
@click.option(
    "--user",
    "users",
    multiple=True,
    metavar="ID=NAME",
    callback=lambda _, __, given: _named(given),
    help="Who a user of the tool is, by id or e-mail address; repeatable. With it, nobody else may answer.",
)
@common_options(namespace="as each row says")
def import_file(
    options: Options, file: Path, form: str | None, reviewer: str, users: Mapping[str, str]
) -> None:
    """Put the answers of a filled-in export into force; what nobody answered is skipped.

    An answer that cannot be applied is reported and harms no other. One on facts that changed since the
    export is refused as stale; where several people answered one question otherwise, none of their answers
    is taken. Importing a file again changes nothing.

    Label Studio: its JSON export (not JSON-MIN); cancelled annotations and predictions are no answers.
    Argilla: records as JSON, of which what was submitted counts; `to_list(flatten=True)` says what was.
    """
    from arbiter.interchange.review_files import read_rulings
    from arbiter.interchange.review_import import apply_rulings

    with _reading(file) as stream:
        rulings = read_rulings(
            stream, cast("ImportForm", form or _by_name(file)), reviewer=reviewer, users=users
        )
    done: list[ImportLine] = []
    with options.open() as arbiter:
        for line in apply_rulings(options.namespace, rulings, arbiter.context.store, arbiter.review):
            done.append(line)
            if options.as_json:
                print_json(line.as_json())
    if not options.as_json:
        _print_import(done)
    if any(line.refused for line in done):
        raise click.exceptions.Exit(1)


@click.command("agreement")
@common_options()
def agreement(options: Options) -> None:
    """Count how far people agree with the judge: by relation, by judge and by month, with exact intervals.

    Only pairs that were put before people are counted. Those are the doubtful ones: the shares say nothing
    about what the judge settles on its own. A merge and a neither do not say how the sides relate.
    """
    from arbiter.interchange.agreement import agreement as counted
    from arbiter.pipeline.review_exchange import settled_pairs

    with options.open() as arbiter:
        found = counted(settled_pairs(options.only, arbiter.context))
    if options.as_json:
        print_json(found.as_json())
        return
    named: list[tuple[str, Tally]] = [("all", found.overall)]
    for tallies in (found.relations, found.judges, found.months):
        named += sorted(tallies.items())
    print_table(
        ("Of", "Rulings", "Agreed", "Disagreed", "Do not say", "Share", "95 % interval"),
        (_tally_row(name, tally) for name, tally in named),
    )
    for relation, counts in sorted(found.instead.items()):
        told = ", ".join(f"{count} {name}" for name, count in sorted(counts.items()))
        click.echo(f"in place of {relation}: {told}")
    if found.unjudged:
        click.echo(f"{found.unjudged} more were settled that no judge could tell")


COMMANDS = (export, import_file, agreement)
"""The commands that ``arbiter review`` has beside its own."""


def _counted(things: Iterable[T], count: Counter[str]) -> Iterator[T]:
    """Pass things on and count them."""
    for thing in things:
        count["passed"] += 1
        yield thing


def _named(given: Iterable[str]) -> Mapping[str, str]:
    pairs = [text.partition("=") for text in given]
    wrong = next((user for user, _, name in pairs if not user or not name), None)
    if wrong is not None:
        raise click.BadParameter(f"{wrong!r} is not ID=NAME")
    return {user: name for user, _, name in pairs}


def _by_name(file: Path | None) -> str:
    suffix = "" if file is None else file.suffix.lower()
    if suffix == ".json":
        raise click.UsageError(f"{file} may be of several tools; say which with --format")
    if suffix not in _SUFFIXES:
        raise click.UsageError(f"{file}: what a {suffix} file is to hold is for --format to say")
    return "csv" if suffix == ".csv" else "jsonl"


def _reading(file: Path) -> AbstractContextManager[BinaryIO]:
    return nullcontext(sys.stdin.buffer) if str(file) == "-" else file.open("rb")


def _write(pieces: Iterable[str], out: Path | None) -> None:
    from arbiter.interchange.outputs import replacing

    writing: AbstractContextManager[TextIO] = nullcontext(sys.stdout) if out is None else replacing(out)
    with writing as stream:
        stream.writelines(pieces)


def _print_import(lines: list[ImportLine]) -> None:
    for line in lines:
        if line.refused:
            told = ": ".join(part for part in (line.field, line.message) if part)
            place = f"line {line.line}: {plain(line.review_id or '?')}"
            click.echo(f"{place} {line.status.value}: {plain(told)}", err=True)
    counts: dict[str, int] = {}
    for line in lines:
        counts[line.status.value] = counts.get(line.status.value, 0) + 1
    told = ", ".join(f"{count} {status}" for status, count in sorted(counts.items()))
    changed = len({state.fact_id for line in lines for state in line.changed})
    click.echo(f"{len(lines)} rulings: {told or 'none'}; {changed} states changed")


def _tally_row(name: str, tally: Tally) -> tuple[object, ...]:
    told = tally.as_json()
    share, low, high = told["share"], told["low"], told["high"]
    return (
        name,
        told["rulings"],
        told["agreed"],
        told["disagreed"],
        told["silent"],
        "" if share is None else f"{share:.3f}",
        "" if share is None else f"{low:.3f} to {high:.3f}",
    )
