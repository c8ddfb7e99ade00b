"""``Arbiter.check``: records checked without being submitted, and kept to a namespace."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, timedelta, timezone
from types import MappingProxyType

import pytest

from arbiter.api import Arbiter
from arbiter.domain.facts import Record, Source
from arbiter.domain.vocabulary import SourceKind
from arbiter.testing import TableJudge
from arbiter.testing_store import MemoryStore
from tests.factories import day, make_record
from tests.unit.pipeline.conftest import context_on

RECORD = {
    "content": "Ana lives in Porto.",
    "source": {"id": "chat:1", "kind": "user_stated"},
    "observed_at": "2026-01-01T09:00:00Z",
}


@pytest.fixture
def arbiter() -> Iterator[Arbiter]:
    """Return an arbiter on an empty store."""
    with Arbiter(context_on(MemoryStore(lambda: day(100)), TableJudge())) as opened:
        yield opened


def test_nothing_is_stored(arbiter: Arbiter) -> None:
    """Valid records come back as such, the others with the receipt that they would get."""
    checked = arbiter.check([RECORD, {**RECORD, "content": ""}], first_index=5)
    assert {index: record.content for index, record in checked.valid.items()} == {5: RECORD["content"]}
    (refused,) = checked.refused.values()
    assert (refused.record_index, refused.reason and refused.reason.field) == (6, "content")
    assert list(arbiter.facts(state=None)) == []


def test_records_are_kept_to_a_namespace(arbiter: Arbiter) -> None:
    """What names none gets it; what names another one is refused, and the refusal is filed under it."""
    records = [RECORD, {**RECORD, "namespace": "mine"}, {**RECORD, "namespace": "other"}]
    checked = arbiter.check([*records, make_record("Ben likes tea.")], namespace="mine")
    assert [record.namespace for record in checked.valid.values()] == ["mine", "mine"]
    told = [
        (r.record_index, r.namespace, r.reason and (r.reason.code, r.reason.field))
        for r in checked.refused.values()
    ]
    assert told == [(n, "mine", ("invalid_record", "namespace")) for n in (2, 3)]


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"content": " "}, "content"),
        ({"content": 5}, "content"),
        ({"source": "chat:1"}, "source"),
        ({"source": Source("", SourceKind.USER_STATED)}, "source.id"),
        ({"source": Source("chat:1", "hearsay")}, "source.kind"),  # type: ignore[arg-type]  # on purpose
        ({"observed_at": day(1).replace(tzinfo=None)}, "observed_at"),
        ({"observed_at": "yesterday"}, "observed_at"),
        ({"observed_at": day(102)}, "observed_at"),
        ({"valid_from": day(3), "valid_to": day(2)}, "valid_to"),
        ({"confidence": float("nan")}, "confidence"),
        ({"explicitness": None}, "explicitness"),
        ({"mutability": "sometimes"}, "mutability"),
        ({"tags": ("a", "b\x00")}, "tags.1"),
        ({"metadata": {"when": day(1)}}, "metadata"),
        ({"metadata": None}, "metadata"),
    ],
)
def test_a_record_made_by_a_program_is_checked_like_any_other(
    arbiter: Arbiter, changed: dict[str, object], field: str
) -> None:
    """No type holds in a running program, so each fault is named as it is in JSON."""
    good = make_record("Ben likes tea.")
    checked = arbiter.check([replace(good, **changed), good])  # type: ignore[arg-type]  # on purpose
    assert [(r.reason and r.reason.field) for r in checked.refused.values()] == [field]
    assert checked.valid == {1: good}


def test_a_record_is_read_as_it_would_be_from_json(arbiter: Arbiter) -> None:
    """Times are in UTC, tags are a tuple, and words stand for what they name."""
    east = day(3).astimezone(timezone(timedelta(hours=5)))
    made = Record(
        "Ben likes tea.",
        Source("chat:1", "user_stated"),  # type: ignore[arg-type]  # as a program may write it
        east,
        tags=["a", "b"],  # type: ignore[arg-type]  # likewise
        metadata=MappingProxyType({"page": 4}),
    )
    (read,) = arbiter.check([made]).valid.values()
    told = Record(
        "Ben likes tea.",
        Source("chat:1", SourceKind.USER_STATED),
        day(3),
        tags=("a", "b"),
        metadata={"page": 4},
    )
    assert read == told
    assert read.source.kind is SourceKind.USER_STATED
    assert read.observed_at.tzinfo is UTC
