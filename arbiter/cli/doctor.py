"""``arbiter doctor``: is everything there, and does it fit together?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from arbiter.cli.options import Options, common_options
from arbiter.cli.render import plain, print_json

if TYPE_CHECKING:
    from arbiter.cli.checks import Check

_COLOURS = {"ok": "green", "note": "yellow", "wrong": "red"}


@click.command("doctor")
@click.option(
    "--re-embed", is_flag=True, help="First embed the facts that have no vector of the model in use."
)
@click.option(
    "--repair",
    is_flag=True,
    help="First build again what the rest of the store has all of: indexes, vectors and states; and finish "
    "what was interrupted, as `arbiter compile` does.",
)
@click.option(
    "--backup",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Copy the store to a new file, while it is in use, and check the copy; then do what else is asked, "
    "or no more.",
)
@common_options(namespace=False, judge=True)
def command(options: Options, *, re_embed: bool, repair: bool, backup: Path | None) -> None:
    """Check settings, files, models and the store.

    Exit status 1 says that something is wrong. Nothing is changed unless --re-embed or --repair says so.
    """
    from arbiter.cli.checks import backed_up, examine, lacking_vectors, repaired

    if backup is not None:
        _print(backed_up(options, backup), as_json=options.as_json)
        if not (re_embed or repair):
            return
    if repair:
        for done in repaired(options):
            click.echo(done, err=True)
    if re_embed:
        with options.open() as arbiter:
            click.echo(f"{lacking_vectors(arbiter.context)} facts embedded", err=True)
    wrong = False
    for check in examine(options):
        wrong |= check.status == "wrong"
        _print(check, as_json=options.as_json)
    if wrong:
        raise click.exceptions.Exit(1)


def _print(check: Check, *, as_json: bool) -> None:
    if as_json:
        print_json({"check": check.name, "status": check.status, "detail": check.detail})
        return
    mark = click.style(f"{check.status:<5}", fg=_COLOURS[check.status])
    click.echo(f"{mark} {check.name}: {plain(check.detail)}")
