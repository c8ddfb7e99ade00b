"""Review exports that people filled in, read as labelled pairs."""

from __future__ import annotations

from pathlib import Path

import pytest

from arbiter.domain.evidence import Verdict
from arbiter.domain.outcomes import Ruling
from arbiter.domain.ruled import SettledPair
from arbiter.domain.vocabulary import Relation, RulingKind
from arbiter.errors import ConfigurationError
from arbiter.interchange.review_csv import csv_lines
from arbiter.interchange.review_rows import COLUMNS
from arbiter.training.read_pairs import read_examples
from tests.factories import day, make_fact, verdict
from tests.unit.training.tiny import written

ROW = {
    **dict.fromkeys(COLUMNS),
    "review_id": "rev_1",
    "a_id": "fact_a",
    "a_content": "Rent is 900.",
    "a_source": "user_stated chat:1; third_party crm",
    "a_observed_at": "2026-01-01T00:00:00Z",
    "a_digest": "x",
    "b_id": "fact_b",
    "b_content": "=Rent is 950.",
    "b_source": "third_party mail",
    "b_observed_at": "2026-02-01T00:00:00Z",
    "b_digest": "y",
    "stakes": "high",
}
A, B = make_fact("Rent is 900."), make_fact("=Rent is 950.", at=1)
FOUND: tuple[Verdict | None, ...] = (
    None,
    verdict("duplicate"),
    verdict("contradiction"),
    verdict("update", kind="correction", current="b"),
    verdict("update", kind="refinement", current="a"),
    verdict("complementary"),
    verdict("complementary", stale_risk="a"),
    verdict("unrelated"),
)
RULED = tuple(kind for kind in RulingKind if kind not in (RulingKind.UNDO, RulingKind.RETRACT))


def filled(found: Verdict | None, ruling: str, relabel: str = "") -> dict[str, object]:
    """Return a row of an export on which a judge found something and a person answered."""
    judged: dict[str, object] = {}
    if found is not None:
        kind = found.update_kind and found.update_kind.value
        judged = {"relation": found.relation.value, "current": found.current}
        judged |= {"update_kind": kind, "stale_risk": found.stale_risk}
    return {**ROW, **judged, "ruling": ruling, "relabel": relabel}


@pytest.mark.parametrize("kind", RULED)
@pytest.mark.parametrize("found", FOUND)
def test_a_filled_in_row_teaches_what_the_ruling_would_in_the_store(
    kind: RulingKind, found: Verdict | None, tmp_path: Path
) -> None:
    """Whichever way a ruling goes, the row says neither more nor less than the settled pair."""
    relabel = Relation.CONTRADICTION if kind is RulingKind.RELABEL else None
    ruling = Ruling("rul_1", "default", A.id, B.id, kind, "kim", day(3), A.digest, B.digest, relabel=relabel)
    told = SettledPair(ruling, A, B, found).relation
    row = filled(found, kind.value, relabel.value if relabel else "")
    examples = read_examples(written(tmp_path / "export.jsonl", [row]))
    said = [(e.relation, e.current, e.update_kind, e.stale_risk) for e in examples]
    assert said == ([(told.relation, told.current, told.update_kind, told.stale_risk)] if told else [])


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        (filled(None, "relabel", "duplicate"), ("duplicate", None)),
        (filled(verdict("update", current="b"), "keep_b"), ("update", "b")),
        # The other side may be kept because they contradict each other.
        (filled(verdict("update", current="b"), "keep_a"), None),
        (filled(verdict("complementary"), "keep_both"), ("complementary", None)),
        (filled(verdict("update", current="b"), ""), None),
        # Exports of earlier versions do not say which side was called current.
        ({**ROW, "relation": "update", "ruling": "keep_b"}, None),
        ({**ROW, "relation": "contradiction", "ruling": "keep_b"}, ("contradiction", None)),
    ],
)
def test_only_what_people_confirmed_is_taught(
    row: dict[str, object], expected: tuple[str, str | None] | None, tmp_path: Path
) -> None:
    """A relabel gives the relation, keeping what the judge keeps confirms it, the rest is not guessed."""
    found = read_examples(written(tmp_path / "export.jsonl", [row]))
    assert [(example.relation, example.current) for example in found] == ([expected] if expected else [])
    assert all(e.pair.a.source.id == "chat:1" and e.stakes == "high" for e in found)


def test_a_table_is_read_like_lines(tmp_path: Path) -> None:
    """A filled-in CSV teaches the same, words of people and defused formulas included."""
    rows = [filled(verdict("update", kind="correction", current="b"), "Keep B"), filled(None, "")]
    path = tmp_path / "export.csv"
    path.write_text("".join(csv_lines(rows)), encoding="utf-8")
    (example,) = read_examples(path)
    assert (example.pair.b.content, example.relation, example.current) == ("=Rent is 950.", "update", "b")
    assert (example.update_kind, example.pair.a.source.id) == ("correction", "chat:1")


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"colour,size\nred,1\n", "export.csv: the file lacks the column"),
        (b"review_id\n\xff\n", "export.csv is not UTF-8"),
        ("".join(csv_lines([filled(None, "perhaps")])).encode(), "export.csv:2 is not a labelled pair"),
    ],
)
def test_a_table_that_is_no_export_is_refused(content: bytes, told: str, tmp_path: Path) -> None:
    """The message names the file and what it lacks, or the line."""
    path = tmp_path / "export.csv"
    path.write_bytes(content)
    with pytest.raises(ConfigurationError, match=told):
        read_examples(path)
