"""Rows of labelled pairs: the format of the suites and of a user's own files, and what others write.

A row of ours is a JSON object with ``a`` and ``b`` (records as they are submitted; ``source`` may be just a
kind) and ``label``. It may have ``id``, ``group``, ``current``, ``update_kind``, ``stale_risk``,
``mutability``, ``stakes`` and ``phenomenon``; whatever else it holds is left alone. Also read are rows of
``arbiter review export`` that a person has ruled on, of vault_bench, and of the pairs made of BEAM.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from arbiter.domain.canonical import fingerprint
from arbiter.domain.evidence import RecordPair, Side
from arbiter.domain.facts import Record
from arbiter.domain.vocabulary import Mutability, Relation, Stakes, UpdateKind
from arbiter.errors import ConfigurationError
from arbiter.interchange.record_in import parse_record
from arbiter.training.examples import Example, oriented
from arbiter.training.read_pairs import read_examples, read_relations

_LATEST = datetime(9998, 1, 1, tzinfo=UTC)
_UNDATED = datetime(2026, 1, 1, tzinfo=UTC)
_BEAM_LABELS = {"knowledge_update": Relation.UPDATE, "contradiction": Relation.CONTRADICTION}


@dataclass(frozen=True, slots=True)
class LabelledPair:
    """One row: its id, what it belongs together with, and the pair with its labels, earlier record first.

    Rows of one ``group`` belong together. Those that name none belong together if they share their ``a``.
    """

    id: str
    group: str
    example: Example


def read_pairs(path: Path) -> list[LabelledPair]:
    """Read a file of labelled pairs, in any of the formats that are known.

    Raises:
        ConfigurationError: the file cannot be read, or a line is no labelled pair; names file and line.
    """
    rows = list(_rows(path))
    if not rows:
        raise ConfigurationError(f"{path.name} holds no pairs")
    first = rows[0][1]
    if "a_content" in first:
        return _numbered(path, read_examples(path))
    if "a_raw" in first:
        return _numbered(path, read_relations(path))
    parse = _undated if isinstance(first.get("a"), str) else _own
    return [_parsed(row, f"{path.name}:{number}", parse) for number, row in rows]


def read_record(raw: Mapping[str, Any]) -> Record:
    """Return a record as a suite has it, with a source or just its kind; no time is too late.

    Raises:
        InvalidRecordError: it is not valid; names the field.
    """
    source = raw["source"]
    named = source if isinstance(source, Mapping) else {"id": source, "kind": source}
    return parse_record({**raw, "source": named}, _LATEST)


def _rows(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{path} cannot be read: {error}") from error
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError as error:
            raise ConfigurationError(f"{path.name}:{number} is not JSON: {error}") from error
        if not isinstance(row, dict):
            raise ConfigurationError(f"{path.name}:{number} is not a JSON object")
        yield number, row


def _numbered(path: Path, examples: list[Example]) -> list[LabelledPair]:
    return [LabelledPair(f"{path.stem}-{n:04}", _group(e), e) for n, e in enumerate(examples, start=1)]


def _parsed(
    row: Mapping[str, Any], where: str, parse: Callable[[Mapping[str, Any]], Example]
) -> LabelledPair:
    try:
        example = oriented(parse(row))
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ConfigurationError(f"{where} is not a labelled pair: {error!r}") from error
    return LabelledPair(str(row.get("id") or where), str(row.get("group") or _group(example)), example)


def _group(example: Example) -> str:
    return fingerprint(example.anchor)


def _own(row: Mapping[str, Any]) -> Example:
    relation = Relation(row["label"])
    current = _side(row, "current")
    if relation is Relation.UPDATE and current is None:
        raise ValueError("an update names its current side: current is 'a' or 'b'")
    return Example(
        pair=RecordPair(read_record(row["a"]), read_record(row["b"])),
        relation=relation,
        anchor=row["a"]["content"],
        current=current,
        update_kind=UpdateKind(row["update_kind"]) if row.get("update_kind") else None,
        stale_risk=_side(row, "stale_risk"),
        mutability=Mutability(row["mutability"]) if row.get("mutability") else None,
        stakes=Stakes(row["stakes"]) if row.get("stakes") else None,
        phenomenon=row.get("phenomenon") or "",
    )


def _side(row: Mapping[str, Any], name: str) -> Side | None:
    sides: Mapping[str, Side] = {"a": "a", "b": "b"}
    return sides[row[name]] if row.get(name) else None


def _undated(row: Mapping[str, Any]) -> Example:
    """Read a pair made of BEAM. It gives no times: all are taken to lie a day apart, whatever the label."""
    relation = _BEAM_LABELS[row["label"]]
    told = ((row["a"], _UNDATED), (row["b"], _UNDATED + timedelta(days=1)))
    a, b = (
        read_record({"content": content, "source": "user_stated", "observed_at": at.isoformat()})
        for content, at in told
    )
    current: Side | None = "b" if relation is Relation.UPDATE else None
    return Example(RecordPair(a, b), relation, row["a"], current)
