"""One question as a reviewer reads it: two statements, what was found about them, what was ruled before."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from arbiter.cli.render import console, differences, moment, plain, print_table
from arbiter.domain.evidence import Unjudged
from arbiter.domain.vocabulary import Stakes

if TYPE_CHECKING:
    from arbiter.domain.evidence import Judgement
    from arbiter.domain.outcomes import Decision, ReviewItem, Ruling
    from arbiter.pipeline.context import Context
    from arbiter.pipeline.read import FactView


@dataclass(frozen=True, slots=True)
class ReviewPage:
    """Everything about one review item; the sides of ``judgement`` are those of the item."""

    item: ReviewItem
    is_open: bool
    a: FactView
    b: FactView
    judgement: Judgement | None
    decisions: tuple[Decision, ...]
    rulings: tuple[Ruling, ...]

    @property
    def stale(self) -> bool:
        """Did a side change since the question was asked?"""
        now = (self.a.fact.digest, self.b.fact.digest)
        return now != (self.item.digest_a, self.item.digest_b)

    def as_json(self) -> dict[str, object]:
        """Return the page as JSON."""
        from arbiter.interchange.fact_json import fact_json
        from arbiter.interchange.history import ruling_entry
        from arbiter.interchange.receipts import decision_json, review_json, verdict_json

        return {
            **review_json(self.item, is_open=self.is_open),
            "stale": self.stale,
            "facts": {name: fact_json(v.fact, v.state) for name, v in (("a", self.a), ("b", self.b))},
            "evidence": None if self.judgement is None else verdict_json(None, self.judgement),
            "decisions": [decision_json(decision) for decision in self.decisions],
            "rulings": [dict(ruling_entry(ruling.at, ruling).detail) for ruling in self.rulings],
        }


def gather(namespace: str, review_id: str, context: Context) -> ReviewPage:
    """Read everything about one item.

    Raises:
        NotFoundError: the namespace has no such item.
    """
    from arbiter.pipeline.judge import flipped
    from arbiter.pipeline.read import views

    store = context.store
    item, is_open = store.review(namespace, review_id)
    a, b = views(namespace, (item.a, item.b), context)
    key = (item.a, item.b) if item.a < item.b else (item.b, item.a)
    found = store.verdicts(namespace, [key]).get(key)
    judgement = None
    if found is not None:
        judgement = found.judgement if found.a == item.a else flipped(found.judgement)
    return ReviewPage(
        item=item,
        is_open=is_open,
        a=a,
        b=b,
        judgement=judgement,
        decisions=tuple(d for d in store.decisions(namespace, key) if d.key == key),
        rulings=tuple(ruling for ruling in store.rulings(namespace) if ruling.key == key),
    )


def print_page(page: ReviewPage) -> None:
    """Print both sides next to one another, and below them the evidence."""
    item = page.item
    if not page.is_open:
        click.secho("This is no longer open.", bold=True)
    elif page.stale:
        click.secho("A side changed since this was asked; a ruling would be refused as stale.", bold=True)
    click.secho(item.question, bold=True, fg="red" if item.stakes is Stakes.HIGH else None)
    click.echo(
        f"{item.id}: {item.kind}, stakes {item.stakes.value}, urgency {item.priority}, rule {item.rule}"
    )
    _print_sides(page)
    for line in _evidence(page):
        click.echo(plain(line))
    if item.proposal:
        click.echo(f"proposed text: {plain(item.proposal)}")
    if page.rulings:
        print_table(
            ("When", "Ruling", "Of", "Reviewer", "Reason"),
            (
                (
                    ruling.at,
                    ruling.kind.value + (f" {ruling.relabel.value}" if ruling.relabel else ""),
                    "A, B" if ruling.a == item.a else "B, A",
                    ruling.reviewer,
                    ruling.reason,
                )
                for ruling in page.rulings
            ),
        )


def _print_sides(page: ReviewPage) -> None:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table("A", "B", box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, expand=True)
    table.columns[0].ratio = table.columns[1].ratio = 1
    table.add_row(*differences(page.a.fact.content, page.b.fact.content))
    table.add_row()
    sides = [[Text(plain(line)) for line in _about(view)] for view in (page.a, page.b)]
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


def _evidence(page: ReviewPage) -> Iterator[str]:
    found = page.judgement
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
    for decision in page.decisions:
        yield f"rule {decision.rule} -> {decision.action.value}: {decision.explanation}"
