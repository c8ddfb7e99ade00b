"""``arbiter retry``: ask again what no judge could tell."""

from __future__ import annotations

import click

from arbiter.cli.options import Options, common_options
from arbiter.cli.render import print_json


@click.command("retry")
@click.option("--now", "at_once", is_flag=True, help="Ask about everything that waits, due or not.")
@common_options(namespace="all", judge=True)
def command(options: Options, *, at_once: bool) -> None:
    """Ask again about pairs whose judge could not be reached.

    What is answered is settled. Each pair waits longer after every attempt, up to an hour, and where the
    judges are down only a few are tried. One process does this at a time. A service does it by itself;
    without one, run this now and then. Pairs that no judge was there to read are asked about by
    "arbiter compile", once one is.
    """
    from arbiter.wiring import retry_plan

    plan = retry_plan(options.settings())
    with options.open() as arbiter:
        done = arbiter.retry(namespace=options.namespace, at_once=at_once, plan=plan)
    if options.as_json:
        print_json(
            {
                "asked": done.asked,
                "answered": done.answered,
                "finished": done.finished,
                "changed": done.changed,
                "waiting": done.waiting,
                "busy": done.busy,
                "outage": done.outage,
                "llm_calls": done.spend.llm_calls,
                "usd": done.spend.usd,
            }
        )
        return
    if done.busy:
        click.echo(
            "nothing was asked: another process is at it, or the judges were down a moment ago", err=True
        )
    elif done.outage:
        click.echo("the judges seem to be down; what waits is tried again later", err=True)
    click.echo(
        f"{done.asked} pairs asked again, {done.answered} answered, {done.finished} interrupted facts "
        f"finished, {done.changed} states changed, {done.waiting} pairs wait"
    )
