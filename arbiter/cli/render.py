"""What commands print for people. Texts of records are data: they cannot colour, move or hide anything."""

from __future__ import annotations

import json
import sys
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.text import Text

    from arbiter.domain.outcomes import FactState

_WIDE = 200
_KEPT = frozenset("\n\t")


def print_json(value: Mapping[str, object] | Sequence[object]) -> None:
    """Print one JSON value on a line of its own."""
    click.echo(json.dumps(value, ensure_ascii=False))


def plain(text: str) -> str:
    """Return a text with every character that steers a terminal or the direction of reading spelt out."""
    return "".join(
        char if char in _KEPT or unicodedata.category(char) not in ("Cc", "Cf", "Cs") else _spelt(char)
        for char in text
    )


def _spelt(char: str) -> str:
    # Joiners inside words and emoji are part of how a script is written.
    return char if char in "\u200c\u200d" else f"\\u{ord(char):04x}"


def moment(value: datetime) -> str:
    """Write a time to the minute, in UTC."""
    return value.astimezone(UTC).strftime("%Y-%m-%d %H:%MZ")


def console() -> Console:
    """Return where rich prints to: as wide as the terminal, or wide enough where there is none."""
    from rich.console import Console

    width = None if sys.stdout.isatty() else _WIDE
    return Console(width=width, highlight=False, markup=False, emoji=False)


def print_table(
    header: Sequence[str], rows: Iterable[Sequence[object]], *, urgent: Iterable[int] = ()
) -> None:
    """Print a table, or ``none``; cells under a heading in lower case are ids and never broken.

    ``urgent`` are the numbers of the rows, from 0, that are printed in red.
    """
    from rich import box
    from rich.table import Table

    red = frozenset(urgent)
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for name in header:
        table.add_column(name, no_wrap=name.islower(), overflow="fold")
    for number, row in enumerate(rows):
        table.add_row(*(cell(value) for value in row), style="red" if number in red else None)
    if table.row_count:
        console().print(table)
    else:
        click.echo("none")


def cell(value: object) -> RenderableType:
    """Return a value as a cell of a table; None is empty."""
    from rich.text import Text

    if isinstance(value, Text):
        return value
    return Text("" if value is None else plain(moment(value) if isinstance(value, datetime) else str(value)))


def differences(a: str, b: str) -> tuple[Text, Text]:
    """Return both texts with the words that only one of them has marked, in colour and by «these»."""
    from rich.text import Text

    from arbiter.interchange.word_marks import word_marks

    marked = Text(), Text()
    for text, runs in zip(marked, word_marks(plain(a), plain(b)), strict=True):
        for run in runs:
            if run.differs:
                text.append(f"«{run.text}»", style="bold yellow")
            else:
                text.append(run.text)
    return marked


def print_changes(changed: Sequence[FactState], *, as_json: bool) -> None:
    """Print the states that are others now."""
    from arbiter.interchange.policy_json import state_json

    if as_json:
        for state in changed:
            print_json(state_json(state))
        return
    for state in changed:
        reason = f" ({state.reason.value})" if state.reason else ""
        after = f", see {state.successor}" if state.successor else ""
        click.echo(f"{state.fact_id} is {state.state.value}{reason}{after}")
    click.echo(f"{len(changed)} states changed")
