"""Records read out of files: JSON Lines, JSON arrays and CSV, as streams of bounded memory.

A reader never stops at a bad line: what cannot be read becomes a ``RawRecord`` with the reason and its
line number, and the rest goes on. Only a file that cannot be understood as a whole is an error.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from arbiter.domain.outcomes import Reason
from arbiter.errors import ConfigurationError
from arbiter.interchange.csv_reader import csv_items, looks_like_header
from arbiter.interchange.json_reader import json_array_items, json_line_items

STDIN = "-"
FORMATS = ("auto", "jsonl", "json", "csv")

_READERS = {"jsonl": json_line_items, "json": json_array_items, "csv": csv_items}
_BY_SUFFIX = {".jsonl": "jsonl", ".ndjson": "jsonl", ".csv": "csv", ".tsv": "csv"}
_UTF8_BOM = b"\xef\xbb\xbf"
_UTF16_BOMS = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True, slots=True)
class RawRecord:
    """One record as it was read, not checked yet.

    ``index`` counts the records of one file from 0, ``line`` its lines from 1. ``data`` is None where
    ``problem`` says why it could not be read.
    """

    index: int
    line: int
    data: object | None
    problem: Reason | None = None


def read_records(path: str | Path, file_format: str = "auto") -> Iterator[RawRecord]:
    """Yield the records of a file, or of standard input for ``-``; blank lines are none.

    ``auto`` goes by the file's extension, else by how it begins; ``jsonl`` is one JSON object a line,
    ``json`` an array of them, ``csv`` a table with a header.

    Raises:
        ConfigurationError: the file cannot be opened, is not UTF-8 by its first bytes, or is a table
            whose columns are not those of records. Raised when the first record is asked for.
    """
    with _opened(path) as stream:
        chosen = _detected(stream, str(path)) if file_format == "auto" else file_format
        for index, (line, data, problem) in enumerate(_READERS[chosen](stream)):
            yield RawRecord(index, line, data, problem)


def check_readable(paths: Iterable[str | Path], file_format: str = "auto") -> None:
    """See that files can be read as records, before anything is done with any of them.

    Of standard input the beginning is looked at where that takes nothing from it. Pipes and the like are
    left alone: what is read from them is gone.

    Raises:
        ConfigurationError: as ``read_records``.
    """
    for path in paths:
        if str(path) == STDIN:
            _check_beginning(sys.stdin.buffer, file_format)
        elif Path(path).is_file() or Path(path).is_dir() or not Path(path).exists():
            next(read_records(path, file_format), None)


def _check_beginning(stream: object, file_format: str) -> None:
    if not isinstance(stream, io.BufferedReader):
        return
    chosen = _detected(stream, STDIN) if file_format == "auto" else file_format
    beginning = stream.peek()
    # Of a header that has not arrived as a whole nothing can be told yet.
    if chosen == "csv" and b"\n" in beginning.lstrip():
        next(_READERS[chosen](io.BufferedReader(io.BytesIO(beginning))), None)


@contextmanager
def _opened(path: str | Path) -> Iterator[io.BufferedReader]:
    if str(path) == STDIN:
        stdin = sys.stdin.buffer
        yield stdin if isinstance(stdin, io.BufferedReader) else io.BufferedReader(io.BytesIO(stdin.read()))
        return
    with ExitStack() as stack:
        try:
            stream = stack.enter_context(Path(path).open("rb"))
        except OSError as error:
            raise ConfigurationError(f"{path} cannot be read: {error.strerror}") from error
        yield stream


def _detected(stream: io.BufferedReader, name: str) -> str:
    """Return the format of a stream without taking anything from it."""
    beginning = stream.peek()
    if beginning.startswith(_UTF16_BOMS):
        raise ConfigurationError(f"{name} is UTF-16; records are read as UTF-8")
    text = beginning.removeprefix(_UTF8_BOM).lstrip()
    first_line = text.partition(b"\n")[0].rstrip()
    suffix = Path(name).suffix.lower()
    if suffix in _BY_SUFFIX and first_line != b"[":
        return _BY_SUFFIX[suffix]
    if text.startswith(b"["):
        return "json"
    return "csv" if looks_like_header(first_line) else "jsonl"
