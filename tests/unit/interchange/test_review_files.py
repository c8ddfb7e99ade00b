"""Review items out to files and answers back in."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.api import Arbiter
from arbiter.domain.facts import iso
from arbiter.domain.review_answer import Answer
from arbiter.domain.vocabulary import Relation, RulingKind
from arbiter.errors import ConfigurationError
from arbiter.interchange.review_answers import ANSWER, ImportedRuling, RulingFault
from arbiter.interchange.review_csv import csv_lines
from arbiter.interchange.review_files import ImportForm, OpenForm, export_open, read_rulings
from arbiter.interchange.review_rows import COLUMNS
from tests.exchange_cases import HOSTILE, REVIEWS, SAME, SAME_A, SAME_B, SIDES, asking, views

A, B = SIDES[1]
ROW = {
    "review_id": REVIEWS[1],
    "priority": 42,
    "kind": "unsure",
    "relation": "contradiction",
    "stakes": "normal",
    "question": "The judge is not sure enough to act. How do these relate?",
    "rule": "unsure",
    "a_id": A.id,
    "a_content": A.content,
    "a_source": "user_stated chat:1",
    "a_observed_at": "2026-01-02T09:00:00+00:00",
    "a_digest": A.digest,
    "b_id": B.id,
    "b_content": B.content,
    "b_source": "verified_observation crm",
    "b_observed_at": "2026-01-03T09:00:00+00:00",
    "b_digest": B.digest,
    "proposal": None,
    "current": None,
    "update_kind": None,
    "stale_risk": None,
    "evidence": (
        f"contradiction, confidence 0.52, by test\nbecause: because {HOSTILE[1]}\n"
        f"guard negation: A says says, B says {HOSTILE[1]}\n"
        "rule unsure, review: The judge is not sure enough to retire a fact."
    ),
    "comments": "",
    **dict.fromkeys(ANSWER, ""),
}
TABLES: tuple[ImportForm, ...] = ("jsonl", "csv")
TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=60)


@pytest.fixture
def arbiter() -> Iterator[Arbiter]:
    """Yield an arbiter that asks about every case."""
    with asking() as opened:
        yield opened


def exported(arbiter: Arbiter, form: OpenForm) -> str:
    """Return the export of everything that is asked."""
    return "".join(export_open(views(arbiter), form))


def lines(*answers: Mapping[str, object]) -> io.BytesIO:
    """Return the row as JSON Lines, once for each answer, with some fields replaced."""
    return io.BytesIO("".join(json.dumps({**ROW, **answer}) + "\n" for answer in answers).encode())


def test_json_lines_show_both_sides_and_leave_the_answer_open(arbiter: Arbiter) -> None:
    """A row has every column in order, both texts as they are, and nothing filled in."""
    rows = {row["review_id"]: row for row in map(json.loads, exported(arbiter, "jsonl").splitlines())}
    assert rows[REVIEWS[1]] == ROW
    assert tuple(rows[REVIEWS[1]]) == COLUMNS
    assert [rows[review]["a_content"] for review in REVIEWS] == [a.content for a, _ in SIDES]
    assert (rows[SAME]["a_content"], rows[SAME]["b_content"]) == (SAME_A.content, SAME_B.content)


def test_csv_holds_the_same_and_no_formula(arbiter: Arbiter) -> None:
    """What a spreadsheet reads differs from the texts only by the apostrophe before a formula."""
    arbiter.review.comment(REVIEWS[1], "=1+1", author="@kim")
    (noted,) = arbiter.review.view(REVIEWS[1]).comments
    table = list(csv.DictReader(io.StringIO(exported(arbiter, "csv"), newline="")))
    row = next(row for row in table if row["review_id"] == REVIEWS[1])
    expected = {name: "" if value is None else str(value) for name, value in ROW.items()}
    assert row == expected | {"comments": f"'@kim, {iso(noted.at)}: =1+1"}


@pytest.mark.parametrize("form", TABLES)
def test_rows_without_an_answer_are_left_out(arbiter: Arbiter, form: ImportForm) -> None:
    """An export that nobody filled in holds no answer."""
    text = "".join(export_open(views(arbiter), "csv" if form == "csv" else "jsonl"))
    assert read_rulings(io.BytesIO(text.encode()), form) == []


@given(TEXTS, TEXTS)
def test_json_lines_come_back_exactly(reason: str, comment: str) -> None:
    """A reason of any text reads back as it was written, spaces at its ends aside."""
    given_ = {"ruling": "neither", "reviewer": "kim", "reason": reason, "comment": comment}
    (found,) = read_rulings(lines(given_), "jsonl")
    assert isinstance(found, ImportedRuling)
    assert found.answer is not None
    assert (found.answer.reason, found.comment) == (reason.strip(), comment.strip())


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_a_filled_in_sheet_is_read_whatever_its_separator(separator: str) -> None:
    """The answer comes back with sides and digests, also from a sheet that was saved elsewhere."""
    header, cells = csv.reader(io.StringIO("".join(csv_lines([ROW])), newline=""))
    row = dict(zip(header, cells, strict=True)) | {
        "ruling": "Merge",
        "text": "'=1+1 is\nthe note",
        "confirmed": "X",
        "reviewer": "kim",
        "reason": "-seen the\npassport",
    }
    sheet = io.StringIO(newline="")
    writer = csv.DictWriter(sheet, header, delimiter=separator)
    writer.writeheader()
    writer.writerow(row)
    stream = io.BytesIO(("\ufeff" + sheet.getvalue()).encode())
    answer = Answer(
        RulingKind.MERGE,
        "kim",
        text="=1+1 is\nthe note",
        confirmed=True,
        reason="-seen the\npassport",
        seen=(A.digest, B.digest),
    )
    assert read_rulings(stream, "csv") == [ImportedRuling(2, REVIEWS[1], A.id, B.id, "kim", answer)]
    assert not stream.closed


def test_lines_are_counted_across_cells_of_many_lines() -> None:
    """A fault names the line on which its row begins, though the row before has several."""
    text = "".join(csv_lines([ROW, {**ROW, "ruling": "relabel", "reviewer": "kim"}]))
    (fault,) = read_rulings(io.BytesIO(text.encode()), "csv")
    assert fault == RulingFault(6, REVIEWS[1], "relabel", "a relabel needs a relation")


def test_a_default_reviewer_stands_in_for_an_empty_cell() -> None:
    """Who imports can sign for the rows that say nothing, never over those that do."""
    found = read_rulings(
        lines({"ruling": "neither"}, {"ruling": "neither", "reviewer": "kim"}), "jsonl", reviewer="lee"
    )
    assert [ruling.reviewer for ruling in found if isinstance(ruling, ImportedRuling)] == ["lee", "kim"]


def test_an_export_of_an_older_version_is_read() -> None:
    """Columns that came later may lack, those of the ruling that there were suffice."""
    older = {name: ROW[name] for name in COLUMNS[:18]} | {"ruling": "relabel", "relabel": "update"}
    stream = io.BytesIO(json.dumps(older).encode())
    (found,) = read_rulings(stream, "jsonl", reviewer="kim")
    assert isinstance(found, ImportedRuling)
    assert found.answer == Answer(
        RulingKind.RELABEL, "kim", relabel=Relation.UPDATE, seen=(A.digest, B.digest)
    )


def test_one_bad_line_harms_no_other() -> None:
    """Lines that are no JSON, no object, no UTF-8 or say a key twice are told; the next one is read."""
    good = lines({"ruling": "keep_both", "reviewer": "kim"}).getvalue()
    stream = io.BytesIO(b'not json\n\n[1]\n"\xff"\n{"ruling": "merge", "ruling": "skip"}\n' + good)
    *faults, found = read_rulings(stream, "jsonl")
    assert faults == [
        RulingFault(1, None, None, "not JSON: Expecting value at column 1"),
        RulingFault(3, None, None, "a row is a JSON object"),
        RulingFault(4, None, None, "byte 2 of the line is not UTF-8"),
        RulingFault(5, None, None, "the key 'ruling' stands twice in one object"),
    ]
    assert isinstance(found, ImportedRuling)
    assert found.answer is not None
    assert (found.line, found.answer.kind) == (6, RulingKind.KEEP_BOTH)


def test_a_sheet_in_another_encoding_is_refused() -> None:
    """What is not UTF-8 is told in words, before anything is applied."""
    with pytest.raises(ConfigurationError, match="not UTF-8"):
        read_rulings(io.BytesIO("review_id;é".encode("cp1252")), "csv")
