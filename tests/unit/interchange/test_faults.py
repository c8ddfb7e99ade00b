"""Faults of submitted records, in the words of JSON."""

from __future__ import annotations

from typing import Any

import pytest

from arbiter.errors import InvalidRecordError
from arbiter.interchange.record_in import parse_record
from tests.factories import day

SOURCE = {"id": "chat:1", "kind": "user_stated"}
GOOD = {"content": "Ana lives in Porto.", "source": SOURCE, "observed_at": "2026-01-01T09:00:00Z"}


def without(name: str, **more: object) -> dict[str, object]:
    """Return the good record without a field, and with others."""
    return {key: value for key, value in GOOD.items() if key != name} | more


@pytest.mark.parametrize(
    ("data", "field", "message"),
    [
        (without("source"), "source", "source: Field required"),
        (
            without("source", sorce=SOURCE),
            "source",
            "source: Field required; sorce: no such field; did you mean source?",
        ),
        (
            {**GOOD, "source": {"id": "chat:1", "knid": "user_stated"}},
            "source.kind",
            "source.kind: Field required; source.knid: no such field; did you mean source.kind?",
        ),
        ({**GOOD, "xyz": 1}, "xyz", "xyz: no such field"),
        ({**GOOD, "kind": 1}, "kind", "kind: no such field"),
        (
            {**GOOD, "content": " ", "q1": 1, "q2": 2, "q3": 3, "q4": 4, "q5": 5},
            "content",
            "content: is blank; "
            + "".join(f"q{n}: no such field; " for n in (1, 2, 3))
            + "and 2 more unknown fields",
        ),
        ({**GOOD, "source": "chat:1"}, "source", "source: Input should be an object"),
        ({**GOOD, "tags": "travel"}, "tags", "tags: Input should be a list"),
        ({**GOOD, "stakes": "low"}, "stakes", "stakes: Input should be 'normal' or 'high'"),
    ],
)
def test_the_message_names_what_the_caller_wrote(data: Any, field: str, message: str) -> None:
    """The first fault, and every field that is none, with the one that may be meant."""
    with pytest.raises(InvalidRecordError) as caught:
        parse_record(data, day(400))
    assert (caught.value.field, caught.value.message) == (field, message)


def test_a_long_name_is_not_compared() -> None:
    """It is told in short, at once."""
    with pytest.raises(InvalidRecordError) as caught:
        parse_record({**GOOD, "source" * 100_000: 1}, day(400))
    assert caught.value.message == f"{('source' * 100_000)[:200]}…: no such field"
