"""The way of a scan. READ THIS FIRST.

    files ─► records ─► batches ─► submit ─► receipts.jsonl     (as it goes)
                                     │
                                   store ─► one pass ─► facts.jsonl, review.jsonl,
                                                        summary.json, report.html

A shard is what a batch has of one namespace; an engine works on the shards, see engine.py. Each batch is
committed before the next one is read, so a scan can be stopped at any time and run again: what it had read
before is known by then and only counted.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Protocol, TypeAlias, cast

from arbiter.api import Arbiter
from arbiter.domain.evidence import Spend
from arbiter.domain.outcomes import Receipt
from arbiter.interchange import outputs
from arbiter.interchange.outputs import json_line, replacing, write_whole
from arbiter.interchange.readers import RawRecord, check_readable, read_records
from arbiter.interchange.receipts import receipt_json
from arbiter.interchange.report import Report, render_report
from arbiter.interchange.summary import Summary, summary_json
from arbiter.pipeline.batches import batches
from arbiter.pipeline.submit import submit
from arbiter.scan.engine import Engine, ProcessEngine
from arbiter.scan.survey import Survey, survey
from arbiter.scan.tally import Tally

Read: TypeAlias = tuple[str, RawRecord]
"""A record as it was read, after the name of the file that it was read from."""

BATCH_SIZE = 500
_FIRST_REFUSALS = 10


class Progress(Protocol):
    """Is told how far a scan is."""

    def __call__(self, records: int, source: str, line: int) -> None:
        """Take note: so many records are done, the last one from this line of this file."""
        ...


def scan(
    arbiter: Arbiter,
    sources: Sequence[str | Path],
    out_dir: str | Path,
    *,
    file_format: str = "auto",
    batch_size: int = BATCH_SIZE,
    progress: Progress | None = None,
    dry_run: bool = False,
    engine: Engine | None = None,
) -> Summary:
    """Arbitrate all records of files (``-``: standard input) and write what came of it into a folder.

    ``record_index`` runs over all the files. When it is interrupted from the keyboard, the scan ends after
    what is committed, writes all its files and says so in the summary. ``dry_run`` is only noted there:
    the caller opens the store to work on, see ``trial_database``. ``engine`` is the one that opened the
    arbiter; by default this process computes.

    Raises:
        ConfigurationError: a file cannot be opened, or is a table with wrong columns; nothing was read.
        StoreError: the store cannot be written. Receipts so far are in the folder, and to scan again is safe.
        OSError: the folder cannot be written.
    """
    check_readable(sources, file_format)
    folder = Path(out_dir)
    outputs.prepare(folder)
    started = arbiter.context.clock()
    resumed, spent = _resume(arbiter)
    before = _count(arbiter)
    tally = Tally(spend=spent)
    shards = _Shards(arbiter, engine or ProcessEngine())
    stopped = _submit_all(shards, _read(sources, file_format), folder, batch_size, tally, progress)
    with (
        replacing(folder / outputs.FACTS) as facts_out,
        replacing(folder / outputs.REVIEW) as review_out,
    ):
        found = survey(arbiter, tally.copies, facts_out, review_out)
    ended = arbiter.context.clock()
    summary = _summary(
        sources,
        tally,
        found,
        new_facts=sum(found.facts.values()) - before,
        seconds=(ended - started).total_seconds(),
    )
    summary = replace(summary, resumed=resumed, stopped=stopped, dry_run=dry_run)
    write_whole(folder / outputs.SUMMARY, json.dumps(summary_json(summary), indent=2) + "\n")
    write_whole(folder / outputs.REPORT, render_report(_report(summary, tally, found, ended)))
    return summary


def _read(sources: Sequence[str | Path], file_format: str) -> Iterator[Read]:
    for source in sources:
        for record in read_records(source, file_format):
            yield str(source), record


class _Shards:
    """What a batch has of each namespace, arbitrated by an engine."""

    def __init__(self, arbiter: Arbiter, engine: Engine) -> None:
        self.arbiter = arbiter
        self._engine = engine

    def submit(self, batch: Sequence[Read], first_index: int) -> list[Receipt]:
        """Submit a batch. What could not be read is refused like any other bad record, for its own reason."""
        data = cast("list[Mapping[str, object]]", [record.data for _, record in batch])
        checked = self.arbiter.check(data, first_index=first_index)
        receipts = submit(
            list(checked.valid.values()), self.arbiter.context, list(checked.valid), self._engine.each
        )
        return [
            replace(receipt, reason=record.problem) if record.problem else receipt
            for receipt, (_, record) in zip(checked.answered(receipts), batch, strict=True)
        ]


def _submit_all(
    shards: _Shards,
    records: Iterator[Read],
    folder: Path,
    batch_size: int,
    tally: Tally,
    progress: Progress | None,
) -> bool:
    """Submit batch after batch and write the receipts; return whether the keyboard stopped it."""
    with outputs.opened(folder / outputs.RECEIPTS) as out:
        try:
            for batch in batches(records, batch_size):
                receipts = shards.submit(batch, tally.records)
                for receipt, (source, record) in zip(receipts, batch, strict=True):
                    place = {"file": source, "line": record.line}
                    out.write(json_line(receipt_json(receipt) | place))
                    tally.add(receipt, source, record.line, _unregistered_key(record.data, shards.arbiter))
                out.flush()
                if progress is not None:
                    progress(tally.records, batch[-1][0], batch[-1][1].line)
        except KeyboardInterrupt:
            return True
    return False


def _unregistered_key(data: object, arbiter: Arbiter) -> str | None:
    """Return the claim key of a record, where the registry does not know it."""
    key = data.get("claim_key") if isinstance(data, Mapping) else None
    is_known = not isinstance(key, str) or arbiter.context.claim_keys.single_valued(key) is not None
    return None if is_known else str(key)


def _resume(arbiter: Arbiter) -> tuple[int, Spend]:
    """Finish what an earlier run left unjudged; return how many facts and pairs that were, and the cost."""
    store = arbiter.context.store
    resumed, spent = 0, Spend()
    for namespace in store.namespaces():
        if store.unfinished(namespace) or store.retryable(namespace):
            done = arbiter.compile(namespace=namespace)
            resumed += done.resumed + done.retried
            spent += done.spend
    return resumed, spent


def _count(arbiter: Arbiter) -> int:
    store = arbiter.context.store
    return sum(1 for namespace in store.namespaces() for _ in store.fact_ids(namespace))


def _summary(
    sources: Sequence[str | Path], tally: Tally, found: Survey, *, new_facts: int, seconds: float
) -> Summary:
    told = tally.copies.total()
    unique = len(found.statements)
    repeated = [count for count in found.statements.values() if count > 1]
    return Summary(
        sources=tuple(str(source) for source in sources),
        records=tally.records,
        outcomes=dict(tally.outcomes),
        stored=tally.stored,
        not_stored=dict(tally.not_stored),
        refused_fields=dict(tally.refused_fields),
        unique_facts=unique,
        new_facts=new_facts,
        redundant_copies=told - unique,
        duplicate_ratio=round((told - unique) / told, 6) if told else 0.0,
        duplicate_clusters=len(repeated),
        records_in_duplicate_clusters=sum(repeated),
        facts=dict(found.facts),
        merged=found.merged,
        corrected=found.corrected,
        contested=found.contested,
        relations=dict(found.relations),
        judges=dict(found.judges),
        unjudged=dict(found.unjudged),
        to_review=found.to_review,
        to_review_high_stakes=found.to_review_high_stakes,
        cost=tally.spend,
        refusals=tuple(tally.refusals[:_FIRST_REFUSALS]),
        unregistered_keys=dict(tally.unregistered_keys),
        seconds=round(seconds, 3),
    )


def _report(summary: Summary, tally: Tally, found: Survey, at: datetime) -> Report:
    return Report(
        summary=summary,
        at=at,
        queue=found.queue,
        superseded=found.superseded,
        tombstoned=found.tombstoned,
        merged=found.merges,
        repeated=tuple(found.repeated),
        refusals=tuple(tally.refusals),
    )
