"""``arbiter undo``: take a decision back."""

from __future__ import annotations

import getpass

import click

from arbiter.cli.options import Options, common_options
from arbiter.cli.render import print_changes
from arbiter.errors import DependentDecisionError


def _login() -> str:
    """Return the name of whoever is logged in; a container may have none."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "unknown"


@click.command("undo")
@click.argument("decision")
@click.option("--cascade", is_flag=True, help="Take back the later decisions that rest on it, too.")
@click.option(
    "--reviewer", metavar="NAME", default=_login, show_default="your login name", help="Who takes it back."
)
@common_options()
def command(options: Options, decision: str, reviewer: str, *, cascade: bool) -> None:
    """Take a decision back.

    DECISION is the id that stands in receipts and in `arbiter facts show`. Where later decisions rest on it
    nothing is undone unless --cascade takes them back together.
    """
    with options.open() as arbiter:
        try:
            changed = arbiter.undo(decision, reviewer=reviewer, namespace=options.only, cascade=cascade)
        except DependentDecisionError as error:
            raise DependentDecisionError(
                f"{error.message} (--cascade does that)", dependents=error.dependents
            ) from error
    print_changes(changed, as_json=options.as_json)
