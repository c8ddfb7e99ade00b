"""``Arbiter.check``: records checked without being submitted, and kept to a namespace."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from arbiter.api import Arbiter
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
