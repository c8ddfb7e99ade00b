"""Working on the review queue together: the commands that ``arbiter review`` has for it."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import click

from arbiter.cli.options import Options, common_options
from arbiter.cli.render import moment, plain, print_changes, print_json

if TYPE_CHECKING:
    from arbiter.domain.review_queue import Queued

_ITEM = click.argument("review_id", metavar="REV")
_REVIEWER = click.option("--reviewer", metavar="NAME", required=True, help="Who does it.")
_MINUTES = click.option(
    "--minutes",
    type=click.IntRange(min=1, max=24 * 60),
    default=15,
    show_default=True,
    help="How long the claim holds.",
)


@click.command("next")
@_REVIEWER
@_MINUTES
@common_options()
def take_next(options: Options, reviewer: str, minutes: int) -> None:
    """Take the most urgent question in hand that nobody else has in hand or was given, and show it."""
    from arbiter.cli.review_page import print_page
    from arbiter.interchange.review_view_json import review_view_json

    with options.open() as arbiter:
        taken = arbiter.review.claim_next(
            reviewer=reviewer, namespace=options.only, lasting=timedelta(minutes=minutes)
        )
        view = None if taken is None else arbiter.review.view(taken.item.id, namespace=options.only)
    if view is None:
        click.echo("nothing waits", err=True)
    elif options.as_json:
        print_json(review_view_json(view))
    else:
        print_page(view)


@click.command("claim")
@_ITEM
@_REVIEWER
@_MINUTES
@common_options()
def claim(options: Options, review_id: str, reviewer: str, minutes: int) -> None:
    """Take a question in hand for a while, so that nobody else answers it meanwhile."""
    with options.open() as arbiter:
        taken = arbiter.review.claim(
            review_id, reviewer=reviewer, namespace=options.only, lasting=timedelta(minutes=minutes)
        )
    _print(taken, options)


@click.command("release")
@_ITEM
@_REVIEWER
@common_options()
def release(options: Options, review_id: str, reviewer: str) -> None:
    """Let go of a question."""
    with options.open() as arbiter:
        _print(arbiter.review.release(review_id, reviewer=reviewer, namespace=options.only), options)


@click.command("assign")
@_ITEM
@click.option("--to", "assignee", metavar="NAME", help="Who is to look at it; nobody in particular without.")
@common_options()
def assign(options: Options, review_id: str, assignee: str | None) -> None:
    """Give a question to a person, or take it back from everybody."""
    with options.open() as arbiter:
        _print(arbiter.review.assign(review_id, assignee, namespace=options.only), options)


@click.command("comment")
@_ITEM
@click.argument("text")
@click.option("--author", metavar="NAME", required=True, help="Who notes it.")
@common_options()
def comment(options: Options, review_id: str, text: str, author: str) -> None:
    """Note something on a question, for those who look at it later."""
    from arbiter.interchange.review_view_json import comment_json

    with options.open() as arbiter:
        noted = arbiter.review.comment(review_id, text, author=author, namespace=options.only)
    if options.as_json:
        print_json(comment_json(noted))
    else:
        click.echo(f"noted on {noted.review_id}")


@click.command("undo")
@click.argument("ruling", metavar="REV|RULING")
@_REVIEWER
@click.option("--cascade", is_flag=True, help="Take back the later decisions that rest on it, too.")
@common_options()
def undo(options: Options, ruling: str, reviewer: str, *, cascade: bool) -> None:
    """Take a ruling back, or the one that holds on a question; it is asked again if it is still one."""
    with options.open() as arbiter:
        if ruling.startswith("rev_"):
            holding = arbiter.review.view(ruling, namespace=options.only).holding
            if holding is None:
                raise click.UsageError(f"there is no ruling on {ruling} to take back")
            ruling = holding.id
        done = arbiter.review.undo(ruling, reviewer=reviewer, namespace=options.only, cascade=cascade)
    print_changes(done.changed, as_json=options.as_json)


COMMANDS = (take_next, claim, release, assign, comment, undo)
"""The commands that ``arbiter review`` has beside its own."""


def _print(queued: Queued, options: Options) -> None:
    """Print who works on an item now."""
    from arbiter.interchange.review_view_json import work_json

    if options.as_json:
        print_json(work_json(queued.work))
        return
    work = queued.work
    assigned = f"is for {plain(work.assignee)}" if work.assignee else "is for nobody in particular"
    until = (
        f", in the hands of {plain(work.claimed_by)} until {moment(work.claimed_until)}"
        if (work.claimed_by and work.claimed_until)
        else ""
    )
    click.echo(f"{work.review_id} {assigned}{until}")
