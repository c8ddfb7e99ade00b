"""``arbiter search``: the current facts nearest in meaning."""

from __future__ import annotations

import click

from arbiter.cli.options import Options, common_options
from arbiter.cli.render import print_json, print_table


@click.command("search")
@click.argument("query")
@click.option(
    "-k", "limit", type=click.IntRange(1, 1000), default=10, show_default=True, help="At most so many."
)
@common_options()
def command(options: Options, query: str, limit: int) -> None:
    """Find the current facts nearest in meaning to QUERY."""
    from arbiter.interchange.fact_json import fact_json

    with options.open() as arbiter:
        hits = arbiter.search(query, limit, namespace=options.only)
    if options.as_json:
        for hit in hits:
            print_json({"similarity": round(hit.similarity, 6), **fact_json(hit.fact, hit.state)})
        return
    print_table(
        ("Nearness", "fact", "Statement", "Last seen", "Contested"),
        (
            (
                f"{hit.similarity:.3f}",
                hit.fact.id,
                hit.fact.content,
                hit.fact.last_seen,
                "yes" if hit.state.contested else "",
            )
            for hit in hits
        ),
    )
