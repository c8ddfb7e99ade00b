"""One question as a reviewer reads it: two statements, what was found about them, what was ruled before."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from arbiter.cli.render import console, differences, moment, plain, print_table
from arbiter.domain.evidence import Unjudged
from arbiter.domain.review_queue import ReviewStatus
from arbiter.domain.vocabulary import Stakes

if TYPE_CHECKING:
    from arbiter.pipeline.read import FactView
    from arbiter.pipeline.review_view import ReviewView


def print_page(view: ReviewView) -> None:
    """Print both sides next to one another, and below them the evidence."""
    item = view.queued.item
    for line in _warnings(view):
        click.secho(plain(line), bold=True)
    click.secho(item.question, bold=True, fg="red" if item.stakes is Stakes.HIGH else None)
    click.echo(
        f"{item.id}: {item.kind}, stakes {item.stakes.value}, urgency {view.priority.total}, rule {item.rule}"
    )
    _print_sides(view)
    for line in _evidence(view):
        click.echo(plain(line))
    if item.proposal:
        click.echo(f"proposed text: {plain(item.proposal)}")
    if view.rulings:
        print_table(
            ("When", "Ruling", "Of", "Reviewer", "Reason", "ruling"),
            (
                (
                    ruling.at,
                    ruling.kind.value + (f" {ruling.relabel.value}" if ruling.relabel else ""),
                    "A, B" if ruling.a == item.a else "B, A",
                    ruling.reviewer,
                    ruling.reason,
                    ruling.id,
                )
                for ruling in view.rulings
            ),
        )
    if view.comments:
        print_table(("When", "Who", "Comment"), ((c.at, c.author, c.text) for c in view.comments))


def _warnings(view: ReviewView) -> Iterator[str]:
    """Yield what a reviewer should know before reading on."""
    if view.queued.status is ReviewStatus.CLOSED:
        yield "This is no longer open."
    elif view.queued.status is ReviewStatus.SET_ASIDE:
        yield "This was set aside until there is other evidence."
    elif view.stale:
        yield "A side changed since this was asked; a ruling would be refused as stale."
    until = view.queued.work.claimed_until
    if view.claimant is not None and until is not None:
        yield f"{view.claimant} has this in hand until {moment(until)}."
    if view.queued.work.assignee is not None:
        yield f"This is for {view.queued.work.assignee} to look at."


def _print_sides(view: ReviewView) -> None:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table("A", "B", box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, expand=True)
    table.columns[0].ratio = table.columns[1].ratio = 1
    table.add_row(*differences(view.a.fact.content, view.b.fact.content))
    table.add_row()
    sides = [[Text(plain(line)) for line in _about(side)] for side in (view.a, view.b)]
    table.add_row(*(Text("\n").join(lines) for lines in sides))
    console().print(table)


def _about(view: FactView) -> Iterator[str]:
    fact, state = view.fact, view.state
    yield f"{fact.id} ({state.state.value}{', contested' if state.contested else ''})"
    if fact.subject:
        yield f"about {fact.subject}" + (f", {fact.claim_key}" if fact.claim_key else "")
    for sighting in fact.sightings:
        seen = f"{sighting.source.kind.value} {sighting.source.id} at {moment(sighting.first_seen)}"
        again = f", {sighting.seen_count} times until {moment(sighting.last_seen)}"
        yield seen + (again if sighting.seen_count > 1 else "")


def _evidence(view: ReviewView) -> Iterator[str]:
    found = view.judgement
    if isinstance(found, Unjudged):
        yield f"not judged: {found.message} ({found.code})"
    elif found is not None:
        kind = f" ({found.update_kind.value})" if found.update_kind else ""
        current = f", current is {found.current.upper()}" if found.current else ""
        yield f"{found.relation.value}{kind}{current}, confidence {found.confidence:.2f}, by {found.judge}"
        if found.stale_risk:
            yield f"makes {found.stale_risk.upper()} doubtful"
        if found.reason:
            yield f"because: {found.reason}"
        for guard in found.guards:
            yield f"guard {guard.guard}: A says {guard.a}, B says {guard.b}"
    for decision in view.decisions:
        yield f"rule {decision.rule} -> {decision.action.value}: {decision.explanation}"
