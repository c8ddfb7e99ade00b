"""Review items out to files and rulings back in."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.domain.facts import Fact
from arbiter.domain.outcomes import ReviewItem
from arbiter.domain.vocabulary import Relation, RulingKind, Stakes
from arbiter.errors import ConfigurationError
from arbiter.interchange.review_files import (
    ANSWER,
    COLUMNS,
    Form,
    ImportedRuling,
    RulingFault,
    export_reviews,
    import_rulings,
    read_csv,
    write_csv,
)
from tests.factories import VERIFIED, make_fact

A = make_fact("Ana was born in Porto.", source="chat:1")
B = make_fact('=HYPERLINK("http://x")\nAna, born in «Faro».', at=3, source="crm", kind=VERIFIED)
ITEM = ReviewItem(
    a=A.id,
    b=B.id,
    kind="conflict",
    rule="fixed-open",
    question="These cannot both be true. Which one holds?",
    priority=152,
    digest_a=A.digest,
    digest_b=B.digest,
    relation=Relation.CONTRADICTION,
    stakes=Stakes.HIGH,
)
FACTS: dict[str, Fact] = {A.id: A, B.id: B}
ROW = {
    "review_id": ITEM.id,
    "priority": 152,
    "kind": "conflict",
    "relation": "contradiction",
    "stakes": "high",
    "question": "These cannot both be true. Which one holds?",
    "rule": "fixed-open",
    "a_id": A.id,
    "a_content": "Ana was born in Porto.",
    "a_source": "user_stated chat:1",
    "a_observed_at": "2026-01-01T09:00:00+00:00",
    "a_digest": A.digest,
    "b_id": B.id,
    "b_content": B.content,
    "b_source": "verified_observation crm",
    "b_observed_at": "2026-01-04T09:00:00+00:00",
    "b_digest": B.digest,
    "proposal": None,
    "ruling": "",
    "relabel": "",
    "reviewer": "",
    "reason": "",
}
FORMULAS = "=+-@\t\r\n\uff1d\uff0b\uff0d\uff20"
# Cells as they may come: with what spreadsheets trip over more often than chance would have it.
CELLS = st.lists(
    st.one_of(
        st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=20),
        st.sampled_from(
            ["=1+1", "+", "-", "@", "\t", "\r", "\n", "\r\n", "'", "''=", '"', ";", ",", "\uff1d"]
        ),
    ),
    max_size=4,
).map("".join)


def exported(form: Form) -> str:
    """Return the export of the one item."""
    stream = io.StringIO(newline="")
    assert export_reviews([ITEM], FACTS, stream, form) == 1
    return stream.getvalue()


def filled(answer: Mapping[str, object]) -> io.StringIO:
    """Return the item's row as JSON Lines with some fields replaced."""
    return io.StringIO(json.dumps({**ROW, **answer}) + "\n")


def test_json_lines_show_both_sides_and_leave_the_answer_open() -> None:
    """A row has every column in order, both texts as they are, and nothing filled in."""
    row = json.loads(exported("jsonl"))
    assert row == ROW
    assert tuple(row) == COLUMNS
    assert [row[name] for name in ANSWER] == ["", "", "", ""]


def test_csv_holds_the_same_and_no_formula() -> None:
    """What a spreadsheet reads differs from the text only by the apostrophe before a formula."""
    header, cells = csv.reader(io.StringIO(exported("csv"), newline=""))
    assert tuple(header) == COLUMNS
    row = dict(zip(header, cells, strict=True))
    assert row["b_content"] == "'" + B.content
    expected = {name: "" if value is None else str(value) for name, value in ROW.items()}
    assert row == expected | {"b_content": "'" + B.content}


@given(st.lists(st.fixed_dictionaries(dict.fromkeys(COLUMNS, CELLS)), max_size=4))
def test_csv_comes_back_exactly(rows: list[dict[str, str]]) -> None:
    """Whatever the cells hold, reading gives what was written, and no cell begins like a formula."""
    stream = io.StringIO(newline="")
    write_csv(rows, stream)
    text = stream.getvalue()
    cells = [cell for line in csv.reader(io.StringIO(text, newline="")) for cell in line]
    assert [cell for cell in cells if cell and cell[0] in FORMULAS] == []
    assert [row for _, row in read_csv(io.StringIO(text, newline=""))] == [r for r in rows if any(r.values())]


@given(CELLS)
def test_json_lines_come_back_exactly(reason: str) -> None:
    """A reason of any text reads back as it was written, spaces at its ends aside."""
    (found,) = import_rulings(filled({"ruling": "neither", "reviewer": "kim", "reason": reason}), "jsonl")
    assert isinstance(found, ImportedRuling)
    assert found.reason == reason.strip()


@pytest.mark.parametrize("form", get_args(Form))
def test_rows_without_a_ruling_are_left_out(form: Form) -> None:
    """An export that nobody filled in holds no ruling."""
    assert import_rulings(io.StringIO(exported(form), newline=""), form) == []


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_a_filled_in_sheet_is_read_whatever_its_separator(separator: str) -> None:
    """The ruling comes back with sides and digests, also from a sheet that was saved elsewhere."""
    header, cells = csv.reader(io.StringIO(exported("csv"), newline=""))
    row = dict(zip(header, cells, strict=True)) | {
        "ruling": "Keep-A",
        "reviewer": "kim",
        "reason": "-seen the\npassport",
    }
    sheet = io.StringIO(newline="")
    writer = csv.DictWriter(sheet, header, delimiter=separator)
    writer.writeheader()
    writer.writerow(row)
    assert import_rulings(io.StringIO("\ufeff" + sheet.getvalue(), newline=""), "csv") == [
        ImportedRuling(
            line=2,
            review_id=ITEM.id,
            a=A.id,
            b=B.id,
            seen=(A.digest, B.digest),
            kind=RulingKind.KEEP_A,
            reviewer="kim",
            reason="-seen the\npassport",
        )
    ]


def test_lines_are_counted_across_cells_of_many_lines() -> None:
    """A fault names the line on which its row begins, though the row before has several."""
    stream = io.StringIO(newline="")
    write_csv([ROW, {**ROW, "ruling": "maybe", "reviewer": "kim"}], stream)
    assert import_rulings(io.StringIO(stream.getvalue(), newline=""), "csv") == [
        RulingFault(4, ITEM.id, "ruling", "'maybe' is none of keep_a, keep_b, keep_both, neither, relabel")
    ]


@pytest.mark.parametrize(
    ("answer", "field", "message"),
    [
        ({"ruling": "undo"}, "ruling", "'undo' is none of keep_a, keep_b, keep_both, neither, relabel"),
        ({"ruling": "relabel"}, "relabel", "a relabel, and nothing else, names a relation"),
        (
            {"ruling": "keep_a", "relabel": "update"},
            "relabel",
            "a relabel, and nothing else, names a relation",
        ),
        (
            {"ruling": "relabel", "relabel": "same"},
            "relabel",
            "'same' is none of duplicate, update, contradiction, complementary, unrelated",
        ),
        ({"relabel": "update"}, "ruling", "is empty, though relabel is filled in"),
        ({"ruling": "keep_a", "reviewer": " "}, "reviewer", "is missing"),
        ({"ruling": "keep_a", "a_digest": None}, "a_digest", "is missing"),
        ({"ruling": 1}, "ruling", "is not text"),
    ],
)
def test_a_fault_names_line_and_field(answer: dict[str, object], field: str, message: str) -> None:
    """What cannot be applied is told with its place, not guessed."""
    found = import_rulings(filled({"reviewer": "kim"} | answer), "jsonl")
    assert found == [RulingFault(1, ITEM.id, field, message)]


def test_a_default_reviewer_stands_in_for_an_empty_cell() -> None:
    """Who imports can sign for the rows that say nothing, never over those that do."""
    lines = (
        filled({"ruling": "neither"}).getvalue() + filled({"ruling": "neither", "reviewer": "kim"}).getvalue()
    )
    found = import_rulings(io.StringIO(lines), "jsonl", reviewer="lee")
    assert [ruling.reviewer for ruling in found if isinstance(ruling, ImportedRuling)] == ["lee", "kim"]


def test_one_bad_line_harms_no_other() -> None:
    """Lines that are no JSON, or no object, are told; the next one is read."""
    lines = "not json\n\n[1]\n" + filled({"ruling": "keep_both", "reviewer": "kim"}).getvalue()
    first, second, third = import_rulings(io.StringIO(lines), "jsonl")
    assert isinstance(first, RulingFault)
    assert (first.line, first.message) == (1, "not JSON: Expecting value: line 1 column 1 (char 0)")
    assert second == RulingFault(3, None, None, "a row is a JSON object")
    assert isinstance(third, ImportedRuling)
    assert (third.line, third.kind) == (4, RulingKind.KEEP_BOTH)


def test_a_sheet_without_the_columns_is_refused_as_a_whole() -> None:
    """Another file is not taken for an export; the message names what it lacks."""
    with pytest.raises(ConfigurationError, match=r"lacks the column\(s\) a_id, b_id of an export"):
        import_rulings(io.StringIO("review_id,a_digest,b_digest,ruling\n"), "csv")


def test_a_sheet_in_another_encoding_is_refused() -> None:
    """What is not UTF-8 is told in words, before anything is applied."""
    stream = io.TextIOWrapper(io.BytesIO("review_id;é".encode("cp1252")), encoding="utf-8", newline="")
    with pytest.raises(ConfigurationError, match="not UTF-8"):
        import_rulings(stream, "csv")
