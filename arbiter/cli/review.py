"""``arbiter review``: the questions that wait for a person."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager, nullcontext
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, TextIO, cast

import click

from arbiter.cli.options import Options, common_options
from arbiter.cli.render import plain, print_changes, print_json, print_table
from arbiter.domain.vocabulary import Relation, RulingKind, Stakes

if TYPE_CHECKING:
    from arbiter.interchange.review_files import Form
    from arbiter.interchange.review_import import ImportLine

_FORMS = ("jsonl", "csv")
_RULINGS = [kind.value.replace("_", "-") for kind in RulingKind if kind is not RulingKind.UNDO]
_FORM = click.option(
    "--format",
    "form",
    type=click.Choice(_FORMS),
    show_default="by the file's name, else jsonl",
    help="How the file is written.",
)


@click.group("review")
def command() -> None:
    """List, show and settle what needs a person."""


@command.command("list")
@click.option("--all", "everything", is_flag=True, help="Settled ones, too.")
@click.option("--limit", type=click.IntRange(min=1), help="At most so many.")
@common_options()
def list_items(options: Options, limit: int | None, *, everything: bool) -> None:
    """List what waits for a person, most urgent first; high stakes are red."""
    from arbiter.interchange.receipts import review_json

    with options.open() as arbiter:
        items = arbiter.review.items(namespace=options.only, open_only=not everything)[:limit]
        facts = arbiter.context.store.facts(options.only, {i for item in items for i in (item.a, item.b)})
        if options.as_json:
            for item in items:
                _, is_open = arbiter.context.store.review(options.only, item.id)
                print_json(review_json(item, is_open=is_open))
            return
    print_table(
        ("review", "Urgency", "Why", "Stakes", "A", "B"),
        (
            (
                item.id,
                item.priority,
                item.kind,
                item.stakes.value,
                facts[item.a].content,
                facts[item.b].content,
            )
            for item in items
        ),
        urgent=(place for place, item in enumerate(items) if item.stakes is Stakes.HIGH),
    )


@command.command("show")
@click.argument("review_id", metavar="REV")
@common_options()
def show(options: Options, review_id: str) -> None:
    """Show one question: both sides with their differences marked, the evidence, earlier rulings."""
    from arbiter.cli.review_page import gather, print_page

    with options.open() as arbiter:
        page = gather(options.only, review_id, arbiter.context)
    if options.as_json:
        print_json(page.as_json())
    else:
        print_page(page)


@command.command("rule")
@click.argument("review_id", metavar="REV")
@click.option(
    "--ruling", required=True, type=click.Choice(_RULINGS), help="What holds of the sides as shown."
)
@click.option(
    "--relabel",
    type=click.Choice([relation.value for relation in Relation]),
    help="With --ruling relabel: how they really relate; the policy decides the rest.",
)
@click.option("--reviewer", metavar="NAME", required=True, help="Who decides.")
@click.option("--reason", default="", help="Why, for those who come later.")
@common_options()
def rule(
    options: Options, review_id: str, ruling: str, relabel: str | None, reviewer: str, reason: str
) -> None:
    """Settle one question. A ruling outranks every judge and survives every compile."""
    with options.open() as arbiter:
        changed = arbiter.review.rule(
            review_id,
            RulingKind(ruling.replace("-", "_")),
            reviewer=reviewer,
            namespace=options.only,
            relabel=None if relabel is None else Relation(relabel),
            reason=reason,
        )
    print_changes(changed, as_json=options.as_json)


@command.command("export")
@_FORM
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    help="File to write, in place of standard output.",
)
@common_options()
def export(options: Options, form: str | None, out: Path | None) -> None:
    """Write what waits for a person as a file to fill in.

    The columns ruling, relabel, reviewer and reason are empty; `arbiter review import` reads them back.
    """
    from arbiter.interchange.review_files import export_reviews

    with options.open() as arbiter:
        items = arbiter.review.items(namespace=options.only)
        facts = arbiter.context.store.facts(options.only, {i for item in items for i in (item.a, item.b)})
    with _writing(out) as stream:
        count = export_reviews(items, facts, stream, _form(form, out))
    if out is not None:
        click.echo(f"{count} reviews written to {out}", err=True)


@command.command("import")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path))
@_FORM
@click.option("--reviewer", metavar="NAME", default="", help="Who decided, where a row does not say it.")
@common_options(namespace="as each row says")
def import_file(options: Options, file: Path, form: str | None, reviewer: str) -> None:
    """Put the rulings of a filled-in export into force; rows without a ruling are skipped.

    A line that cannot be applied is reported and harms no other. A ruling on facts that changed since the
    export is refused as stale. Importing a file again changes nothing.
    """
    from arbiter.interchange.review_files import import_rulings
    from arbiter.interchange.review_import import apply_rulings

    with _reading(file) as stream:
        rulings = import_rulings(stream, _form(form, file), reviewer=reviewer)
    done: list[ImportLine] = []
    with options.open() as arbiter:
        store = arbiter.context.store
        for line in apply_rulings(options.namespace, rulings, store, arbiter.review.rule):
            done.append(line)
            if options.as_json:
                print_json(_line_json(line))
    if not options.as_json:
        _print_import(done)
    if any(line.refused for line in done):
        raise click.exceptions.Exit(1)


def _reading(file: Path) -> AbstractContextManager[TextIO]:
    """Open a file, or take standard input, without touching the line ends inside cells."""
    if str(file) != "-":
        return file.open(encoding="utf-8", newline="")
    return nullcontext(TextIOWrapper(sys.stdin.buffer, encoding="utf-8", newline=""))


def _writing(out: Path | None) -> AbstractContextManager[TextIO]:
    from arbiter.interchange.outputs import replacing

    return nullcontext(sys.stdout) if out is None else replacing(out)


def _form(chosen: str | None, file: Path | None) -> Form:
    by_name = "csv" if file is not None and file.suffix.lower() == ".csv" else "jsonl"
    return cast("Form", chosen or by_name)


def _line_json(line: ImportLine) -> dict[str, object]:
    return {
        "line": line.line,
        "review_id": line.review_id,
        "status": line.status.value,
        "field": line.field,
        "message": line.message,
        "changed": [state.fact_id for state in line.changed],
    }


def _print_import(lines: list[ImportLine]) -> None:
    for line in lines:
        if line.refused:
            told = ": ".join(part for part in (line.field, line.message) if part)
            place = f"line {line.line}: {plain(line.review_id or '?')}"
            click.echo(f"{place} {line.status.value}: {told}", err=True)
    counts: dict[str, int] = {}
    for line in lines:
        counts[line.status.value] = counts.get(line.status.value, 0) + 1
    told = ", ".join(f"{count} {status}" for status, count in sorted(counts.items()))
    changed = len({state.fact_id for line in lines for state in line.changed})
    click.echo(f"{len(lines)} rulings: {told or 'none'}; {changed} states changed")
