"""``arbiter facts``: read what is kept, take it out, forget it."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arbiter.cli.options import Moment, Options, common_options
from arbiter.cli.render import plain, print_json, print_table
from arbiter.domain.vocabulary import State

if TYPE_CHECKING:
    from arbiter.api import Arbiter
    from arbiter.pipeline.read import FactView

_STATES = click.Choice([*(state.value for state in State), "all"])


@click.group("facts")
def command() -> None:
    """List, show, trace, export and erase facts."""


@command.command("list")
@click.option("--state", type=_STATES, default="active", show_default=True, help="Only facts that stand so.")
@click.option(
    "--as-of",
    type=Moment(),
    help="As they stood by what had been observed up to then, in ISO 8601 with a zone.",
)
@click.option("--subject", metavar="NAME", help="Only facts about this; aliases are resolved.")
@click.option(
    "--unseen",
    is_flag=True,
    help="Only what to look at again: unseen for long, or dropped by a source that speaks on.",
)
@click.option("--limit", type=click.IntRange(min=1), help="At most so many.")
@common_options()
def list_facts(
    options: Options,
    state: str,
    as_of: datetime | None,
    subject: str | None,
    limit: int | None,
    *,
    unseen: bool,
) -> None:
    """List facts, oldest first; contested ones are marked."""
    if unseen and (as_of is not None or state != State.ACTIVE):
        raise click.UsageError(
            "--unseen is about what is current now; it goes with neither --state nor --as-of."
        )
    with options.open() as arbiter:
        views: Iterable[FactView] = (
            arbiter.unseen(namespace=options.only)
            if unseen
            else arbiter.facts(namespace=options.only, state=_state(state), as_of=as_of)
        )
        if subject is not None:
            views = _about(subject, views, arbiter)
        _print_facts(islice(views, limit), as_json=options.as_json)


@command.command("show")
@click.argument("fact_id", metavar="ID")
@common_options()
def show(options: Options, fact_id: str) -> None:
    """Show one fact: where it stands, who said it, and the decisions it is part of."""
    from arbiter.interchange.fact_json import fact_json
    from arbiter.interchange.receipts import decision_json

    with options.open() as arbiter:
        view = arbiter.fact(fact_id, namespace=options.only)
        decisions = arbiter.context.store.decisions(options.only, [fact_id])
    if options.as_json:
        listed = [decision_json(decision) for decision in decisions]
        print_json({**fact_json(view.fact, view.state), "decisions": listed})
        return
    fact, state = view.fact, view.state
    click.echo(plain(fact.content) or "(erased)")
    click.echo(f"{fact.id}: {_standing(view)}" + (f", see {state.successor}" if state.successor else ""))
    about = [f"{name} {value}" for name, value in (("about", fact.subject), ("key", fact.claim_key)) if value]
    if about:
        click.echo(plain("; ".join(about)))
    print_table(
        ("Source", "Kind", "First seen", "Last seen", "Times", "Words"),
        (
            (s.source.id, s.source.kind.value, s.first_seen, s.last_seen, s.seen_count, s.record.content)
            for s in fact.sightings
        ),
    )
    if decisions:
        print_table(
            ("decision", "Action", "Rule", "winner", "Because"),
            ((d.id, d.action.value, d.rule, d.winner, d.explanation) for d in decisions),
        )


@command.command("history")
@click.argument("fact_id", metavar="ID")
@common_options()
def history(options: Options, fact_id: str) -> None:
    """Tell everything that happened to a fact, oldest first."""
    with options.open() as arbiter:
        entries = arbiter.history(fact_id, namespace=options.only)
    if options.as_json:
        for entry in entries:
            print_json({"at": entry.at.isoformat(), "kind": entry.kind, "detail": dict(entry.detail)})
        return
    print_table(
        ("When", "What", "Detail"),
        ((entry.at, entry.kind, "; ".join(_details(entry.detail.items()))) for entry in entries),
    )


@command.command("export")
@click.option("--state", type=_STATES, default="all", show_default=True, help="Only facts that stand so.")
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    help="File to write, in place of standard output.",
)
@common_options()
def export(options: Options, state: str, out: Path | None) -> None:
    """Write facts as JSON Lines, one a line, with their sightings and where they stand."""
    from arbiter.interchange.fact_json import write_facts
    from arbiter.interchange.outputs import replacing

    with options.open() as arbiter:
        views = arbiter.facts(namespace=options.only, state=_state(state))
        with nullcontext(sys.stdout) if out is None else replacing(out) as stream:
            count = write_facts(((view.fact, view.state) for view in views), stream)
    if out is not None:
        click.echo(f"{count} facts written to {out}", err=True)


@command.command("erase")
@click.argument("fact_id", metavar="ID")
@click.option("--yes", is_flag=True, help="Do not ask.")
@common_options()
def erase(options: Options, fact_id: str, *, yes: bool) -> None:
    """Take the text of a fact out of everything that is kept. Its id and its decisions stay."""
    with options.open() as arbiter:
        view = arbiter.fact(fact_id, namespace=options.only)
        if not yes:
            click.echo(plain(view.fact.content), err=True)
            if not click.confirm("Erase this for good? It cannot be undone", err=True):
                click.echo("nothing was erased", err=True)
                raise click.exceptions.Exit(1)
        arbiter.erase(fact_id, namespace=options.only)
    if options.as_json:
        print_json({"fact_id": fact_id, "erased": True})
    else:
        click.echo(f"erased {fact_id}")


def _state(name: str) -> State | None:
    return None if name == "all" else State(name)


def _about(subject: str, views: Iterable[FactView], arbiter: Arbiter) -> Iterator[FactView]:
    named = arbiter.context.claim_keys.canonical_name
    wanted = named(subject)
    return (view for view in views if view.fact.subject and named(view.fact.subject) == wanted)


def _print_facts(views: Iterable[FactView], *, as_json: bool) -> None:
    from arbiter.interchange.fact_json import fact_json

    if as_json:
        for view in views:
            silent = _silent_sources(view)
            print_json(fact_json(view.fact, view.state) | ({"silent_sources": silent} if silent else {}))
        return
    print_table(
        ("fact", "State", "Last seen", "Times", "Sources", "Statement"),
        (
            (
                view.fact.id,
                _standing(view),
                view.fact.last_seen,
                view.fact.seen_count,
                len(view.fact.sources),
                view.fact.content,
            )
            for view in views
        ),
    )


def _standing(view: FactView) -> str:
    state = view.state
    reason = f" ({state.reason.value})" if state.reason else ""
    silent = _silent_sources(view)
    dropped = f", no longer said by {', '.join(silent)}" if silent else ""
    return f"{state.state.value}{reason}{', contested' if state.contested else ''}{dropped}"


def _silent_sources(view: FactView) -> list[str]:
    from arbiter.pipeline.read import Fading

    return list(view.silent_sources) if isinstance(view, Fading) else []


def _details(detail: Iterable[tuple[str, object]]) -> Iterator[str]:
    for name, value in detail:
        if value not in (None, "", [], {}):
            nested = isinstance(value, dict | list)
            yield f"{name} {json.dumps(value, ensure_ascii=False) if nested else value}"
