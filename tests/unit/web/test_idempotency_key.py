"""What counts as an Idempotency-Key."""

from __future__ import annotations

import pytest

from arbiter.errors import RequestError
from arbiter.web.idempotency import HEADER, key_of

KEY = "8e03978e-40d5-43dd-bc93-6894a57f9324"


@pytest.mark.parametrize(
    ("lines", "key"),
    [
        ([KEY], KEY),
        ([f'"{KEY}"'], KEY),
        ([f' "{KEY}" '], KEY),
        ([r'"say \"hi\" \\ there"'], r'say "hi" \ there'),
        (["a" * 255], "a" * 255),
        (['"' + "a" * 255 + '"'], "a" * 255),
        (["k:1;b=2/3"], "k:1;b=2/3"),
    ],
)
def test_a_key_is_a_string_with_or_without_quotes(lines: list[str], key: str) -> None:
    """Both spellings are the same key."""
    assert key_of(lines) == key


@pytest.mark.parametrize(
    "lines",
    [
        [""],
        ['""'],
        ["a" * 256],
        ['"' + "a" * 256 + '"'],
        ["a b"],
        ["a, b"],
        ['"a", "b"'],
        ["a", "a"],
        ['"a'],
        ['a"b'],
        [r'"a\b"'],
        ["\u00e9"],
        ['"\u00e9"'],
        ["a\tb"],
        ['"a";x=1'],
    ],
)
def test_anything_else_is_no_key(lines: list[str]) -> None:
    """Empty, too long, several, half quoted, or not printable ASCII: the header is named."""
    with pytest.raises(RequestError, match=f"^{HEADER}: has to be one string") as caught:
        key_of(lines)
    assert caught.value.field == HEADER
