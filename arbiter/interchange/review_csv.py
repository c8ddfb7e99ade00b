"""Tables of review items, in which no cell is a formula.

Memory text is data: a cell that a spreadsheet would calculate gets a leading apostrophe, which the way back
takes off again.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TextIO

from arbiter.errors import ConfigurationError
from arbiter.interchange.review_answers import NEEDED
from arbiter.interchange.review_rows import COLUMNS

# The characters by which spreadsheets tell a formula, the full-width ones of East Asian editions included.
_FORMULA = re.compile("'*[=+\\-@\t\r\n\uff1d\uff0b\uff0d\uff20]")


def csv_lines(rows: Iterable[Mapping[str, object]]) -> Iterator[str]:
    """Yield the header and the rows of ``COLUMNS``; None becomes an empty cell, and no cell a formula."""
    line = _Line()
    writer = csv.writer(line)
    writer.writerow(COLUMNS)
    yield line.text
    for row in rows:
        writer.writerow([_defused("" if row[name] is None else str(row[name])) for name in COLUMNS])
        yield line.text


def read_csv(stream: TextIO) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield (line on which the row begins, its cells by column), the apostrophes of ``csv_lines`` taken off.

    The separator may be a comma, a semicolon or a tab: spreadsheets save what their country uses.

    Raises:
        ConfigurationError: the columns are not those of an export, or the quoting is broken.
    """
    text = stream.read().removeprefix("\ufeff")
    first = text.partition("\n")[0]
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=max(",;\t", key=first.count), strict=True)
    try:
        header = next(reader, [])
        missing = [name for name in (*NEEDED, "ruling") if name not in header]
        if missing:
            raise ConfigurationError(f"the file lacks the column(s) {', '.join(missing)} of an export")
        line = reader.line_num + 1
        for cells in reader:
            if any(cells):
                yield line, {n: _armed(c) for n, c in zip(header, cells, strict=False)}
            line = reader.line_num + 1
    except csv.Error as error:
        raise ConfigurationError(f"line {reader.line_num} is no CSV: {error}") from error


class _Line:
    """What a CSV writer wrote last."""

    def __init__(self) -> None:
        self.text = ""

    def write(self, text: str) -> None:
        """Keep the line in the place of the one before."""
        self.text = text


def _defused(text: str) -> str:
    # Apostrophes before a formula are counted too, else the way back could not tell them from ours.
    return f"'{text}" if _FORMULA.match(text) else text


def _armed(text: str) -> str:
    return text[1:] if text.startswith("'") and _FORMULA.match(text) else text
