"""What a benchmark stores and submits: always the same for a seed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from random import Random
from typing import TYPE_CHECKING

from evals.distractors import distractors

if TYPE_CHECKING:
    from arbiter.domain.facts import Record

START = datetime(2026, 1, 1, tzinfo=UTC)
_SUBJECTS = ("printer", "boiler", "lift", "gate", "kiln", "ferry", "archive", "clinic", "studio", "depot")
_VERBS = ("is serviced by", "is stored next to", "was painted by", "is insured with", "is cleaned by")
_NAMES = ("Amara", "Bjorn", "Chiara", "Dmitri", "Esi", "Farid", "Grete", "Hiro", "Ines", "Jonas")


def records(count: int, seed: int = 1) -> Iterator[dict[str, object]]:
    """Yield different small facts about many subjects, as a caller sends them."""
    draw = Random(seed)
    for number in range(count):
        subject = f"{draw.choice(_SUBJECTS)} {draw.randrange(count)}"
        yield {
            "content": f"The {subject} {draw.choice(_VERBS)} {draw.choice(_NAMES)} in bay {number}.",
            "subject": subject,
            "source": {"id": "bench:feed", "kind": "verified_observation"},
            "observed_at": (START + timedelta(minutes=number)).isoformat(),
        }


def stored(count: int, namespaces: int = 1) -> Iterator[Record]:
    """Yield what is in the store: statements about people, as many in each namespace, one after the other."""
    for number, record in enumerate(distractors(count)):
        yield replace(record, namespace=namespace(number * namespaces // count))


def unseen(count: int, namespaces: int = 1, *, named: bool = True, seed: int = 2) -> list[Record]:
    """Return records that the store has not seen, about people of the same names.

    Args:
        count: how many.
        namespaces: over how many namespaces they are spread, in random order.
        named: do they come with their subject, as a store that knows whom a fact is about sends them?
        seed: decides which.
    """
    draw = Random(seed)
    told = distractors(count, seed)
    spread = [replace(record, namespace=namespace(draw.randrange(namespaces))) for record in told]
    return spread if named else [replace(record, subject=None) for record in spread]


def namespace(number: int) -> str:
    """Return the name of one of the namespaces."""
    return f"bench-{number}"
