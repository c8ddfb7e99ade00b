"""One JSON value out of the bytes of a request."""

from __future__ import annotations

import pytest

from arbiter.interchange.json_reader import json_value, repeated_key


def test_a_value_is_read() -> None:
    """Whatever it is, with white space around it."""
    assert json_value(b' {"a": [1, null]}\n') == ({"a": [1, None]}, None)
    assert json_value('"é"'.encode()) == ("é", None)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (b"", "not_json"),
        (b"{} {}", "not_json"),
        (b'{"a": }', "not_json"),
        (b'"\xff"', "not_utf8"),
        (b"[" * 100_000, "too_deep"),
        (b"9" * 5_000, "not_json"),
    ],
)
def test_what_is_none_has_a_reason(text: bytes, code: str) -> None:
    """And the reason never repeats what was sent."""
    value, reason = json_value(text)
    assert reason is not None
    assert (value, reason.code) == (None, code)
    assert len(reason.message) < 200


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "not JSON: Expecting value at line 1, column 1"),
        (b" \n ", "not JSON: Expecting value at line 1, column 1"),
        (b'\n{"a": 1,\n  "b": }\n', "not JSON: Expecting value at line 3, column 8"),
        (b'\n\n  {"a": 1} x', "not JSON: Extra data at line 3, column 12"),
        (b'{"a": "b\n"}', "not JSON: Invalid control character at line 1, column 9"),
        (b'{"a": "b', "not JSON: Unterminated string starting at line 1, column 7"),
    ],
)
def test_the_reason_says_where(text: bytes, message: str) -> None:
    """The place is that in what was sent, white space before it included."""
    _, reason = json_value(text)
    assert reason is not None
    assert reason.message == message


def test_repeated_keys_are_found_where_they_are() -> None:
    """However deep; the first one is named, in a form that can be written down."""
    value, reason = json_value(b'{"a": [{"b": {"x": 1, "y": 2, "x": 3}}], "c": {"x": 1}}')
    assert reason is None
    found = repeated_key(value)
    assert found is not None
    assert (found.code, found.field) == ("repeated_key", "x")
    assert isinstance(value, dict)
    assert repeated_key(value["c"]) is None
    odd = repeated_key(json_value(b'{"\\ud800": 1, "\\ud800": 2}')[0])
    assert odd is not None
    assert odd.message.encode()


def test_many_repeated_keys_cost_no_more_than_reading() -> None:
    """A body made of repeated keys is found in one pass, not key by key."""
    text = "{" + ",".join(f'"k{n}": 0' for n in range(100_000)) + ',"k99999": 1}'
    found = repeated_key(json_value(text.encode())[0])
    assert found is not None
    assert found.field == "k99999"
