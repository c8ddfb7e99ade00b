"""A file of labelled pairs as a whole: its pairs, what was left out and why, and all its faults at once."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arbiter.domain.evidence import RecordPair
from arbiter.errors import ConfigurationError, InvalidRecordError
from arbiter.interchange.review_csv import read_csv
from arbiter.training.examples import Example, oriented
from arbiter.training.exported import ruled_example
from arbiter.training.labels import labelled, record
from arbiter.training.read_streams import stream_rows

_SHOWN = 5


@dataclass(frozen=True, slots=True)
class FiledPair:
    """A labelled pair, and where it stands; ``id`` is what its row is called, if anything."""

    line: int
    id: str
    example: Example


@dataclass(frozen=True, slots=True)
class PairFile:
    """What a file holds: its pairs, how many rows were read, and how many make no pair, by the reason."""

    name: str
    pairs: tuple[FiledPair, ...]
    rows: int
    left_out: Mapping[str, int]

    @property
    def examples(self) -> list[Example]:
        """The pairs without their places."""
        return [pair.example for pair in self.pairs]

    @property
    def told(self) -> str:
        """How many rows were read, how many pairs they make, and what was left out."""
        return told_rows(self.name, self.rows, len(self.pairs), self.left_out)


def nothing_labelled(told: str) -> str:
    """Say that no row of what was read is labelled, and what would make one so."""
    return (
        f"no row is labelled, so there is nothing to learn or measure: {told}. A row is labelled by its "
        "label, or, in a review export, by a ruling such as keep_b or relabel"
    )


def told_rows(name: str, rows: int, pairs: int, left_out: Mapping[str, int]) -> str:
    """Say how many rows of a file were read, how many pairs they make, and what was left out and why."""
    reasons = ", ".join(f"{count} {reason}" for reason, count in sorted(left_out.items()))
    left = f"; {sum(left_out.values())} left out: {reasons}" if left_out else ""
    return f"{name}: {rows} rows read, {pairs} labelled pairs{left}"


def read_pair_file(path: Path) -> PairFile:
    """Read labelled pairs, a JSON object a line, or a review export as a table (``.csv``).

    A row has ``a``, ``b`` and ``label``, and may have ``current``, ``update_kind``, ``stale_risk``,
    ``mutability``, ``stakes`` and ``phenomenon``; or it is a row of ``arbiter review export`` with a ruling;
    or a stream of ``records`` with their ``relations``, which gives every pair of its records. Rows of an
    export without a ruling, or whose ruling gives no relation, are left out and counted.

    Raises:
        ConfigurationError: the file cannot be read, or rows are no such pairs; names the file, and the first
            lines that are at fault.
    """
    pairs: list[FiledPair] = []
    left_out: Counter[str] = Counter()
    faults: list[str] = []
    rows = 0
    for number, row in _rows(path):
        rows += 1
        try:
            for name, found in _examples(row):
                if isinstance(found, str):
                    left_out[found] += 1
                else:
                    pairs.append(FiledPair(number, name, found))
        except InvalidRecordError as error:
            faults.append(line_fault(path, number, error.message))
    refuse(faults)
    return PairFile(path.name, tuple(pairs), rows, dict(left_out))


def read_pair_files(paths: Iterable[Path], log: Callable[[str], None]) -> list[PairFile]:
    """Read files of labelled pairs; ``log`` hears which of them have rows that were left out.

    Raises:
        ConfigurationError: a file is at fault, or there are files and none of them holds a pair.
    """
    files = [read_pair_file(path) for path in paths]
    if files and not any(file.pairs for file in files):
        raise ConfigurationError(nothing_labelled("; ".join(file.told for file in files)))
    for file in files:
        if file.left_out:
            log(file.told)
    return files


def json_rows(path: Path) -> Iterator[tuple[int, object]]:
    """Yield (line, value) of a file with a JSON value a line; a value that is none is an error in its place.

    Raises:
        ConfigurationError: the file cannot be read.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="\n") as stream:
            # Statements may hold characters that other ways of splitting take for the end of a line.
            for number, line in enumerate(stream, start=1):
                if line.strip():
                    yield number, _value(line)
    except UnicodeDecodeError as error:
        raise ConfigurationError(f"{path.name} is not UTF-8") from error
    except OSError as error:
        raise ConfigurationError(f"{path} cannot be read: {error}") from error


def line_fault(path: Path, number: int, message: str) -> str:
    """Say what is wrong with a line."""
    return f"{path.name}:{number} is not a labelled pair: {message}"


def refuse(faults: Sequence[str]) -> None:
    """Make sure that there are no faults.

    Raises:
        ConfigurationError: there are some; lists the first and counts the others.
    """
    if faults:
        more = [f"{len(faults)} lines are at fault; these are the first {_SHOWN}"] * (len(faults) > _SHOWN)
        raise ConfigurationError("\n".join([*faults[:_SHOWN], *more]))


def checked(row: object) -> Mapping[str, Any]:
    """Return a row if it is a JSON object.

    Raises:
        InvalidRecordError: it is not.
    """
    if isinstance(row, InvalidRecordError):
        raise row
    if not isinstance(row, Mapping):
        raise InvalidRecordError("it is not a JSON object")
    return row


def _value(line: str) -> object:
    try:
        return json.loads(line)
    except ValueError as error:
        return InvalidRecordError(f"it is not JSON: {error}")


def _rows(path: Path) -> Iterator[tuple[int, object]]:
    if path.suffix.lower() != ".csv":
        yield from json_rows(path)
        return
    with path.open(encoding="utf-8", newline="") as stream:
        try:
            yield from read_csv(stream)
        except UnicodeDecodeError as error:
            raise ConfigurationError(f"{path.name} is not UTF-8; save it as CSV UTF-8") from error
        except ConfigurationError as error:
            raise ConfigurationError(f"{path.name}: {error.message}") from error


def _examples(value: object) -> Iterator[tuple[str, Example | str]]:
    """Yield what each row makes, with the row's own name; a stream makes many pairs."""
    row = checked(value)
    if "a_content" in row:
        yield str(row.get("review_id") or ""), ruled_example(row)
        return
    for single in _singles(row):
        a, b = record(single.get("a"), "a"), record(single.get("b"), "b")
        example = labelled(single, RecordPair(a, b), single.get("anchor") or a.content)
        yield str(single.get("id") or ""), oriented(example)


def _singles(row: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    if "records" not in row:
        yield row
        return
    try:
        yield from list(stream_rows(row))
    except KeyError as error:
        raise InvalidRecordError(f"it is not a stream of records: it lacks {error.args[0]}") from error
    except TypeError as error:
        raise InvalidRecordError("it is not a stream of records") from error
