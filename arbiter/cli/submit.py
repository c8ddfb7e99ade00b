"""``arbiter submit``: put records before the arbiter, and print a receipt for each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from arbiter.cli.options import Moment, Options, common_options
from arbiter.cli.render import print_json, print_table
from arbiter.domain.vocabulary import Outcome, SourceKind
from arbiter.pipeline.batches import batches

if TYPE_CHECKING:
    from arbiter.domain.outcomes import Reason, Receipt

_BATCH = 500


@click.command("submit")
@click.argument("file", required=False)
@click.option("--text", help="Submit this one statement in place of a file.")
@click.option("--source", default="cli", show_default=True, help="With --text: the id of who says so.")
@click.option(
    "--kind",
    type=click.Choice([kind.value for kind in SourceKind]),
    default="user_stated",
    show_default=True,
    help="With --text: what kind of source that is.",
)
@click.option(
    "--at", type=Moment(), show_default="now", help="With --text: when it was said, in ISO 8601 with a zone."
)
@click.option("--subject", help="With --text: whom or what it is about.")
@click.option("--claim-key", help="With --text: the registered attribute that it speaks of.")
@click.option("--value", help="With --text: the value of that attribute.")
@common_options(judge=True)
def command(options: Options, file: str | None, text: str | None, **about: object) -> None:
    """Arbitrate records and keep them.

    FILE (or - for standard input) holds records as JSON Lines, a JSON array or CSV. For each a receipt is
    printed: JSON Lines in a pipe or with --json, else a summary. Submitting the same again is safe.
    """
    if (file is None) == (text is None):
        raise click.UsageError("Give either FILE (- for standard input) or --text.")
    receipts: list[Receipt] = []
    with options.open(create=True) as arbiter:
        if text is None:
            given = _read(str(file), options.only)
        else:
            given = iter([(_typed(text, about, options.only, arbiter.context.clock()), None)])
        for chunk in batches(given, _BATCH):
            answers = arbiter.submit((data for data, _ in chunk), first_index=len(receipts))
            told = [
                answer if problem is None else replace(answer, reason=problem)
                for answer, (_, problem) in zip(answers, chunk, strict=True)
            ]
            if not options.for_people():
                _print_lines(told)
            receipts += told
    if options.for_people():
        _summarise(receipts)
    if any(receipt.outcome is Outcome.REFUSED for receipt in receipts):
        raise click.exceptions.Exit(1)


def _read(file: str, namespace: str) -> Iterator[tuple[Any, Reason | None]]:
    """Yield each record of a file, or why it cannot be read; one that names no namespace gets ours."""
    from arbiter.interchange.readers import read_records

    for read in read_records(file):
        data = read.data
        yield {"namespace": namespace, **data} if isinstance(data, dict) else data, read.problem


def _typed(text: str, about: dict[str, object], namespace: str, now: datetime) -> dict[str, object]:
    optional = {name: about[name] for name in ("subject", "claim_key", "value") if about[name] is not None}
    return {
        "content": text,
        "source": {"id": about["source"], "kind": about["kind"]},
        "observed_at": about["at"] or now,
        "namespace": namespace,
        **optional,
    }


def _print_lines(receipts: list[Receipt]) -> None:
    from arbiter.interchange.receipts import receipt_json

    for receipt in receipts:
        print_json(receipt_json(receipt))


def _summarise(receipts: list[Receipt]) -> None:
    print_table(
        ("#", "Outcome", "State", "fact", "What follows"),
        (
            (r.record_index, r.outcome.value, r.state and r.state.value, r.fact_id, _follows(r))
            for r in receipts
        ),
        urgent=(place for place, r in enumerate(receipts) if r.outcome is Outcome.REFUSED),
    )
    counts = Counter(receipt.outcome.value for receipt in receipts)
    asked = len({review for receipt in receipts for review in receipt.review})
    told = ", ".join(f"{count} {outcome}" for outcome, count in sorted(counts.items()))
    click.echo(f"{len(receipts)} records: {told or 'none'}; {asked} to review")


def _follows(receipt: Receipt) -> str:
    if receipt.reason is not None:
        return receipt.reason.message
    told = [f"duplicate of {receipt.duplicate_of}"] if receipt.duplicate_of else []
    told += [f"supersedes {fact_id}" for fact_id in receipt.supersedes]
    told += [f"asks {review_id}" for review_id in receipt.review]
    return "; ".join(told)
