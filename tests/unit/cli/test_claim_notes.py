"""What is said about claim keys and values that are kept, though they may be slips."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.cli.conftest import Desk

if TYPE_CHECKING:
    from click.testing import Result

RECORD = {
    "content": "User lives in Lisbon.",
    "source": {"id": "chat:1", "kind": "user_stated"},
    "observed_at": "2026-01-01T09:00:00Z",
    "subject": "user:42",
}
UNKNOWN = "is not registered, so its values are compared by no type"
UNCOMPARED = "so it is compared by no type"


def submitted(desk: Desk, *records: dict[str, Any]) -> Result:
    """Submit records over standard input."""
    return desk.run("submit", "-", stdin="".join(json.dumps(record) + "\n" for record in records))


@pytest.mark.parametrize(
    ("claim", "warning"),
    [
        (
            ("--claim-key", "user.residnce", "--value", "Porto"),
            f"claim_key: user.residnce {UNKNOWN}; did you mean user.residence?",
        ),
        (
            ("--claim-key", "user.zodiac", "--value", "Leo"),
            f"claim_key: user.zodiac {UNKNOWN}",
        ),
        (
            ("--claim-key", "user.birthdate", "--value", "never"),
            f"value: 'never' is not a date, as that of user.birthdate is, {UNCOMPARED}",
        ),
        (
            ("--claim-key", "plan.price", "--value", "a lot"),
            f"value: 'a lot' is not an amount of money, as that of plan.price is, {UNCOMPARED}",
        ),
    ],
)
def test_a_slip_is_kept_with_a_warning(empty: Desk, claim: tuple[str, ...], warning: str) -> None:
    """The record is stored as it is, its receipt is what it was, and standard error says what is odd."""
    result = empty.run("submit", "--text", "User lives in Porto.", "--subject", "user:42", *claim)
    assert (result.exit_code, result.stderr) == (0, f"Warning: {warning}\n")
    (receipt,) = [json.loads(line) for line in result.stdout.splitlines()]
    assert (receipt["outcome"], receipt["reason"]) == ("stored", None)


@pytest.mark.parametrize(
    "claim",
    [
        ("--claim-key", "user.residence", "--value", "Porto"),
        ("--claim-key", "User:Lives-In", "--value", "Porto"),
        ("--claim-key", "user.birthdate", "--value", "3 May 1990"),
        ("--claim-key", "user.residence"),
        (),
    ],
)
def test_what_is_in_order_is_not_mentioned(empty: Desk, claim: tuple[str, ...]) -> None:
    """Other spellings of registered keys, and records without a value, are no slips."""
    result = empty.run("submit", "--text", "User lives in Porto.", "--subject", "user:42", *claim)
    assert (result.exit_code, result.stderr) == (0, "")


def test_each_slip_of_a_file_is_told_once(empty: Desk) -> None:
    """The first record that has it is named; refused ones are told by their receipts alone."""
    result = submitted(
        empty,
        {**RECORD, "content": " ", "claim_key": "user.zodiac"},
        {**RECORD, "claim_key": "user.zodiac", "value": "Leo"},
        {**RECORD, "content": "User likes tea.", "claim_key": "user.zodiac"},
        {**RECORD, "content": "User likes jazz.", "value": "jazz"},
    )
    assert result.exit_code == 1
    assert result.stderr.splitlines() == [
        f"Warning: record 1: claim_key: user.zodiac {UNKNOWN}",
        "Warning: record 3: value: without a claim_key nothing compares it",
    ]


def test_the_number_of_warnings_is_limited(empty: Desk) -> None:
    """A file with keys of its own does not fill the screen, and no key can steer the terminal."""
    records = [
        {**RECORD, "content": f"User has {n}.", "claim_key": f"user.\x1b[31mqqq{n}"} for n in range(25)
    ]
    lines = submitted(empty, *records).stderr.splitlines()
    assert len(lines) == 20
    assert lines[0].startswith("Warning: record 0: claim_key: user.\\u001b[31mqqq0 is not registered")
