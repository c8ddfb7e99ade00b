"""Rows of labelled pairs: the format of the suites and of a user's own files, and what others write.

A row of ours is a JSON object with ``a`` and ``b`` (records as they are submitted; ``source`` may be just a
kind) and ``label``. It may have ``id``, ``group``, ``current``, ``update_kind``, ``stale_risk``,
``mutability``, ``stakes`` and ``phenomenon``; whatever else it holds is left alone. Also read are rows of
``arbiter review export`` that a person has ruled on (as JSON Lines or CSV), of vault_bench, and of the pairs
made of BEAM.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from arbiter.domain.canonical import fingerprint
from arbiter.domain.evidence import RecordPair, Side
from arbiter.domain.facts import Record
from arbiter.domain.vocabulary import Relation
from arbiter.errors import ConfigurationError, InvalidRecordError
from arbiter.interchange.record_in import parse_record
from arbiter.training.examples import Example, oriented
from arbiter.training.labels import labelled
from arbiter.training.pair_file import checked, json_rows, line_fault, read_pair_file, refuse
from arbiter.training.read_pairs import read_relations

_LATEST = datetime(9998, 1, 1, tzinfo=UTC)
_UNDATED = datetime(2026, 1, 1, tzinfo=UTC)
_NO_SIDE = "an update of which nobody said which side is current"
_BEAM_LABELS = {"knowledge_update": Relation.UPDATE, "contradiction": Relation.CONTRADICTION}


@dataclass(frozen=True, slots=True)
class LabelledPair:
    """One row: its id, what it belongs together with, and the pair with its labels, earlier record first.

    Rows of one ``group`` belong together. Those that name none belong together if they share their ``a``.
    """

    id: str
    group: str
    example: Example


@dataclass(frozen=True, slots=True)
class PairRows:
    """What a file holds: its pairs, how many rows were read, and how many were left out, by the reason."""

    pairs: tuple[LabelledPair, ...]
    rows: int
    left_out: Mapping[str, int]


def read_pairs(path: Path) -> list[LabelledPair]:
    """Read the pairs of a file, in any of the formats that are known.

    Raises:
        ConfigurationError: the file cannot be read, or lines are no labelled pairs; names file and lines.
    """
    return list(read_pair_rows(path).pairs)


def read_pair_rows(path: Path) -> PairRows:
    """Read a file of labelled pairs, in any of the formats that are known, and count what is left out.

    Rows of an export are left out whose ruling does not say how the sides relate, or of an update which side
    is current.

    Raises:
        ConfigurationError: the file cannot be read, or lines are no labelled pairs; names file and lines.
    """
    if path.suffix.lower() == ".csv":
        return _exported(path)
    rows = list(json_rows(path))
    if not rows:
        raise ConfigurationError(f"{path.name} holds no pairs")
    first = rows[0][1] if isinstance(rows[0][1], Mapping) else {}
    if "a_content" in first:
        return _exported(path)
    if "a_raw" in first:
        return PairRows(tuple(_numbered(path, read_relations(path))), len(rows), {})
    return _parsed(path, rows, _undated if isinstance(first.get("a"), str) else _own)


def read_record(raw: Mapping[str, Any]) -> Record:
    """Return a record as a suite has it, with a source or just its kind; no time is too late.

    Raises:
        InvalidRecordError: it is not valid; names the field.
    """
    source = raw.get("source")
    named = {"source": {"id": source, "kind": source}} if isinstance(source, str) else {}
    return parse_record({**raw, **named}, _LATEST)


def _numbered(path: Path, examples: list[Example]) -> list[LabelledPair]:
    return [LabelledPair(f"{path.stem}-{n:04}", _group(e), e) for n, e in enumerate(examples, start=1)]


def _exported(path: Path) -> PairRows:
    file = read_pair_file(path)
    left_out = Counter(file.left_out)
    often = Counter(pair.id for pair in file.pairs)
    pairs: list[LabelledPair] = []
    for pair in file.pairs:
        if _without_side(pair.example):
            left_out[_NO_SIDE] += 1
        else:
            name = pair.id if pair.id and often[pair.id] == 1 else f"{path.name}:{pair.line}"
            pairs.append(LabelledPair(name, _group(pair.example), pair.example))
    return PairRows(tuple(pairs), file.rows, dict(left_out))


def _parsed(
    path: Path, rows: Sequence[tuple[int, object]], parse: Callable[[Mapping[str, Any]], Example]
) -> PairRows:
    pairs: list[LabelledPair] = []
    left_out: Counter[str] = Counter()
    faults: list[str] = []
    for number, value in rows:
        try:
            row = checked(value)
            example = oriented(parse(row))
            if _without_side(example):
                _blame(row)
                left_out[_NO_SIDE] += 1
                continue
        except InvalidRecordError as error:
            faults.append(line_fault(path, number, error.message))
            continue
        name = str(row.get("id") or f"{path.name}:{number}")
        pairs.append(LabelledPair(name, str(row.get("group") or _group(example)), example))
    refuse(faults)
    return PairRows(tuple(pairs), len(rows), dict(left_out))


def _without_side(example: Example) -> bool:
    return example.relation is Relation.UPDATE and example.current is None


def _blame(row: Mapping[str, Any]) -> None:
    """Make sure that an update without a side comes from a ruling, which need not say it.

    Raises:
        InvalidRecordError: it does not.
    """
    if not row.get("ruling"):
        raise InvalidRecordError("current: an update names its current side, a or b", field="current")


def _group(example: Example) -> str:
    return fingerprint(example.anchor)


def _own(row: Mapping[str, Any]) -> Example:
    pair = RecordPair(_side(row, "a"), _side(row, "b"))
    return labelled(row, pair, pair.a.content)


def _side(row: Mapping[str, Any], name: str) -> Record:
    raw = row.get(name)
    if not isinstance(raw, Mapping):
        raise InvalidRecordError(f"{name}: is missing or no record, a JSON object", field=name)
    try:
        return read_record(raw)
    except InvalidRecordError as error:
        raise InvalidRecordError(f"{name}.{error.message}", field=f"{name}.{error.field}") from error


def _undated(row: Mapping[str, Any]) -> Example:
    """Read a pair made of BEAM. It gives no times: all are taken to lie a day apart, whatever the label."""
    relation = _BEAM_LABELS.get(row.get("label") or "")
    if relation is None:
        raise InvalidRecordError(
            f"label: {row.get('label')!r} is none of {', '.join(_BEAM_LABELS)}", field="label"
        )
    told = (("a", _UNDATED), ("b", _UNDATED + timedelta(days=1)))
    a, b = (
        _side(
            {name: {"content": row.get(name), "source": "user_stated", "observed_at": at.isoformat()}}, name
        )
        for name, at in told
    )
    current: Side | None = "b" if relation is Relation.UPDATE else None
    return Example(RecordPair(a, b), relation, a.content, current)
