"""Review items out as JSON Lines or CSV, filled in by people, and their rulings back in.

A row shows both sides as they are now and carries their digests, so that a ruling binds exactly what was
read. The last columns are left empty for the reviewer. Memory text is data: a cell that a spreadsheet
would read as a formula gets a leading apostrophe, which the way back takes off again.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, TextIO, TypeAlias

from arbiter.domain.facts import Fact, iso
from arbiter.domain.outcomes import ReviewItem
from arbiter.domain.vocabulary import Relation, RulingKind
from arbiter.errors import ConfigurationError, InvalidRecordError

Form: TypeAlias = Literal["jsonl", "csv"]
Row: TypeAlias = Mapping[str, object]

_SIDE = ("id", "content", "source", "observed_at", "digest")
ANSWER = ("ruling", "relabel", "reviewer", "reason")
"""The columns that a reviewer fills in."""
COLUMNS = (
    "review_id",
    "priority",
    "kind",
    "relation",
    "stakes",
    "question",
    "rule",
    *(f"a_{name}" for name in _SIDE),
    *(f"b_{name}" for name in _SIDE),
    "proposal",
    *ANSWER,
)
_NEEDED = ("review_id", "a_id", "a_digest", "b_id", "b_digest")
# No column of an export, but files of several namespaces, such as those of a scan, have it.
_NAMESPACE = "namespace"
_RULINGS = tuple(kind.value for kind in RulingKind if kind is not RulingKind.UNDO)
_RELATIONS = tuple(relation.value for relation in Relation)
# The characters by which spreadsheets tell a formula, the full-width ones of East Asian editions included.
_FORMULA = re.compile("'*[=+\\-@\t\r\n\uff1d\uff0b\uff0d\uff20]")


@dataclass(frozen=True, slots=True)
class ImportedRuling:
    """One ruling as a file has it; ``a`` and ``b`` are the facts as shown, ``seen`` their digests.

    ``namespace`` is None where the file does not say it.
    """

    line: int
    review_id: str
    a: str
    b: str
    seen: tuple[str, str]
    kind: RulingKind
    reviewer: str
    relabel: Relation | None = None
    reason: str = ""
    namespace: str | None = None


@dataclass(frozen=True, slots=True)
class RulingFault:
    """A line that holds no ruling that could be applied: which field is to blame, and why."""

    line: int
    review_id: str | None
    field: str | None
    message: str


def export_reviews(items: Iterable[ReviewItem], facts: Mapping[str, Fact], stream: TextIO, form: Form) -> int:
    """Write review items and return how many there were. ``facts`` holds both sides of each, by id.

    A CSV stream must be opened with ``newline=""``.
    """
    rows = [review_row(item, facts[item.a], facts[item.b]) for item in items]
    if form == "csv":
        write_csv(rows, stream)
    else:
        stream.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    return len(rows)


def import_rulings(stream: TextIO, form: Form, *, reviewer: str = "") -> list[ImportedRuling | RulingFault]:
    """Read rulings; rows that no ruling was filled in are left out. ``reviewer`` stands in for empty cells.

    Raises:
        ConfigurationError: the file as a whole is no such file, or is not UTF-8.
    """
    try:
        read = _csv_rows(stream) if form == "csv" else _json_rows(stream)
        found = [_parse(line, row, reviewer) for line, row in read]
    except UnicodeDecodeError as error:
        raise ConfigurationError("the file is not UTF-8; save it as CSV UTF-8") from error
    return [ruling for ruling in found if ruling is not None]


def review_row(item: ReviewItem, a: Fact, b: Fact) -> dict[str, object]:
    """Return one item as a row of an export, the reviewer's columns empty."""
    return {
        "review_id": item.id,
        "priority": item.priority,
        "kind": item.kind,
        "relation": item.relation and item.relation.value,
        "stakes": item.stakes.value,
        "question": item.question,
        "rule": item.rule,
        **_side("a", a),
        **_side("b", b),
        "proposal": item.proposal,
        **dict.fromkeys(ANSWER, ""),
    }


def write_csv(rows: Iterable[Row], stream: TextIO) -> None:
    """Write rows of ``COLUMNS``; None becomes an empty cell, and no cell a formula."""
    writer = csv.writer(stream)
    writer.writerow(COLUMNS)
    for row in rows:
        writer.writerow([_defused("" if row[name] is None else str(row[name])) for name in COLUMNS])


def read_csv(stream: TextIO) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield (line on which the row begins, its cells by column), the apostrophes of ``write_csv`` taken off.

    The separator may be a comma, a semicolon or a tab: spreadsheets save what their country uses.

    Raises:
        ConfigurationError: the columns are not those of an export, or the quoting is broken.
    """
    text = stream.read().removeprefix("\ufeff")
    first = text.partition("\n")[0]
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=max(",;\t", key=first.count), strict=True)
    try:
        header = next(reader, [])
        missing = [name for name in (*_NEEDED, "ruling") if name not in header]
        if missing:
            raise ConfigurationError(f"the file lacks the column(s) {', '.join(missing)} of an export")
        line = reader.line_num + 1
        for cells in reader:
            if any(cells):
                yield line, {n: _armed(c) for n, c in zip(header, cells, strict=False)}
            line = reader.line_num + 1
    except csv.Error as error:
        raise ConfigurationError(f"line {reader.line_num} is no CSV: {error}") from error


def _side(name: str, fact: Fact) -> dict[str, object]:
    sources = dict.fromkeys(f"{s.source.kind.value} {s.source.id}" for s in fact.sightings)
    return {
        f"{name}_id": fact.id,
        f"{name}_content": fact.content,
        f"{name}_source": "; ".join(sources),
        f"{name}_observed_at": iso(fact.first_seen),
        f"{name}_digest": fact.digest,
    }


def _defused(text: str) -> str:
    # Apostrophes before a formula are counted too, else the way back could not tell them from ours.
    return f"'{text}" if _FORMULA.match(text) else text


def _armed(text: str) -> str:
    return text[1:] if text.startswith("'") and _FORMULA.match(text) else text


def _csv_rows(stream: TextIO) -> Iterator[tuple[int, Row | str]]:
    yield from read_csv(stream)


def _json_rows(stream: TextIO) -> Iterator[tuple[int, Row | str]]:
    for number, line in enumerate(stream, start=1):
        text = line.removeprefix("\ufeff") if number == 1 else line
        if not text.strip():
            continue
        try:
            row = json.loads(text)
        except (ValueError, RecursionError) as error:
            yield number, f"not JSON: {error}"
        else:
            yield number, row if isinstance(row, dict) else "a row is a JSON object"


def _parse(line: int, row: Row | str, reviewer: str) -> ImportedRuling | RulingFault | None:
    """Return the ruling of a row, what is wrong with it, or None where none was filled in."""
    if isinstance(row, str):
        return RulingFault(line, None, None, row)
    try:
        return _ruling(line, _cells(row), reviewer)
    except InvalidRecordError as error:
        named = row.get("review_id")
        review_id = named if isinstance(named, str) and named else None
        return RulingFault(line, review_id, error.field, error.message)


def _cells(row: Row) -> dict[str, str]:
    cells: dict[str, str] = {}
    for name in (*_NEEDED, *ANSWER, _NAMESPACE):
        value = row.get(name)
        if value is not None and not isinstance(value, str):
            raise InvalidRecordError("is not text", field=name)
        cells[name] = (value or "").strip()
    return cells


def _ruling(line: int, cells: Mapping[str, str], reviewer: str) -> ImportedRuling | None:
    if not cells["ruling"]:
        if cells["relabel"]:
            raise InvalidRecordError("is empty, though relabel is filled in", field="ruling")
        return None
    missing = next((name for name in _NEEDED if not cells[name]), None)
    if missing is None and not (cells["reviewer"] or reviewer):
        missing = "reviewer"
    if missing is not None:
        raise InvalidRecordError("is missing", field=missing)
    kind = RulingKind(_one_of(_RULINGS, "ruling", cells))
    relabel = Relation(_one_of(_RELATIONS, "relabel", cells)) if cells["relabel"] else None
    if (kind is RulingKind.RELABEL) != (relabel is not None):
        raise InvalidRecordError("a relabel, and nothing else, names a relation", field="relabel")
    return ImportedRuling(
        line=line,
        review_id=cells["review_id"],
        a=cells["a_id"],
        b=cells["b_id"],
        seen=(cells["a_digest"], cells["b_digest"]),
        kind=kind,
        reviewer=cells["reviewer"] or reviewer,
        relabel=relabel,
        reason=cells["reason"],
        namespace=cells[_NAMESPACE] or None,
    )


def _one_of(words: tuple[str, ...], name: str, cells: Mapping[str, str]) -> str:
    word = cells[name].casefold().replace("-", "_")
    if word not in words:
        raise InvalidRecordError(f"{cells[name]!r} is none of {', '.join(words)}", field=name)
    return word
