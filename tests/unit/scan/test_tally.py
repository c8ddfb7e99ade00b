"""What is counted of a scan's records by the names in them."""

from __future__ import annotations

from pathlib import Path

import pytest

from arbiter.domain.outcomes import Reason
from arbiter.domain.vocabulary import Outcome
from arbiter.interchange.summary import Refusal
from arbiter.scan import scan
from tests.scanning import memory_arbiter, raw, write_lines


def test_the_first_refusals_are_in_the_summary(tmp_path: Path) -> None:
    """Each with the place where it was read and the reason, as far as there is room."""
    path = write_lines(tmp_path / "dump.jsonl", [raw("Tea."), *[raw("Tea.", sorce=1)] * 12, "oops"])
    summary = scan(memory_arbiter(), [path], tmp_path / "out")
    assert summary.refused_fields == {"sorce": 12}
    assert len(summary.refusals) == 10
    reason = Reason("invalid_record", "sorce: no such field; did you mean source?", "sorce")
    assert summary.refusals[0] == Refusal(str(path), 2, Outcome.REFUSED, reason)


@pytest.mark.parametrize("length", [3, 61])
def test_names_that_only_the_caller_knows_are_limited(tmp_path: Path, length: int) -> None:
    """Twenty are counted by name, the others and very long ones together; a record's own always count."""
    names = [f"{n:0{length}}" for n in range(30)]
    records = [raw("Tea.", **{name: 1}) for name in [*names, names[0]]]  # type: ignore[arg-type]
    path = write_lines(tmp_path / "dump.jsonl", [*records, raw("")])
    counts = scan(memory_arbiter(), [path], tmp_path / "out").refused_fields
    named = names[:20] if length < 60 else []
    assert counts == {
        **dict.fromkeys(named, 1),
        **({names[0]: 2} if named else {}),
        "(others)": 31 - len(named) - bool(named),
        "content": 1,
    }


def test_claim_keys_that_are_not_registered_are_counted(tmp_path: Path) -> None:
    """By the record, as they are written, and only where the record was taken."""
    records = [raw("Tea.", claim_key="user.drnk"), raw("Jazz.", claim_key="user.drnk"), raw("Chess.")]
    path = write_lines(tmp_path / "dump.jsonl", [*records, raw("", claim_key="user.msic")])
    assert scan(memory_arbiter(), [path], tmp_path / "out").unregistered_keys == {"user.drnk": 2}
