"""``arbiter classify``: how pairs relate, without a store."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import click

from arbiter.cli.options import MEMORY, Moment, Options, common_options, named_here
from arbiter.cli.render import plain, print_json, print_table
from arbiter.domain.vocabulary import SourceKind
from arbiter.errors import InvalidRecordError
from arbiter.pipeline.batches import batches

if TYPE_CHECKING:
    from arbiter.api import Arbiter
    from arbiter.domain.evidence import Judgement
    from arbiter.domain.facts import Record

_BATCH = 64
_EARLIER = timedelta(days=1)
# What people say of a labelled pair, and what it is for: the answers that a judge is to find by itself.
_LABELS = frozenset(
    {
        "label",
        "current",
        "update_kind",
        "stale_risk",
        "mutability",
        "stakes",
        "group",
        "phenomenon",
    }
)
_KINDS = click.Choice([kind.value for kind in SourceKind])


@dataclass(frozen=True, slots=True)
class Asked:
    """One pair as it was given. ``records`` is None where ``fault`` says what is wrong with it."""

    line: int
    id: object = None
    records: tuple[Record, Record] | None = None
    fault: InvalidRecordError | None = None


@click.command("classify")
@click.argument("file", required=False)
@click.option("--a", "text_a", metavar="TEXT", help="The statement that was there first.")
@click.option("--b", "text_b", metavar="TEXT", help="The statement that arrives.")
@click.option(
    "--a-at",
    type=Moment(),
    show_default="a day before --b-at",
    help="When a was said, in ISO 8601 with a zone.",
)
@click.option("--b-at", type=Moment(), show_default="now", help="When b was said.")
@click.option("--a-kind", type=_KINDS, default="user_stated", show_default=True, help="Who said a.")
@click.option("--b-kind", type=_KINDS, default="user_stated", show_default=True, help="Who said b.")
@common_options(store=False, namespace=False, judge=True)
def command(
    options: Options, file: str | None, text_a: str | None, text_b: str | None, **about: object
) -> None:
    """Say how pairs of statements relate. Nothing is stored.

    FILE (or - for standard input) holds pairs as JSON Lines: {"id": …, "a": record, "b": record}. For each
    a verdict is printed, or what is wrong with the pair; the others go on. A single pair can be given as
    plain texts with --a and --b. Labels in the file, such as `python -m evals own` reads, are not looked at.
    """
    typed = text_a is not None and text_b is not None
    if typed == (file is not None) or (text_a is None) != (text_b is None):
        raise click.UsageError("Give either FILE, or both --a and --b.")
    alone = next((name for name in about if file is not None and named_here(name)), None)
    if alone is not None:
        raise click.UsageError(
            f"--{alone.replace('_', '-')} goes with --a and --b; the pairs of FILE say it."
        )
    with replace(options, database=MEMORY).open(create=True) as arbiter:
        now = arbiter.context.clock()
        if typed:
            pairs = iter([_pair(1, _typed_pair(str(text_a), str(text_b), about, now), now)])
        else:
            pairs = _pairs(str(file), now)
        faulty = False
        for chunk in batches(pairs, _BATCH):
            faulty |= any(asked.fault for asked in chunk)
            _answer(chunk, arbiter, table=options.for_people())
    if faulty:
        raise click.exceptions.Exit(1)


def _pairs(file: str, now: datetime) -> Iterator[Asked]:
    from arbiter.interchange.readers import read_records

    for read in read_records(file, "jsonl"):
        if read.problem is None:
            yield _pair(read.line, read.data, now)
        else:
            fault = InvalidRecordError(read.problem.message, field=read.problem.field)
            yield Asked(read.line, fault=fault)


def _typed_pair(a: str, b: str, about: Mapping[str, object], now: datetime) -> Mapping[str, object]:
    at_b = about["b_at"] if isinstance(about["b_at"], datetime) else now
    at_a = about["a_at"] if isinstance(about["a_at"], datetime) else at_b - _EARLIER
    return {
        side: {"content": text, "source": {"id": "cli", "kind": about[f"{side}_kind"]}, "observed_at": at}
        for side, text, at in (("a", a, at_a), ("b", b, at_b))
    }


def _pair(line: int, data: object, now: datetime) -> Asked:
    from arbiter.interchange.record_in import parse_pair

    pair_id = None
    if isinstance(data, Mapping):
        pair_id = data.get("id")
        data = {name: value for name, value in data.items() if name not in _LABELS}
    try:
        return Asked(line, pair_id, parse_pair(data, now))
    except InvalidRecordError as error:
        return Asked(line, pair_id, fault=error)


def _answer(chunk: Iterable[Asked], arbiter: Arbiter, *, table: bool) -> None:
    found = iter(arbiter.classify([asked.records for asked in chunk if asked.records]))
    answers = [(asked, None if asked.fault else next(found)) for asked in chunk]
    if table:
        print_table(
            ("pair", "Relation", "Sure", "Current", "Judge", "Because"),
            (_row(asked, judgement) for asked, judgement in answers),
        )
        return
    for asked, judgement in answers:
        print_json(_json(asked, judgement))


def _json(asked: Asked, judgement: Judgement | None) -> dict[str, object]:
    from arbiter.interchange.receipts import verdict_json

    if judgement is None:
        fault = asked.fault or InvalidRecordError()
        told = {"code": fault.code, "message": fault.message, "field": fault.field}
        return {"id": asked.id, "line": asked.line, "error": told}
    return {**verdict_json(None, judgement), "id": asked.id}


def _row(asked: Asked, judgement: Judgement | None) -> tuple[object, ...]:
    from arbiter.domain.evidence import Verdict

    name = asked.line if asked.id is None else asked.id
    if judgement is None:
        return (name, "not a pair", None, None, None, asked.fault and asked.fault.message)
    if not isinstance(judgement, Verdict):
        return (name, "not judged", None, None, judgement.judge, judgement.message)
    differing = [f"{g.guard}: {plain(g.a)} / {plain(g.b)}" for g in judgement.guards]
    because = "; ".join([*([judgement.reason] if judgement.reason else []), *differing])
    kind = f" ({judgement.update_kind.value})" if judgement.update_kind else ""
    return (
        name,
        judgement.relation.value + kind,
        f"{judgement.confidence:.2f}",
        judgement.current,
        judgement.judge,
        because,
    )
