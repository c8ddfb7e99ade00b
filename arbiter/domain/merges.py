"""What merges by people make of facts: one text, written by a reviewer, stands for two.

The written text is a fact like any other, told by a sighting of its reviewer. While its merge stands, the
facts that it was written for belong to its claim: their sources speak for it, and the reviewer's own
sighting, an echo of them, adds no weight. Once the merge is taken back, the sighting counts for nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace

from arbiter.domain.claims import Claim
from arbiter.domain.facts import Fact, told_by
from arbiter.domain.outcomes import Decision, Ruling
from arbiter.domain.rulings import Key
from arbiter.domain.vocabulary import RulingKind


@dataclass(frozen=True, slots=True)
class Merges:
    """The merges of a cluster.

    ``by`` maps each fact that a text was written for to the ruling that says so, and ``into`` to the
    fact that stands for it in the end, since what was written may have been merged in turn. ``echoes``
    are the sightings of merges that stand, ``withdrawn`` those of merges that were taken back.
    """

    by: Mapping[str, Ruling]
    into: Mapping[str, str]
    echoes: frozenset[str]
    withdrawn: frozenset[str]

    def joined(self, key: Key) -> Key | None:
        """Return the pair of those who stand for the sides of a pair; None where one fact stands for both."""
        a, b = (self.into.get(fact_id, fact_id) for fact_id in key)
        return None if a == b else (a, b) if a < b else (b, a)

    def carried(self, key: Key) -> dict[Key, str]:
        """Return what two duplicates are of which one was merged: the other one and the text that it joins.

        Nothing where both were merged, into two texts: that their parts are alike does not make them alike.
        """
        joined = self.joined(key)
        texts = [self.into[fact_id] for fact_id in key if fact_id in self.into]
        return {joined: texts[0]} if joined is not None and len(texts) == 1 else {}

    def overtaken(self, decision: Decision, rulings: Mapping[Key, Ruling]) -> bool:
        """Was a merge decided of a fact that a later merge has put into another text, or made that text?"""
        ruling = rulings.get(decision.key)
        if ruling is None or ruling.kind is not RulingKind.MERGE or decision.loser is None:
            return False
        return self.by.get(decision.loser) is not ruling


def merges_of(rulings: Iterable[Ruling], deciding: Mapping[Key, Ruling], facts: Mapping[str, Fact]) -> Merges:
    """Return the merges among all rulings of a cluster, given those that hold and the facts.

    The newest merge of a fact counts. A text that is written once more stands by itself again. With a text
    that is withdrawn fall the merges of it.
    """
    made = [r for r in rulings if r.kind is RulingKind.MERGE and r.merged in facts]
    standing = sorted((r for r in made if deciding.get(r.key) is r), key=lambda r: (r.at, r.id))
    while True:
        found = _merges(made, standing)
        _, gone = without_withdrawn(facts, found.withdrawn)
        left = [ruling for ruling in standing if not gone.intersection(ruling.key)]
        if left == standing:
            return found
        standing = left


def _merges(made: Iterable[Ruling], standing: Iterable[Ruling]) -> Merges:
    by: dict[str, Ruling] = {}
    for ruling in standing:
        by |= {fact_id: ruling for fact_id in ruling.key if fact_id != ruling.merged}
        by.pop(ruling.merged or "", None)
    echoes = frozenset(ruling.sighting for ruling in standing if ruling.sighting)
    written = frozenset(ruling.sighting for ruling in made if ruling.sighting)
    return Merges(by, {fact_id: _end(fact_id, by) for fact_id in by}, echoes, written - echoes)


def without_withdrawn(
    facts: Mapping[str, Fact], withdrawn: Collection[str]
) -> tuple[dict[str, Fact], frozenset[str]]:
    """Return the facts as told by the sightings that count, and the ids of those without any."""
    kept: dict[str, Fact] = {}
    for fact in facts.values():
        told = [sighting for sighting in fact.sightings if sighting.id not in withdrawn]
        if len(told) == len(fact.sightings):
            kept[fact.id] = fact
        elif told:
            kept[fact.id] = told_by(fact, told)
    return kept, frozenset(facts.keys() - kept.keys())


def take_in(gathered: Mapping[str, Claim], facts: Mapping[str, Fact], merges: Merges) -> dict[str, Claim]:
    """Add the facts that were merged to the claims of those that stand for them, and take the echoes out."""
    if not merges.into:
        return dict(gathered)
    members: dict[str, list[Fact]] = {claim.id: list(claim.members) for claim in gathered.values()}
    written_for: dict[str, set[str]] = {}
    for fact_id, target in sorted(merges.into.items()):
        centre = gathered[target].id
        members[centre].append(facts[fact_id])
        if centre == target:
            written_for.setdefault(centre, set()).add(fact_id)
    claims: dict[str, Claim] = {}
    for centre, joined in members.items():
        claim = Claim(facts[centre], _weighed(joined, merges), frozenset(written_for.get(centre, ())))
        claims |= {fact.id: claim for fact in joined}
    return claims


def _end(fact_id: str, by: Mapping[str, Ruling]) -> str:
    while fact_id in by:
        fact_id = by[fact_id].merged or fact_id
    return fact_id


def _weighed(members: Iterable[Fact], merges: Merges) -> tuple[Fact, ...]:
    """Return the members of a claim without echoes, unless there is nothing else."""
    everything = tuple(members)
    weighed = tuple(
        replace(fact, sightings=tuple(s for s in fact.sightings if s.id not in merges.echoes))
        for fact in everything
    )
    return weighed if any(fact.sightings for fact in weighed) else everything
