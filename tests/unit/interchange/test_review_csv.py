"""Tables of reviews that no spreadsheet calculates."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.errors import ConfigurationError
from arbiter.interchange.review_csv import csv_lines, read_csv
from arbiter.interchange.review_rows import COLUMNS
from tests.exchange_cases import HOSTILE

FORMULAS = "=+-@\t\r\n\uff1d\uff0b\uff0d\uff20"
# Cells as they may come: with what spreadsheets trip over more often than chance would have it.
CELLS = st.lists(
    st.one_of(
        st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=20),
        st.sampled_from(
            ["=1+1", "+", "-", "@", "\t", "\r", "\n", "\r\n", "'", "''=", '"', ";", ",", "\uff1d"]
        ),
        st.sampled_from(HOSTILE),
    ),
    max_size=4,
).map("".join)


@given(st.lists(st.fixed_dictionaries(dict.fromkeys(COLUMNS, CELLS)), max_size=4))
def test_csv_comes_back_exactly(rows: list[dict[str, str]]) -> None:
    """Whatever the cells hold, reading gives what was written, and no cell begins like a formula."""
    text = "".join(csv_lines(rows))
    cells = [cell for line in csv.reader(io.StringIO(text, newline="")) for cell in line]
    assert [cell for cell in cells if cell and cell[0] in FORMULAS] == []
    assert [row for _, row in read_csv(io.StringIO(text, newline=""))] == [r for r in rows if any(r.values())]


def test_each_row_is_yielded_as_it_is_asked_for() -> None:
    """A table of any length is written piece by piece."""
    rows = ({**dict.fromkeys(COLUMNS), "review_id": f"rev_{place}"} for place in range(10**9))
    pieces = csv_lines(rows)
    assert next(pieces).startswith("review_id,priority,")
    assert next(pieces).startswith("rev_0,")


def test_a_sheet_without_the_columns_is_refused_as_a_whole() -> None:
    """Another file is not taken for an export; the message names what it lacks."""
    with pytest.raises(ConfigurationError, match=r"lacks the column\(s\) a_id, b_id of an export"):
        list(read_csv(io.StringIO("review_id,a_digest,b_digest,ruling\n")))


def test_broken_quoting_is_refused_as_a_whole() -> None:
    """Behind a quote that does not end nobody can tell the cells apart."""
    header = "review_id,a_id,a_digest,b_id,b_digest,ruling\n"
    with pytest.raises(ConfigurationError, match="line 2 is no CSV: unexpected end of data"):
        list(read_csv(io.StringIO(header + 'rev_1,"x,y\n')))
