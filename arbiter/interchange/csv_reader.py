"""Reads tables of records: CSV with a header of the record's field names.

Nested fields are dotted (``source.id``, ``metadata.page``), ``tags`` are separated by ``;``, an empty
cell is an absent field. Columns may be separated by comma, semicolon or tab.
"""

from __future__ import annotations

import csv
import difflib
import io
from collections import Counter
from collections.abc import Iterator, Sequence

from arbiter.domain.outcomes import Reason
from arbiter.errors import ConfigurationError
from arbiter.interchange.faults import spelt
from arbiter.interchange.lines import TOO_LONG, Item, numbered_lines
from arbiter.interchange.record_in import RecordIn, SourceIn

_DELIMITERS = ",;\t"
_METADATA = "metadata."
_SHOWN_FAULTS = 10
_REQUIRED = ("content", "source.id", "source.kind", "observed_at")
COLUMNS = (
    *(name for name in RecordIn.model_fields if name not in {"source", "metadata"}),
    *(f"source.{name}" for name in SourceIn.model_fields),
)
"""The names that a column may have, beside those that begin with ``metadata.``."""

_KNOWN = frozenset(COLUMNS)


def looks_like_header(line: bytes) -> bool:
    """Does a line name at least one of a record's columns?"""
    text = line.decode(errors="replace")
    try:
        return not _KNOWN.isdisjoint(_split(text, _delimiter(text)))
    except csv.Error:
        return False


def csv_items(stream: io.BufferedReader) -> Iterator[Item]:
    """Yield each row as a record in the submitted shape; rows without any text are none.

    Raises:
        ConfigurationError: the header cannot be read, or has unknown, repeated or missing columns.
    """
    lines = _TextLines(stream)
    try:
        header = next((line for line in lines if line.strip()), None)
        if header is None:
            return
        delimiter = _delimiter(header)
        columns = _checked_columns(_split(header, delimiter))
    except (_UnreadableLineError, csv.Error) as error:
        raise ConfigurationError(f"the header, line {lines.number}, cannot be read: {error}") from error
    rows = csv.reader(lines, delimiter=delimiter, skipinitialspace=True, strict=True)
    while True:
        first_line = lines.number + 1
        try:
            cells = next(rows)
        except StopIteration:
            return
        except _UnreadableLineError as error:
            yield lines.number, None, error.reason
        except csv.Error as error:
            yield first_line, None, Reason("not_csv", f"not CSV: {error}")
        else:
            if any(cell.strip() for cell in cells):
                yield first_line, *_record(columns, cells)


def _record(columns: Sequence[str], cells: Sequence[str]) -> tuple[object | None, Reason | None]:
    if len(cells) != len(columns):
        return None, Reason("not_csv", f"the row has {len(cells)} cells, the header {len(columns)}")
    record: dict[str, object] = {}
    nested: dict[str, dict[str, str]] = {}
    for column, cell in zip(columns, cells, strict=True):
        outer, dot, inner = column.partition(".")
        if not cell.strip():
            continue
        if dot:
            nested.setdefault(outer, {})[inner] = cell
        elif column == "tags":
            record[column] = [tag.strip() for tag in cell.split(";") if tag.strip()]
        else:
            record[column] = _number(cell) if column == "confidence" else cell
    return record | nested, None


def _number(cell: str) -> float | str:
    try:
        return float(cell)
    except ValueError:
        return cell  # the check of the record says what is wrong with it


def _checked_columns(columns: Sequence[str]) -> Sequence[str]:
    unknown = [c for c in columns if c not in _KNOWN and not (c.startswith(_METADATA) and c != _METADATA)]
    faults = [_unknown(column) for column in unknown[:_SHOWN_FAULTS]]
    if len(unknown) > _SHOWN_FAULTS:
        faults.append(f"and {len(unknown) - _SHOWN_FAULTS} more unknown columns")
    twice = sorted(name for name, times in Counter(columns).items() if times > 1)
    faults += [f"column {spelt(name)!r} stands twice" for name in twice[:_SHOWN_FAULTS]]
    faults += [f"column {name!r} is missing" for name in _REQUIRED if name not in columns]
    if faults:
        raise ConfigurationError("\n".join(faults))
    return columns


def _unknown(column: str) -> str:
    name = spelt(column)
    near = difflib.get_close_matches(name, COLUMNS, n=2)
    hint = f"did you mean {' or '.join(near)}?" if near else f"your own are named {_METADATA}{name}"
    return f"no such column: {name!r}; {hint}"


def _delimiter(header: str) -> str:
    """Return the delimiter by which most of the cells are names of columns."""
    return max(_DELIMITERS, key=lambda delimiter: len(_KNOWN.intersection(_split(header, delimiter))))


def _split(header: str, delimiter: str) -> list[str]:
    cells = next(csv.reader([header], delimiter=delimiter, skipinitialspace=True), [])
    return [cell.strip() for cell in cells]


class _UnreadableLineError(Exception):
    """A line that cannot be given to the CSV reader."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason.message)
        self.reason = reason


class _TextLines:
    """The lines of a stream as text. It goes on after a line that it raised for, as a generator cannot."""

    def __init__(self, stream: io.BufferedReader) -> None:
        self.number = 0
        self._lines = numbered_lines(stream)

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        self.number, line = next(self._lines)
        if line is None:
            raise _UnreadableLineError(TOO_LONG)
        try:
            return line.decode()
        except UnicodeDecodeError as error:
            reason = Reason("not_utf8", f"byte {error.start + 1} of the line is not UTF-8")
            raise _UnreadableLineError(reason) from error
