"""``arbiter submit``: put records before the arbiter, and print a receipt for each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, TypeAlias

import click

from arbiter.cli.claim_notes import ClaimNotes
from arbiter.cli.options import MEMORY, Moment, Options, common_options, named_here
from arbiter.cli.render import print_json, print_table
from arbiter.domain.vocabulary import Outcome, SourceKind
from arbiter.errors import InvalidRecordError
from arbiter.pipeline.batches import batches

if TYPE_CHECKING:
    from arbiter.domain.outcomes import Reason, Receipt
    from arbiter.settings import Settings

Given: TypeAlias = "tuple[Any, Reason | None]"
"""A record as it was given, and why it could not be read."""

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
    Claim keys that are not registered, and values that are not of their type, are kept with a warning.
    """
    from arbiter.wiring import now

    _check(file, text, about)
    if text is None:
        given = _begun(_read(str(file), options.only))
    else:
        record = _typed(text, about, options.only, now())
        given = iter([(record, None)])
        options = options if _is_valid(record) else replace(options, database=MEMORY)
    notes = _notes(options.settings())
    receipts: list[Receipt] = []
    with options.open(create=True) as arbiter:
        for chunk in batches(given, _BATCH):
            answers = arbiter.submit((data for data, _ in chunk), first_index=len(receipts))
            told = [
                answer if problem is None else replace(answer, reason=problem)
                for answer, (_, problem) in zip(answers, chunk, strict=True)
            ]
            if not options.for_people():
                _print_lines(told)
            for receipt, (data, _) in zip(told, chunk, strict=True):
                if receipt.outcome is not Outcome.REFUSED:
                    _warn(notes.about(data), None if text is not None else receipt.record_index)
            receipts += told
    if options.for_people():
        _summarise(receipts)
    if any(receipt.outcome is Outcome.REFUSED for receipt in receipts):
        raise click.exceptions.Exit(1)


def _check(file: str | None, text: str | None, about: dict[str, object]) -> None:
    """See that the options fit each other.

    Raises:
        click.UsageError: they do not.
    """
    if (file is None) == (text is None):
        raise click.UsageError("Give either FILE (- for standard input) or --text.")
    alone = next((name for name in about if file is not None and named_here(name)), None)
    if alone is not None:
        raise click.UsageError(f"--{alone.replace('_', '-')} goes with --text; the records of FILE say it.")
    if about["value"] is not None and about["claim_key"] is None:
        raise click.UsageError("--value needs --claim-key: it is the value of that attribute.")


def _is_valid(record: dict[str, object]) -> bool:
    """Can it be kept? One that cannot is answered without a store, so that none is made for it."""
    from arbiter.interchange.record_in import parse_record
    from arbiter.wiring import now

    try:
        parse_record(record, now())
    except InvalidRecordError:
        return False
    return True


def _begun(given: Iterator[Given]) -> Iterator[Given]:
    """Return the same, with the first one read: a file that cannot be read shall not make a store."""
    return chain(list(islice(given, 1)), given)


def _notes(settings: Settings) -> ClaimNotes:
    from arbiter.adapters.claim_keys import ClaimKeyRegistry

    return ClaimNotes(ClaimKeyRegistry.load(settings.claim_key_files, settings.alias_files))


def _warn(notes: Iterable[str], record_index: int | None) -> None:
    where = "" if record_index is None else f"record {record_index}: "
    for note in notes:
        click.echo(f"Warning: {where}{note}", err=True)


def _read(file: str, namespace: str) -> Iterator[Given]:
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
