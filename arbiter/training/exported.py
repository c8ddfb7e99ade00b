"""Rows of a review export, read as far as their rulings say how the two sides relate."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from arbiter.domain.evidence import RecordPair
from arbiter.domain.facts import Record
from arbiter.domain.ruled import RuledRelation, ruled_relation
from arbiter.domain.vocabulary import Relation, RulingKind, Stakes, UpdateKind
from arbiter.training.examples import Example, oriented
from arbiter.training.labels import known, record, side, word

UNRULED = "without a ruling"
"""Why a row that nobody answered is left out."""

_FIELDS = ("content", "observed_at", "subject", "claim_key", "value", "valid_from", "valid_to")


def ruled_example(row: Mapping[str, Any]) -> Example | str:
    """Return the labelled pair that a row makes, or why it makes none, to be read after a count.

    Raises:
        InvalidRecordError: a cell is not what it should be; names the column and what it may be.
    """
    answered = {name: _as_word(row[name]) for name in ("ruling", "relabel") if row.get(name)}
    ruling = known(answered, "ruling", RulingKind)
    if ruling is None:
        return UNRULED
    read = word if ruling is RulingKind.RELABEL else known
    relabel = read(answered, "relabel", Relation)
    proposed = known(row, "relation", Relation)
    found = None
    if proposed is not None:
        found = RuledRelation(
            proposed, side(row, "current"), known(row, "update_kind", UpdateKind), side(row, "stale_risk")
        )
    a, b = _exported(row, "a"), _exported(row, "b")
    told = ruled_relation(ruling, relabel, found)
    if told is None:
        return f"ruled {ruling} of {_proposal(found)}, which does not say how the sides relate"
    return oriented(
        Example(
            pair=RecordPair(a, b),
            relation=told.relation,
            anchor=a.content,
            current=told.current,
            update_kind=told.update_kind,
            stale_risk=told.stale_risk,
            stakes=known(row, "stakes", Stakes),
        )
    )


def _proposal(found: RuledRelation | None) -> str:
    if found is None:
        return "a pair that nobody could judge"
    return {"a": "an update to A", "b": "an update to B"}.get(
        found.current or "", f"a pair taken for {found.relation}"
    )


def _exported(row: Mapping[str, Any], name: str) -> Record:
    """Return a side; of several sources the first. Subject, key and value are read where there are any."""
    kind, _, source = str(row.get(f"{name}_source") or "").partition(";")[0].partition(" ")
    return record(
        {
            **{field: row.get(f"{name}_{field}") for field in _FIELDS},
            "source": {"kind": kind, "id": source},
        },
        name,
    )


def _as_word(cell: object) -> object:
    """Return a word as people may have written it in a table."""
    return cell.strip().casefold().replace("-", "_").replace(" ", "_") if isinstance(cell, str) else cell
