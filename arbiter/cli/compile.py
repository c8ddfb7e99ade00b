"""``arbiter compile``: derive every state again."""

from __future__ import annotations

import click

from arbiter.cli.options import Options, common_options
from arbiter.cli.render import print_json


@click.command("compile")
@click.option("--from-scratch", is_flag=True, help="Drop every view first and rebuild it from the log.")
@common_options(namespace="all", judge=True)
def command(options: Options, *, from_scratch: bool) -> None:
    """Derive every state again from the log.

    What was interrupted is finished, and pairs that found no judge are asked again. It is safe at any
    time: where nothing is left to do, nothing changes.
    """
    with options.open() as arbiter:
        done = arbiter.compile(namespace=options.namespace, from_scratch=from_scratch)
    if options.as_json:
        print_json(
            {
                "created": done.created,
                "changed": done.changed,
                "resumed": done.resumed,
                "retried": done.retried,
                "llm_calls": done.spend.llm_calls,
                "usd": done.spend.usd,
            }
        )
        return
    click.echo(
        f"{done.created} decisions created, {done.changed} states changed, "
        f"{done.resumed} interrupted facts finished, {done.retried} pairs asked again"
    )
