"""Files that a scan leaves behind: whole or not at all, one JSON value a line."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from arbiter.domain.evidence import Judgement
from arbiter.domain.facts import Fact
from arbiter.domain.outcomes import ReviewItem
from arbiter.interchange.review_rows import review_row

RECEIPTS = "receipts.jsonl"
FACTS = "facts.jsonl"
REVIEW = "review.jsonl"
SUMMARY = "summary.json"
REPORT = "report.html"
ALL = (RECEIPTS, FACTS, REVIEW, SUMMARY, REPORT)
# They can only stand inside strings of JSON.
_LINE_ENDS = {ord(char): f"\\u{ord(char):04x}" for char in "\u0085\u2028\u2029"}


def opened(path: Path) -> TextIO:
    """Open a file to write text to. A lone surrogate is written as its JSON escape.

    Raises:
        OSError: it cannot be opened.
    """
    return path.open("w", encoding="utf-8", errors="backslashreplace", newline="\n")


def json_line(value: Mapping[str, object]) -> str:
    """Return a value as one line of JSON Lines, also for readers that know other line ends than these."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    return (text if text.isascii() else text.translate(_LINE_ENDS)) + "\n"


def review_line(item: ReviewItem, a: Fact, b: Fact, found: Judgement | None) -> str:
    """Return an open question as a line of review.jsonl: a row that ``arbiter review import`` reads back."""
    return json_line({"namespace": a.namespace, **review_row(item, a, b, found=found)})


def prepare(folder: Path) -> None:
    """Make the folder and take out what an earlier scan left in it, so that it never holds two scans mixed.

    Raises:
        OSError: the folder cannot be made or written to.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for name in ALL:
        (folder / name).unlink(missing_ok=True)


@contextmanager
def replacing(path: Path) -> Iterator[TextIO]:
    """Open a file that appears under its name only when the block ended well.

    Raises:
        OSError: it cannot be written; nothing is left behind.
    """
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        with opened(partial) as stream:
            yield stream
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def write_whole(path: Path, text: str) -> None:
    """Write a file at once.

    Raises:
        OSError: it cannot be written; what was there stays.
    """
    with replacing(path) as stream:
        stream.write(text)


def write_reviews(rows: Iterable[tuple[ReviewItem, Fact, Fact, Judgement | None]], stream: TextIO) -> int:
    """Write open questions, with what was found of them, as JSON Lines and return how many there were."""
    count = 0
    for count, (item, a, b, found) in enumerate(rows, start=1):  # noqa: B007  the last count is the answer
        stream.write(review_line(item, a, b, found))
    return count
