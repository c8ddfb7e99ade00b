"""Reviews out to files and other tools, and what people answered there back in.

Every form writes text piece by piece and reads bytes, so that neither way holds a whole file of statements.
What comes back is read to its end before anything is applied: a file that is broken as a whole does nothing.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, BinaryIO, Literal, TypeAlias, cast

from arbiter.domain.ruled import SettledPair
from arbiter.errors import ConfigurationError
from arbiter.interchange import argilla, label_studio
from arbiter.interchange.json_reader import json_array_items, json_line_items
from arbiter.interchange.lines import Item
from arbiter.interchange.outputs import json_line
from arbiter.interchange.review_answers import ImportedRuling, RulingFault, parse_answer
from arbiter.interchange.review_csv import csv_lines, read_csv
from arbiter.interchange.review_rows import settled_row, view_row
from arbiter.interchange.training_rows import training_row

if TYPE_CHECKING:
    from arbiter.pipeline.review_view import ReviewView

OpenForm: TypeAlias = Literal[
    "jsonl", "csv", "label-studio", "label-studio-config", "argilla", "argilla-settings"
]
"""The forms of what waits for a person; the last word of a name says what of a tool's files it is."""
SettledForm: TypeAlias = Literal["jsonl", "csv", "training"]
"""The forms of what people settled."""
ImportForm: TypeAlias = Literal["jsonl", "csv", "label-studio", "argilla"]
"""The forms in which answers come back."""

_NDJSON = "application/x-ndjson"
MEDIA_TYPES: Mapping[OpenForm | SettledForm, str] = {
    "jsonl": _NDJSON,
    "csv": "text/csv",
    "label-studio": "application/json",
    "label-studio-config": "application/xml",
    "argilla": "application/json",
    "argilla-settings": "application/json",
    "training": _NDJSON,
}
SUFFIXES: Mapping[OpenForm | SettledForm, str] = {
    "jsonl": "jsonl",
    "csv": "csv",
    "label-studio": "json",
    "label-studio-config": "xml",
    "argilla": "json",
    "argilla-settings": "json",
    "training": "jsonl",
}
_WITHOUT_ITEMS = ("label-studio-config", "argilla-settings")
_SPACE = re.compile(rb"(?:\xef\xbb\xbf)?\s*")


def holds_items(form: OpenForm) -> bool:
    """Does a form hold review items, or only what a tool must know to show them?"""
    return form not in _WITHOUT_ITEMS


def export_open(views: Iterable[ReviewView], form: OpenForm) -> Iterator[str]:
    """Yield the pieces of a file of what waits for a person; line ends are written as they are yielded."""
    match form:
        case "jsonl":
            return (json_line(view_row(view)) for view in views)
        case "csv":
            return csv_lines(view_row(view) for view in views)
        case "label-studio":
            return label_studio.tasks_text(views)
        case "label-studio-config":
            return iter([label_studio.labelling_config()])
        case "argilla":
            return argilla.records_text(views)
        case "argilla-settings":
            return iter([argilla.settings_text()])


def export_settled(pairs: Iterable[SettledPair], form: SettledForm) -> Iterator[str]:
    """Yield the pieces of a file of what people settled, their rulings filled in.

    ``training`` has the pairs of which a ruling says how they relate, as ``arbiter judge train`` reads them.
    """
    match form:
        case "jsonl":
            return (json_line(settled_row(pair)) for pair in pairs)
        case "csv":
            return csv_lines(settled_row(pair) for pair in pairs)
        case "training":
            rows = (training_row(pair) for pair in pairs)
            return (json_line(row) for row in rows if row is not None)


def read_rulings(
    stream: BinaryIO, form: ImportForm, *, reviewer: str = "", users: Mapping[str, str] | None = None
) -> list[ImportedRuling | RulingFault]:
    """Read what people answered; what nobody answered is left out.

    Args:
        stream: the file.
        form: how it is written. Files of tools are arrays, or one element a line.
        reviewer: who decided, where an answer does not say it.
        users: names of reviewers by the user ids or addresses of a tool. Where it is given, answers of
            others are faults; else they are told as tool and id.

    Raises:
        ConfigurationError: the file as a whole is no such file, or is not UTF-8.
    """
    match form:
        case "jsonl":
            return _rows(json_line_items(stream), reviewer)
        case "csv":
            return _table(stream, reviewer)
        case "label-studio":
            return list(label_studio.annotation_answers(_elements(stream), reviewer=reviewer, users=users))
        case "argilla":
            return list(argilla.response_answers(_elements(stream), reviewer=reviewer, users=users))


def _rows(items: Iterable[Item], reviewer: str) -> list[ImportedRuling | RulingFault]:
    found: list[ImportedRuling | RulingFault | None] = []
    for line, row, problem in items:
        if problem is not None:
            found.append(RulingFault(line, None, None, problem.message))
        elif not isinstance(row, dict):
            found.append(RulingFault(line, None, None, "a row is a JSON object"))
        else:
            found.append(parse_answer(line, row, reviewer))
    return [answer for answer in found if answer is not None]


def _table(stream: BinaryIO, reviewer: str) -> list[ImportedRuling | RulingFault]:
    text = io.TextIOWrapper(stream, encoding="utf-8", newline="")
    try:
        found = [parse_answer(line, cells, reviewer) for line, cells in read_csv(text)]
    except UnicodeDecodeError as error:
        raise ConfigurationError("the file is not UTF-8; save it as CSV UTF-8") from error
    finally:
        # The stream is the caller's.
        text.detach()
    return [answer for answer in found if answer is not None]


def _elements(stream: BinaryIO) -> Iterator[Item]:
    """Yield the elements of an array, or of lines where the file begins with an object."""
    reader: io.BufferedReader = io.BufferedReader(cast("io.RawIOBase", stream))
    try:
        beginning = _SPACE.sub(b"", reader.peek(), count=1)
        yield from json_line_items(reader) if beginning.startswith(b"{") else json_array_items(reader)
    finally:
        # The stream is the caller's.
        reader.detach()
