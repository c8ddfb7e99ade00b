"""``python -m evals designs``: what designs ask a language model, on the same streams."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import click

from arbiter.errors import ConfigurationError
from arbiter.settings import Settings
from evals.benchmark.tables import print_columns
from evals.designs.compare import Design, compare
from evals.report.provenance import checkout
from evals.report.tables import count_of, with_interval
from evals.stack import Stack
from evals.streams import load_streams


def design_rows(designs: Sequence[Design]) -> list[list[str]]:
    """Return what each design asked for a new record, the head first."""
    head = ["answers", "design", *(f"{what} /record" for what in ("calls", "pairs", "tokens"))]
    head += ["right", "points to every pair [95 %]", "wrongly removed"]
    return [
        head,
        *(
            [
                found.answers,
                found.what,
                f"{found.calls / found.records:.2f}",
                f"{found.pairs / found.records:.2f}",
                f"{found.tokens / found.records:,.0f}",
                with_interval(found.right / found.records, found.right_interval),
                "" if found.gap is None else found.gap.points(),
                count_of(found.wrongly_removed, found.records),
            ]
            for found in designs
        ),
    ]


@click.command("designs")
@click.option(
    "--mistaken",
    multiple=True,
    default=(0.05, 0.1, 0.2),
    show_default=True,
    type=click.FloatRange(0, 1),
    help="Share of the pairs that a model mistakes; repeatable.",
)
@click.option("--recording", "recordings", multiple=True, help="Let this model answer, too; repeatable.")
@click.option("--stream", "ids", multiple=True, help="Submit this stream; repeatable. By default all.")
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="Write the figures as JSON.")
def command(
    *, mistaken: tuple[float, ...], recordings: tuple[str, ...], ids: tuple[str, ...], out: Path | None
) -> None:
    """Count what the cascade asks of a language model, and what other designs ask, on the streams.

    Nothing reaches out. A recording has to answer all candidate pairs, each in a question of its own.
    """
    streams = load_streams()
    if unknown := set(ids) - {stream.id for stream in streams}:
        raise ConfigurationError(f"no stream is called {min(unknown)!r}", field="stream")
    chosen = [stream for stream in streams if not ids or stream.id in ids]
    designs = compare(chosen, Stack.open(Settings()), mistaken, recordings)
    print_columns("Asked of a language model", design_rows(designs))
    if out is not None:
        measured = {"commit": checkout()[0], "streams": [stream.id for stream in chosen]}
        told = measured | {"designs": list(map(asdict, designs))}
        out.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
