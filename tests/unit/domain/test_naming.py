"""Whether two names can be those of one thing."""

from __future__ import annotations

import pytest

from arbiter.domain.naming import are_strangers, differ


@pytest.mark.parametrize(
    ("one", "other", "differs", "strangers"),
    [
        ("acme", "acme", False, False),
        ("acme", "acme corp", False, False),
        ("bob smith", "robert smith", True, False),
        ("bob", "robert", True, True),
        ("user:42", "user:7", True, True),
        ("printer 12", "printer 45", True, True),
        ("printer 12", "printer hall", True, False),
        ("gate", "gate 2", False, False),
        ("", "acme", False, False),
    ],
)
def test_names(one: str, other: str, *, differs: bool, strangers: bool) -> None:
    """One is a part of the other, or they share a word, or nothing; the order does not matter."""
    assert (differ(one, other), are_strangers(one, other)) == (differs, strangers)
    assert (differ(other, one), are_strangers(other, one)) == (differs, strangers)
