"""What is kept of a request tells whether and where another one differs, and none of its text."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.interchange.request_digests import RequestDigests, first_difference

DIGESTS = RequestDigests("a key")
RECORD = {"content": "User moved to Porto.", "source": {"id": "chat:1", "kind": "user_stated"}, "tags": ["x"]}
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3) | st.floats(allow_nan=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


def request(*records: object, **more: object) -> dict[str, object]:
    """Return a request with these records."""
    return {"method": "POST", "body": {"records": list(records)}} | more


def difference(known: object, sent: object) -> str | None:
    """Return the path to the first difference, with dots."""
    path = first_difference(DIGESTS.parts(known), DIGESTS.parts(sent))
    return None if path is None else ".".join(path)


def changed(**fields: object) -> dict[str, object]:
    """Return the record with other fields; one that is None goes."""
    return {name: value for name, value in (RECORD | fields).items() if value is not None}


@pytest.mark.parametrize(
    ("sent", "path"),
    [
        (request(RECORD, RECORD), None),
        (request(RECORD, changed(content="User moved to Faro.")), "body.records.1.content"),
        (request(changed(source={"id": "chat:2", "kind": "user_stated"}), RECORD), "body.records.0.source"),
        (request(RECORD, changed(value="Porto")), "body.records.1.value"),
        (request(RECORD, changed(tags=None)), "body.records.1.tags"),
        (request(RECORD, changed(tags=["y"], content="x")), "body.records.1.content"),
        (request(RECORD), "body.records.1"),
        (request(RECORD, RECORD, RECORD), "body.records.2"),
        (request(RECORD, "no record"), "body.records.1"),
        (request(RECORD, RECORD, method="PUT"), "method"),
        (request(RECORD, RECORD, body=None), "body"),
        (request(RECORD, changed(**{"A name of a person": 1})), "body.records.1"),
    ],
)
def test_the_first_part_that_differs_is_named(sent: object, path: str | None) -> None:
    """Down to the field of a record; where there is no such part, or none that may be named, above it."""
    assert difference(request(RECORD, RECORD), sent) == path


def test_parts_hold_nothing_that_was_said() -> None:
    """Values and unusual names are digests; plain names of fields are themselves."""
    kept = json.dumps(DIGESTS.parts(request({"content": "xyzzy", "Xyzzy sings": 1, "x" * 40: 1})))
    assert "content" in kept
    assert "xyzzy" not in kept.lower()
    assert "x" * 40 not in kept


def test_digests_cannot_be_compared_without_the_key() -> None:
    """Whoever has the store alone cannot try guesses: the same text has another digest under another key."""
    other = RequestDigests("another key")
    assert other.whole("xyzzy") != DIGESTS.whole("xyzzy")
    assert other.parts("xyzzy") != DIGESTS.parts("xyzzy")
    assert RequestDigests("a key").whole(RECORD) == DIGESTS.whole(RECORD)


def test_how_json_is_written_plays_no_part() -> None:
    """Order of keys and white space do not matter; one and 1.0 and "1" are three values."""
    a, b = (json.loads(text) for text in ('{"a": 1, "b": [true, null]}', '{"b":[true,null],"a":1}'))
    assert DIGESTS.whole(a) == DIGESTS.whole(b)
    values: list[object] = [1, 1.0, "1", True, None, [], {}]
    assert len({DIGESTS.whole(value) for value in values}) == 7


def test_lone_surrogates_and_odd_objects_have_digests() -> None:
    """What cannot be stored as a record still is a request."""
    assert DIGESTS.whole("\ud800") != DIGESTS.whole("\ud801")
    assert DIGESTS.whole([pytest]) == DIGESTS.whole([pytest])


def test_huge_parts_are_told_as_a_whole() -> None:
    """The shape of a request stays small whatever is sent: wide and deep parts have a single digest."""
    wide: dict[str, Any] = {f"k{n}": n for n in range(65)}
    long = [0] * 10_001
    deep: list[Any] = []
    for _ in range(100):
        deep = [deep]
    for value in (wide, long):
        parts = DIGESTS.parts({"a": value})
        assert isinstance(parts, dict)
        assert isinstance(parts["a"], str)
    assert json.dumps(DIGESTS.parts(deep)).count("[") == 4
    assert difference({"a": wide}, {"a": wide | {"k0": 1}}) == "a"


@given(VALUES, VALUES)
def test_parts_differ_where_the_whole_does(a: object, b: object) -> None:
    """Two requests are the same by their parts if and only if they are the same as a whole."""
    assert (difference(a, b) is None) == (DIGESTS.whole(a) == DIGESTS.whole(b))
