"""Which of the rulings of a cluster hold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from arbiter.domain.facts import Fact
from arbiter.domain.outcomes import Ruling
from arbiter.domain.vocabulary import RulingKind, SourceKind

Key: TypeAlias = tuple[str, str]
"""A pair of fact ids without its orientation, the smaller one first."""

ASIDE = (RulingKind.SKIP, RulingKind.NEEDS_CONTEXT)
"""The rulings that decide nothing: they set a question aside."""


@dataclass(frozen=True, slots=True)
class Standing:
    """The rulings that hold, by pair.

    ``deciding`` ones say what becomes of the pair; ``aside`` ones say that it is not to be asked about
    for as long as the evidence is that which they name.
    """

    deciding: Mapping[Key, Ruling]
    aside: Mapping[Key, Ruling]


def standing_rulings(rulings: Iterable[Ruling], facts: Mapping[str, Fact]) -> Standing:
    """Return for each pair the newest ruling that nobody took back and that has not lapsed.

    A ruling lapses when the user says again, later, what it retired: that is new information.
    """
    deciding: dict[Key, Ruling] = {}
    aside: dict[Key, Ruling] = {}
    for ruling in in_effect(rulings):
        (aside if ruling.kind in ASIDE else deciding)[ruling.key] = ruling
    kept = {key: ruling for key, ruling in deciding.items() if not _lapsed(ruling, facts)}
    return Standing(kept, aside)


def in_effect(rulings: Iterable[Ruling]) -> list[Ruling]:
    """Return the rulings that nobody took back, without the retractions themselves, oldest first."""
    told = sorted(rulings, key=lambda ruling: (ruling.at, ruling.id))
    taken_back = {ruling.retracts for ruling in told}
    return [r for r in told if r.kind is not RulingKind.RETRACT and r.id not in taken_back]


def _lapsed(ruling: Ruling, facts: Mapping[str, Fact]) -> bool:
    # What a merge took in is not denied by saying it again.
    retired = {
        RulingKind.KEEP_A: (ruling.b,),
        RulingKind.KEEP_B: (ruling.a,),
        RulingKind.NEITHER: (ruling.a, ruling.b),
    }.get(ruling.kind, ())
    return any(
        sighting.source.kind is SourceKind.USER_STATED and sighting.first_seen > ruling.at
        for fact_id in retired
        if fact_id in facts
        for sighting in facts[fact_id].sightings
    )
