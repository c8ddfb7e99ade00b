"""Records and pairs on their way out, as a program holds them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias

from arbiter.client.calls import encoded
from arbiter.domain.facts import DEFAULT_NAMESPACE, Record
from arbiter.interchange import record_in

RecordLike: TypeAlias = Record | Mapping[str, object]
PairLike: TypeAlias = tuple[RecordLike, RecordLike] | Mapping[str, object]

BATCH_BYTES = 4_000_000
"""A batch is sent before it grows over this; the service takes twice as much unless it is set otherwise."""


def record_json(record: RecordLike, namespace: str | None) -> object:
    """Return a record as JSON. One that names no namespace gets the client's, else the service says which."""
    if isinstance(record, Record):
        written = record_in.record_json(record)
        if record.namespace == DEFAULT_NAMESPACE:
            del written["namespace"]
        record = written
    if namespace is None or not isinstance(record, Mapping):
        return record
    return {"namespace": namespace, **record}


def pair_json(pair: PairLike) -> object:
    """Return a pair as JSON."""
    if isinstance(pair, tuple):
        a, b = pair
        return {"a": record_json(a, None), "b": record_json(b, None)}
    return {
        name: record_json(value, None) if isinstance(value, Record) else value for name, value in pair.items()
    }


def batches_of(records: Iterable[RecordLike], namespace: str | None, count: int) -> Iterator[list[bytes]]:
    """Yield records as JSON, as many together as may be sent at once.

    Raises:
        RequestError: a record cannot be written.
    """
    batch: list[bytes] = []
    size = 0
    for place, record in enumerate(records):
        body = encoded(record_json(record, namespace), f"records.{place}")
        if batch and (len(batch) >= count or size + len(body) > BATCH_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(body)
        size += len(body)
    if batch:
        yield batch
