"""Files of labelled pairs, as a user would write them, and a model that knows the answers."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from tests.chat import item, reply
from tests.factories import day
from tests.scripted_server import Answer, Request

RELATIONS = {
    "Ana lives in Porto.": "duplicate",
    "The shop opens at nine.": "update",
    "Ben was born in Oslo.": "contradiction",
    "Cleo likes tea.": "complementary",
    "Dara has a cat.": "unrelated",
}
"""The relation of five pairs, by the words of their first side."""

SECOND_SIDES = (
    "Porto is where Ana lives.",
    "The shop now opens at ten.",
    "Ben was born in Bergen.",
    "Cleo likes jazz.",
    "The bridge is closed.",
)


def row(a: str, b: str, label: str, *, at: float = 30, **fields: Any) -> dict[str, Any]:
    """Return one labelled pair, its second side seen that many days after the first."""
    return {
        "a": {"content": a, "source": "user_stated", "observed_at": day(0).isoformat()},
        "b": {"content": b, "source": "user_stated", "observed_at": day(at).isoformat()},
        "label": label,
        "current": "b" if label == "update" else None,
        **fields,
    }


def write_pairs(path: Path, rows: Iterable[Mapping[str, Any]]) -> Path:
    """Write rows as JSON Lines and return where."""
    path.write_text("".join(json.dumps(line) + "\n" for line in rows), encoding="utf-8")
    return path


def five_pairs(path: Path) -> Path:
    """Write a file with one pair of each relation, none of them in the same words."""
    told = zip(RELATIONS.items(), SECOND_SIDES, strict=True)
    return write_pairs(path, (row(a, b, label) for (a, label), b in told))


def verdicts(pairs: Iterable[Mapping[str, Any]]) -> str:
    """Return the reply of a model that knows the five pairs."""
    return reply(*(item(pair["pair"], RELATIONS[pair["a"]["text"]]) for pair in pairs))


def knowing(request: Request) -> Answer:
    """Answer a request as that model."""
    return Answer(verdicts(request.pairs))
