"""How pairs are put to a language model: one JSON value made by code, in groups of bounded size."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from arbiter.domain.evidence import RecordPair
from arbiter.domain.facts import Record
from arbiter.domain.vocabulary import Explicitness

_UNITS = (
    ("years", 31_557_600),
    ("months", 2_629_800),
    ("weeks", 604_800),
    ("days", 86_400),
    ("hours", 3_600),
    ("minutes", 60),
)


def question(pairs: Sequence[RecordPair]) -> str:
    """Write pairs as JSON, numbered from 1. What is not known is left out, nothing is shortened."""
    return _json([_shown(number, pair) for number, pair in enumerate(pairs, start=1)])


def grouped(pairs: Sequence[RecordPair], *, most: int, most_chars: int) -> Iterator[list[int]]:
    """Yield groups of places for one question each: ``most`` pairs and ``most_chars`` characters.

    A pair that has more characters than that is alone in its group.
    """
    group: list[int] = []
    chars = 0
    for place, pair in enumerate(pairs):
        size = length(pair)
        if group and (len(group) == most or chars + size > most_chars):
            yield group
            group, chars = [], 0
        group.append(place)
        chars += size
    if group:
        yield group


def length(pair: RecordPair) -> int:
    """Return how many characters a pair takes in a question."""
    return len(_json(_shown(1, pair)))


def texts(pairs: Sequence[RecordPair]) -> list[str]:
    """Return everything in a question on pairs that somebody else has written."""
    return [text for pair in pairs for side in (pair.a, pair.b) for text in _side(side).values()]


def _shown(number: int, pair: RecordPair) -> dict[str, object]:
    source = "same" if pair.a.source.id == pair.b.source.id else "other"
    return {
        "pair": number,
        "seen": f"{_gap(pair.a.observed_at, pair.b.observed_at)}, {source} source",
        "a": _side(pair.a),
        "b": _side(pair.b),
    }


def _side(record: Record) -> dict[str, str]:
    shown = {
        "text": record.content,
        "seen": _time(record.observed_at),
        "source": record.source.kind.value,
        "subject": record.subject,
        "attribute": record.claim_key,
        "value": record.value,
        "valid_from": _time(record.valid_from),
        "valid_to": _time(record.valid_to),
        "said": "inferred" if record.explicitness is Explicitness.INFERRED else None,
    }
    return {name: value for name, value in shown.items() if value is not None}


def _time(moment: datetime | None) -> str | None:
    """Write a moment in UTC: the date, and hours or seconds only where they are not zero."""
    if moment is None:
        return None
    written = moment.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S")
    return written.removesuffix(":00").removesuffix(" 00:00")


def _gap(a: datetime, b: datetime) -> str:
    """Say in words how far apart two observations lie, in the largest unit of which there are two."""
    seconds = abs((b - a).total_seconds())
    if seconds < 2:
        return "same time"
    name, size = next(((name, size) for name, size in _UNITS if seconds >= 2 * size), ("seconds", 1))
    return f"b {seconds / size:.0f} {name} {'later' if b > a else 'earlier'}"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
