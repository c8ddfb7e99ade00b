"""Labelled pairs of a file: our own format, a review export that people filled in, and vault_bench's."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from arbiter.domain.evidence import RecordPair, Side
from arbiter.domain.facts import Record
from arbiter.domain.vocabulary import Relation, SourceKind, UpdateKind
from arbiter.errors import InvalidRecordError
from arbiter.training.examples import Example, oriented
from arbiter.training.labels import record
from arbiter.training.pair_file import checked, json_rows, line_fault, read_pair_file, refuse

_BY_VAULT_LABEL = {
    "DUPLICATE": (Relation.DUPLICATE, None),
    "TEMPORAL_SUPERSESSION": (Relation.UPDATE, UpdateKind.STATE_CHANGE),
    "REFINEMENT": (Relation.UPDATE, UpdateKind.REFINEMENT),
    "CONTRADICTION": (Relation.CONTRADICTION, None),
    "INDEPENDENT": (Relation.COMPLEMENTARY, None),
}
"""Independent statements there are always about one subject: complementary by our guide."""


def read_examples(path: Path) -> list[Example]:
    """Read the labelled pairs of a file; ``pair_file`` says in which formats, and what was left out.

    Raises:
        ConfigurationError: the file cannot be read, or lines are no such pairs; names the file and the lines.
    """
    return read_pair_file(path).examples


def read_relations(path: Path) -> list[Example]:
    """Read pairs of subject, predicate and object that are labelled as vault_bench labels them.

    Raises:
        ConfigurationError: the file cannot be read, or lines are no such pairs; names the file and the lines.
    """
    examples: list[Example] = []
    faults: list[str] = []
    for number, row in json_rows(path):
        try:
            examples.append(_related(checked(row)))
        except InvalidRecordError as error:
            faults.append(line_fault(path, number, error.message))
    refuse(faults)
    return examples


def _related(row: Mapping[str, Any]) -> Example:
    label = str(row.get("label"))
    if label not in _BY_VAULT_LABEL:
        raise InvalidRecordError(f"label: {label!r} is none of {', '.join(_BY_VAULT_LABEL)}", field="label")
    relation, kind = _BY_VAULT_LABEL[label]
    a, b = _statement(row, "a"), _statement(row, "b")
    current: Side | None = "b" if relation is Relation.UPDATE else None
    return oriented(Example(RecordPair(a, b), relation, a.content, current, kind))


def _statement(row: Mapping[str, Any], name: str) -> Record:
    raw = row.get(f"{name}_raw")
    if not isinstance(raw, Mapping):
        raise InvalidRecordError(f"{name}_raw: is missing or no JSON object", field=f"{name}_raw")
    told = {
        "content": row.get(name),
        "source": {"id": "ledger", "kind": SourceKind.VERIFIED_OBSERVATION},
        "observed_at": raw.get("asserted_at"),
        "subject": raw.get("subject"),
        "claim_key": raw.get("predicate"),
        "value": raw.get("object"),
        "valid_from": raw.get("valid_from"),
        "valid_to": raw.get("valid_to"),
    }
    return record(told, name)
