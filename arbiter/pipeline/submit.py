"""The way of one record. READ THIS FIRST.

    records ─► identify ─► prepare ─► arrive ─► investigate ─► conclude ─► receipts
               who says    vectors    the log    what is it     states,
               what        and        (1st       near to, and   as a function
                           names      commit)    how related?   of the log (2nd commit)

A single record is a batch of one. The first commit makes the records safe and visible to other
writers, as pending; then candidates are found and judged while nothing is locked; the second commit adds
what was found and derives the states of everything connected. Two writers with contradicting facts
therefore always see one another: whoever comes later finds the other one's record. Where a process dies
between the commits its facts stay pending; who submits one of them again, some seconds later, finishes it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

from arbiter.domain.facts import Record
from arbiter.domain.outcomes import Receipt
from arbiter.pipeline.arrive import arrive
from arbiter.pipeline.conclude import conclude
from arbiter.pipeline.context import Context
from arbiter.pipeline.exact import ambiguous_subjects, identify
from arbiter.pipeline.investigate import investigate
from arbiter.pipeline.prepare import Prepared, prepare
from arbiter.pipeline.receipts import deferred

Each: TypeAlias = Callable[
    [Callable[[Prepared], dict[int, Receipt]], Iterable[Prepared]], Iterable[dict[int, Receipt]]
]


def submit(
    records: Sequence[Record], context: Context, indexes: Sequence[int] | None = None, each: Each = map
) -> list[Receipt]:
    """Arbitrate records and return a receipt for each, in their order.

    ``indexes`` are what the callers know them by: places in a longer stream, or in the batches of several
    callers that are arbitrated together, so that one may come more than once; 0, 1, 2, … by default.
    ``each`` does what is to be done in each namespace, of which none touches another; one by one by default.

    Raises:
        StoreUnavailableError: the store could not be written. Records of namespaces that were already
            concluded stay; sending all of them again is safe.
    """
    receipts: dict[int, Receipt] = {}
    parts = []
    for namespace, batch in _by_namespace(records):
        drafts = identify(batch, context, indexes)
        asked = (
            ambiguous_subjects(drafts, context.store.subjects(namespace))
            if context.limits.defer_ambiguous_subjects
            else {}
        )
        parts.append((namespace, [draft for draft in drafts if draft.place not in asked]))
        receipts |= {d.place: deferred(d, asked[d.place]) for d in drafts if d.place in asked}
    with context.stage("prepare"):
        prepared = prepare(parts, context)

    def arbitrate(ready: Prepared) -> dict[int, Receipt]:
        namespace = ready.news.namespace
        with context.stage("arrive"):
            arrived = arrive(ready, context)
        with context.stage("investigate"):
            findings = investigate(namespace, arrived.fresh, context)
        with context.stage("conclude"):
            concluded = conclude(namespace, arrived, findings, context)
        return {draft.place: receipt for draft, receipt in zip(arrived.drafts, concluded, strict=True)}

    for answered in each(arbitrate, prepared):
        receipts |= answered
    return [receipts[place] for place in range(len(records))]


def _by_namespace(records: Iterable[Record]) -> Iterable[tuple[str, list[tuple[int, Record]]]]:
    batches: dict[str, list[tuple[int, Record]]] = {}
    for place, record in enumerate(records):
        batches.setdefault(record.namespace, []).append((place, record))
    return batches.items()
