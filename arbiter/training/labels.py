"""The fields of a labelled pair, read so that a fault names its field and what would be right."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, TypeVar

from arbiter.domain.evidence import RecordPair, Side
from arbiter.domain.facts import Record, Source
from arbiter.domain.vocabulary import Mutability, Relation, SourceKind, Stakes, UpdateKind
from arbiter.errors import InvalidRecordError
from arbiter.training.examples import Example

Word = TypeVar("Word", bound=StrEnum)

_SIDES: Mapping[str, Side] = {"a": "a", "b": "b"}


def labelled(row: Mapping[str, Any], pair: RecordPair, anchor: str) -> Example:
    """Return a pair with the labels that its row has.

    Args:
        row: holds ``label``, and may hold ``current``, ``update_kind``, ``stale_risk``, ``mutability``,
            ``stakes`` and ``phenomenon``.
        pair: what the labels are about.
        anchor: what the pairs of one contrast set share.

    Raises:
        InvalidRecordError: a label is missing, or no label; names the field and what it may be.
    """
    return Example(
        pair=pair,
        relation=word(row, "label", Relation),
        anchor=anchor,
        current=side(row, "current"),
        update_kind=known(row, "update_kind", UpdateKind),
        stale_risk=side(row, "stale_risk"),
        mutability=known(row, "mutability", Mutability),
        stakes=known(row, "stakes", Stakes),
        phenomenon=row.get("phenomenon") or "",
    )


def record(raw: object, name: str) -> Record:
    """Return one side of a pair; ``source`` may be just a kind, and a time without a zone is in UTC.

    Raises:
        InvalidRecordError: it is no record; names the field.
    """
    if not isinstance(raw, Mapping):
        raise _fault(name, "is missing" if raw is None else "is no record, a JSON object")
    source = raw.get("source")
    told = source if isinstance(source, Mapping) else {"id": source, "kind": source}
    kind = word({f"{name}.source": told.get("kind")}, f"{name}.source", SourceKind)
    return Record(
        content=_text(raw, name, "content"),
        source=Source(str(told.get("id") or kind), kind),
        observed_at=_moment(raw, name, "observed_at"),
        subject=raw.get("subject") or None,
        claim_key=raw.get("claim_key") or None,
        value=raw.get("value") or None,
        valid_from=_moment(raw, name, "valid_from") if raw.get("valid_from") else None,
        valid_to=_moment(raw, name, "valid_to") if raw.get("valid_to") else None,
    )


def word(row: Mapping[str, Any], field: str, words: type[Word]) -> Word:
    """Return a word of a vocabulary.

    Raises:
        InvalidRecordError: it is missing, or none of them.
    """
    found = known(row, field, words)
    if found is None:
        raise _fault(field, f"is missing; it is one of {', '.join(words)}")
    return found


def known(row: Mapping[str, Any], field: str, words: type[Word]) -> Word | None:
    """Return a word of a vocabulary, None where there is none.

    Raises:
        InvalidRecordError: it is none of them.
    """
    told = row.get(field)
    if not told:
        return None
    if not isinstance(told, str) or told not in set(words):
        raise _fault(field, f"{told!r} is none of {', '.join(words)}")
    return words(told)


def side(row: Mapping[str, Any], field: str) -> Side | None:
    """Return the side that a field names, None where it names none.

    Raises:
        InvalidRecordError: there is no such side.
    """
    told = row.get(field)
    if not told:
        return None
    if not isinstance(told, str) or told not in _SIDES:
        raise _fault(field, f"{told!r} is no side of the pair, a or b")
    return _SIDES[told]


def _text(raw: Mapping[str, Any], name: str, field: str) -> str:
    told = raw.get(field)
    if not isinstance(told, str) or not told.strip():
        raise _fault(f"{name}.{field}", "is missing" if told in (None, "") else f"{told!r} is no text")
    return told


def _moment(raw: Mapping[str, Any], name: str, field: str) -> datetime:
    told = _text(raw, name, field)
    try:
        time = datetime.fromisoformat(told)
    except ValueError as error:
        raise _fault(f"{name}.{field}", f"{told!r} is no time, such as 2026-03-02T09:00:00Z") from error
    return time if time.tzinfo else time.replace(tzinfo=UTC)


def _fault(field: str, message: str) -> InvalidRecordError:
    return InvalidRecordError(f"{field}: {message}", field=field)
