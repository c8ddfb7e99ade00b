"""The figures of a benchmark as rows of text, the head first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from evals.benchmark.growth import Growth
    from evals.benchmark.models import Model

_PARTS = ("embedding", "entities", "search", "judge")


def growth_rows(growth: Sequence[Growth]) -> list[list[str]]:
    """Return a row for each store; ratios are to the embedding model in the same process."""
    head = ["facts", "namespaces", "new /s", "x embedding", "without subject", "pairs read", "replayed /s"]
    head += [
        "p50 ms",
        "p99 ms",
        "opened s",
        "again s",
        "memory /fact",
        "disk /fact",
        "recall@10",
        "compiled /s",
    ]
    smallest = growth[0] if growth else None
    return [head, *(_grown(found, smallest) for found in growth)]


def part_rows(growth: Sequence[Growth]) -> list[list[str]]:
    """Return where the time of a new record goes, in milliseconds, for each store.

    Texts are embedded and read for names side by side, so only the longer of the two adds to the whole.
    """
    head = ["facts", "namespaces", *_PARTS, "the rest", "together", "embedding alone"]
    return [head, *map(_parts, growth)]


def model_rows(models: Sequence[Model]) -> list[list[str]]:
    """Return what each model takes by itself."""
    head = ["model", "a second on one core", "first answer s", "weights MB"]
    return [
        head,
        *(
            [
                found.what,
                f"{found.rate:,.0f} {found.items}",
                f"{found.first_s:.1f}",
                "" if found.weights is None else f"{found.weights / 1e6:.1f}",
            ]
            for found in models
        ),
    ]


def print_columns(title: str, rows: Sequence[Sequence[str]]) -> None:
    """Print rows, the head first, in columns; nothing where there is only the head."""
    if not rows[1:]:
        return
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    click.echo(f"\n{title}")
    for row in rows:
        click.echo("  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)))


def _grown(found: Growth, smallest: Growth | None) -> list[str]:
    memory = ""
    if smallest and found.memory > smallest.memory:
        memory = f"{(found.memory - smallest.memory) / (found.facts - smallest.facts):,.0f} B"
    return [
        f"{found.facts:,}",
        f"{found.namespaces:,}",
        f"{found.new:,.0f}",
        f"{found.new / found.embedding:.2f}",
        f"{found.bare:,.0f}",
        " / ".join(f"{pairs:.1f}" for pairs in found.judged),
        f"{found.replayed:,.0f}" if found.replayed else "",
        f"{found.p50_ms:.0f}",
        f"{found.p99_ms:.0f}",
        f"{found.open_s:.1f}",
        "" if found.reopen_s is None else f"{found.reopen_s:.1f}",
        memory,
        f"{found.disk / found.facts:,.0f} B",
        "" if found.recall is None else f"{found.recall:.3f}",
        "" if found.compiled is None else f"{found.compiled:,.0f}",
    ]


def _parts(found: Growth) -> list[str]:
    known = [found.shares.get(part, 0.0) for part in _PARTS]
    whole = 1 / found.new
    times = [*known, whole - max(known[:2]) - sum(known[2:]), whole, 1 / found.embedding]
    return [f"{found.facts:,}", f"{found.namespaces:,}", *(f"{1e3 * seconds:.2f}" for seconds in times)]
