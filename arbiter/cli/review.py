"""``arbiter review``: the questions that wait for a person."""

from __future__ import annotations

from itertools import islice
from typing import Any

import click

from arbiter.cli.options import Options, common_options
from arbiter.cli.render import print_changes, print_json, print_table
from arbiter.cli.review_exchange import COMMANDS as EXCHANGE
from arbiter.cli.review_work import COMMANDS
from arbiter.domain.review_answer import Answer
from arbiter.domain.review_queue import QueueQuery, ReviewStatus
from arbiter.domain.vocabulary import Relation, RulingKind, Stakes
from arbiter.errors import RequestError

_TAKING_BACK = (RulingKind.UNDO, RulingKind.RETRACT)
_RULINGS = [kind.value.replace("_", "-") for kind in RulingKind if kind not in _TAKING_BACK]
_STATUSES = [status.value.replace("_", "-") for status in ReviewStatus]
_KINDS = ("cycle", "conflict", "guard", "unsure", "unjudged", "stale_risk", "proposal")


@click.group("review")
def command() -> None:
    """List, show and settle what needs a person."""


@command.command("list")
@click.option(
    "--status",
    type=click.Choice([*_STATUSES, "all"]),
    default="open",
    show_default=True,
    help="Which ones: set aside are those that wait for other evidence.",
)
@click.option("--all", "everything", is_flag=True, help="The same as --status all.")
@click.option(
    "--kind", "kinds", multiple=True, type=click.Choice(_KINDS), help="Why it is asked; repeatable."
)
@click.option("--stakes", type=click.Choice([stakes.value for stakes in Stakes]), help="Of these stakes.")
@click.option("--assignee", metavar="NAME", help="Given to this person.")
@click.option("--claimed-by", metavar="NAME", help="In the hands of this person now.")
@click.option("--text", metavar="TEXT", help="With this text in a statement, in any letter case.")
@click.option("--limit", type=click.IntRange(min=1), help="At most so many.")
@common_options()
def list_items(options: Options, limit: int | None, *, everything: bool, **filters: Any) -> None:  # noqa: ANN401
    """List what waits for a person, most urgent first; high stakes are red.

    With --json there is no text of a statement in the lines; `show` has it.
    """
    from arbiter.interchange.review_view_json import queued_json
    from arbiter.pipeline.review_exchange import queued_views

    query = _query(**filters | {"status": "all"} if everything else filters)
    with options.open() as arbiter:
        views = list(islice(queued_views(options.only, query, arbiter.context), limit))
    if options.as_json:
        for view in views:
            print_json(queued_json(view.queued, view.now))
        return
    print_table(
        ("review", "Urgency", "Why", "Stakes", "Days", "With", "A", "B"),
        (
            (
                view.queued.item.id,
                view.priority.total,
                view.queued.item.kind,
                view.queued.item.stakes.value,
                view.age.days,
                view.claimant or view.queued.work.assignee,
                view.a.fact.content,
                view.b.fact.content,
            )
            for view in views
        ),
        urgent=(place for place, view in enumerate(views) if view.queued.item.stakes is Stakes.HIGH),
    )


@command.command("show")
@click.argument("review_id", metavar="REV")
@common_options()
def show(options: Options, review_id: str) -> None:
    """Show one question: both sides with their differences marked, the evidence, earlier rulings."""
    from arbiter.cli.review_page import print_page
    from arbiter.interchange.review_view_json import review_view_json

    with options.open() as arbiter:
        view = arbiter.review.view(review_id, namespace=options.only)
    if options.as_json:
        print_json(review_view_json(view))
    else:
        print_page(view)


@command.command("rule")
@click.argument("review_id", metavar="REV")
@click.option(
    "--ruling", required=True, type=click.Choice(_RULINGS), help="What holds of the sides as shown."
)
@click.option(
    "--relabel",
    type=click.Choice([relation.value for relation in Relation]),
    help="With --ruling relabel: how they really relate; the policy decides the rest.",
)
@click.option("--text", metavar="TEXT", help="With --ruling merge: the one text that is to stand for both.")
@click.option("--confirm", is_flag=True, help="The text is meant to name what neither side names.")
@click.option("--reviewer", metavar="NAME", required=True, help="Who decides.")
@click.option("--reason", default="", help="Why, for those who come later; a skip must have one.")
@common_options()
def rule(options: Options, review_id: str, ruling: str, **given: Any) -> None:  # noqa: ANN401
    """Settle one question. A ruling outranks every judge and survives every compile.

    A skip and needs-context settle nothing: the question is set aside and comes back when there is other
    evidence. `arbiter review undo REV` takes a ruling back.
    """
    answer = Answer(
        kind=RulingKind(ruling.replace("-", "_")),
        reviewer=given["reviewer"],
        relabel=None if given["relabel"] is None else Relation(given["relabel"]),
        text=given["text"],
        confirmed=given["confirm"],
        reason=given["reason"],
    )
    with options.open() as arbiter:
        try:
            answer.check()
        except RequestError as error:
            raise click.UsageError(error.message) from error
        ruled = arbiter.review.answer(review_id, answer, namespace=options.only)
    print_changes(ruled.changed, as_json=options.as_json)


for added in (*COMMANDS, *EXCHANGE):
    command.add_command(added)


def _query(status: str, kinds: tuple[str, ...], stakes: str | None, **named: str | None) -> QueueQuery:
    return QueueQuery(
        status=None if status == "all" else ReviewStatus(status.replace("-", "_")),
        kinds=frozenset(kinds),
        stakes=None if stakes is None else Stakes(stakes),
        **named,
    )
