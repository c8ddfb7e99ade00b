"""Records and pairs on their way out, as a program holds them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias, TypeVar

from arbiter.client.calls import encoded
from arbiter.domain.facts import DEFAULT_NAMESPACE, Record
from arbiter.errors import RequestError
from arbiter.interchange import record_in

RecordLike: TypeAlias = Record | Mapping[str, object]
PairLike: TypeAlias = tuple[RecordLike, RecordLike] | Mapping[str, object]

T = TypeVar("T")
_SIDES = 2

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


def several(given: Iterable[T], name: str) -> Iterable[T]:
    """Return what was given, which is a list of things or the like.

    Raises:
        RequestError: it is a single thing, or a text.
    """
    found: object = given
    if isinstance(found, str | bytes | Mapping | Record) or not isinstance(found, Iterable):
        raise RequestError(f"{name}: has to be a list of {name}, and is not one", field=name)
    return given


def pair_json(place: int, pair: PairLike) -> object:
    """Return a pair as JSON; ``place`` is where it stands among the others.

    Raises:
        RequestError: it is no pair.
    """
    found: object = pair
    if isinstance(found, tuple | list) and len(found) == _SIDES:
        return {"a": record_json(found[0], None), "b": record_json(found[1], None)}
    if isinstance(found, Mapping):
        return {
            name: record_json(value, None) if isinstance(value, Record) else value
            for name, value in found.items()
        }
    raise RequestError(
        f'pairs.{place}: has to be two records, (a, b), or {{"id", "a", "b"}}', field=f"pairs.{place}"
    )


def batches_of(records: Iterable[RecordLike], namespace: str | None, count: int) -> Iterator[list[bytes]]:
    """Yield records as JSON, as many together as may be sent at once.

    Raises:
        RequestError: a record cannot be written, or it is a single one.
    """
    batch: list[bytes] = []
    size = 0
    for place, record in enumerate(several(records, "records")):
        body = encoded(record_json(record, namespace), f"records.{place}")
        if batch and (len(batch) >= count or size + len(body) > BATCH_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(body)
        size += len(body)
    if batch:
        yield batch
