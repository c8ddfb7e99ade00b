"""The scenario streams: histories of one namespace each, with what their authors expect at the end."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from arbiter.domain.evidence import RecordPair
from arbiter.domain.facts import Record
from arbiter.domain.vocabulary import Mutability, Relation, Stakes, UpdateKind
from arbiter.errors import ConfigurationError
from arbiter.training.examples import Example, oriented
from evals.pair_rows import LabelledPair, read_record
from evals.suite_files import FOLDER

STREAMS = FOLDER / "streams_dev.jsonl"

# The streams name relations, but neither stakes nor mutability: both are read from what their authors wrote
# about a pair, with these exceptions.
_STABLE = {("sd-12", "r05"), ("sd-13", "r01"), ("sd-24", "r27")}
_MUTABLE = {("sd-01", "r12"), ("sd-15", "r19")}
_NORMAL_STAKES = ("immutable", "stable", "an inference", "the later title")


@dataclass(frozen=True)
class Stream:
    """One scenario: its records by handle, in the order in which they arrive, and what is expected."""

    id: str
    records: Mapping[str, Record]
    expected: Mapping[str, Any]

    @cached_property
    def replays(self) -> frozenset[str]:
        """The handles of records that only say again what another one said; they have no state."""
        return frozenset(item["rid"] for item in self.expected["replays"])

    @cached_property
    def contested(self) -> frozenset[frozenset[str]]:
        """The pairs of handles that both stay visible, marked."""
        return frozenset(frozenset(two) for two in self.expected["contested"])

    @cached_property
    def asked(self) -> frozenset[frozenset[str]]:
        """The pairs of handles about which a person must be asked."""
        return frozenset(frozenset(item["pair"]) for item in self.expected["review"])

    def expected_state(self, rid: str) -> tuple[str, str | None, bool]:
        """Return (state word, successor, contested) of a record that is no replay.

        The words are active, superseded, merged (a duplicate, kept under another wording) and tombstoned.
        """
        contested = any(rid in two for two in self.contested)
        for word in ("superseded", "merged", "tombstoned"):
            if rid in self.expected[word]:
                return word, self.expected[word][rid], contested
        return "active", None, contested

    def label(self, item: Mapping[str, Any]) -> Example:
        """Return one listed pair with its labels, earlier record first; of an update the later one stays."""
        why = item["why"]
        relation = Relation(item["relation"])
        kind = None
        if relation is Relation.UPDATE:
            named = [k for k in (UpdateKind.CORRECTION, UpdateKind.REFINEMENT) if why.startswith(k.value)]
            kind = named[0] if named else UpdateKind.STATE_CHANGE
        asked = {frozenset(r["pair"]): r["why"] for r in self.expected["review"]}
        review = asked.get(frozenset((item["a"], item["b"])), "")
        handles = {(self.id, item["a"]), (self.id, item["b"])}
        mutability = Mutability.MUTABLE
        if relation is Relation.CONTRADICTION and not handles & _MUTABLE:
            mutability = Mutability.STABLE if handles & _STABLE else Mutability.IMMUTABLE
        a, b = self.records[item["a"]], self.records[item["b"]]
        in_order = oriented(Example(RecordPair(a, b), relation, a.content))
        return Example(
            pair=in_order.pair,
            relation=relation,
            anchor=self.id,
            current="b" if kind else None,
            update_kind=kind,
            mutability=mutability,
            stakes=Stakes.HIGH if review and not review.startswith(_NORMAL_STAKES) else Stakes.NORMAL,
        )


def load_streams(path: Path = STREAMS) -> list[Stream]:
    """Return every scenario of a file.

    Raises:
        ConfigurationError: the file cannot be read, or a line is no scenario; names the line.
    """
    return list(_streams(path))


def labelled_pairs(path: Path = STREAMS) -> list[LabelledPair]:
    """Return the pairs that the authors of the streams labelled; a stream's pairs belong together."""
    return [
        LabelledPair(f"{stream.id}:{item['a']}-{item['b']}", stream.id, stream.label(item))
        for stream in load_streams(path)
        for item in stream.expected["pairs"]
    ]


def _streams(path: Path) -> Iterator[Stream]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{path} cannot be read: {error}") from error
    for number, line in enumerate(lines, start=1):
        try:
            raw = json.loads(line)
            records = {row["rid"]: _record(row, raw["id"]) for row in raw["records"]}
            yield Stream(raw["id"], records, raw["expected"])
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise ConfigurationError(f"{path.name}:{number} is not a stream: {error!r}") from error


def _record(row: Mapping[str, Any], namespace: str) -> Record:
    told = {name: value for name, value in row.items() if name != "rid"}
    return read_record({**told, "namespace": namespace})
