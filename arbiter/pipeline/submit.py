"""The way of one record. READ THIS FIRST.

    records ─► identify ─► arrive ─► investigate ─► conclude ─► receipts
               who says    the log    what is it     states,
               what        (1st       near to, and   as a function
                           commit)    how related?   of the log (2nd commit)

A single record is a batch of one. The first commit makes the records safe and visible to other
writers, as pending; then candidates are found and judged while nothing is locked; the second commit adds
what was found and derives the states of everything connected. Two writers with contradicting facts
therefore always see one another: whoever comes later finds the other one's record.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from arbiter.domain.facts import Record
from arbiter.domain.outcomes import Receipt
from arbiter.pipeline.arrive import arrive
from arbiter.pipeline.conclude import conclude
from arbiter.pipeline.context import Context
from arbiter.pipeline.exact import ambiguous_subjects, identify
from arbiter.pipeline.investigate import investigate
from arbiter.pipeline.receipts import deferred


def submit(
    records: Sequence[Record], context: Context, indexes: Sequence[int] | None = None
) -> list[Receipt]:
    """Arbitrate records and return a receipt for each, in their order.

    ``indexes`` are their places in a longer stream, each once; 0, 1, 2, … by default.

    Raises:
        StoreUnavailableError: the store could not be written. Records of namespaces that were already
            concluded stay; sending all of them again is safe.
    """
    places = range(len(records)) if indexes is None else indexes
    receipts: dict[int, Receipt] = {}
    for namespace, batch in _by_namespace(places, records):
        drafts = identify(batch, context)
        asked = (
            ambiguous_subjects(drafts, context.store.subjects(namespace))
            if context.limits.defer_ambiguous_subjects
            else {}
        )
        arrived = arrive(namespace, [draft for draft in drafts if draft.index not in asked], context)
        findings = investigate(namespace, arrived.fresh, context)
        for receipt in conclude(namespace, arrived, findings, context):
            receipts[receipt.record_index] = receipt
        for draft in drafts:
            if draft.index in asked:
                receipts[draft.index] = deferred(draft, asked[draft.index])
    return [receipts[place] for place in places]


def _by_namespace(
    places: Iterable[int], records: Iterable[Record]
) -> Iterable[tuple[str, list[tuple[int, Record]]]]:
    batches: dict[str, list[tuple[int, Record]]] = {}
    for index, record in zip(places, records, strict=True):
        batches.setdefault(record.namespace, []).append((index, record))
    return batches.items()
