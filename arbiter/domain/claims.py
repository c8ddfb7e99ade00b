"""Claims: facts that say the same, gathered; and what can be compared between two claims.

A claim is one fact whose wording stays (the centre) and the facts that duplicate it directly. Duplicate
verdicts are not transitive, so a claim is a star, never a chain: every fact that is merged away has a
partner that stays and that a judge called its duplicate.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from arbiter.domain.facts import Fact, Sighting
from arbiter.domain.policy import AUTHORITY_RANK, Policy
from arbiter.domain.vocabulary import Explicitness, Mutability, SourceKind

_HIGHEST_RANK = max(AUTHORITY_RANK.values())


@dataclass(frozen=True, slots=True)
class Claim:
    """One statement in one or more wordings; ``centre`` is the wording that stays.

    ``written_for`` are the facts in whose place a person has put the centre.
    """

    centre: Fact
    members: tuple[Fact, ...]
    written_for: frozenset[str] = frozenset()

    @property
    def id(self) -> str:
        """The id of the fact whose wording stays."""
        return self.centre.id

    @property
    def sightings(self) -> list[Sighting]:
        """Every sighting of every wording."""
        return [sighting for fact in self.members for sighting in fact.sightings]

    @property
    def sources(self) -> set[str]:
        """The distinct ids of its sources."""
        return {sighting.source.id for sighting in self.sightings}

    @property
    def words(self) -> frozenset[str]:
        """The centre and the facts that it was written for: who duplicates one of these joins the claim."""
        return self.written_for | {self.centre.id}


def authority_of(sighting: Sighting, policy: Policy) -> float:
    """Return how much a sighting's source counts: the rank of its kind times the source's own weight."""
    return AUTHORITY_RANK[sighting.source.kind] * policy.source(sighting.source.id).weight


def authority(sightings: Iterable[Sighting], policy: Policy) -> float:
    """Return the highest authority among sightings."""
    return max(authority_of(sighting, policy) for sighting in sightings)


def claimed_at(claim: Claim, other: Claim, policy: Policy) -> datetime:
    """Return when a claim was last made, as far as that can outrank the other claim.

    Only its best sources speak: a late echo by a lesser source does not make a claim younger. A source
    that said only this is taken at its first word, since re-reading an old entry is no news; a source
    that said both is taken at its latest, since it came back to this one.
    """
    best = authority(claim.sightings, policy)
    rivals = other.sources
    return max(
        sighting.last_seen if sighting.source.id in rivals else sighting.first_seen
        for sighting in claim.sightings
        if authority_of(sighting, policy) >= best
    )


def votes(claim: Claim, policy: Policy) -> float:
    """Return the weighted number of independent sources.

    Re-reads never count, and an agent's inference counts only if nobody had told the agent before: if
    all its sources are agents, or if it spoke first.
    """
    first: dict[str, Sighting] = {}
    for sighting in sorted(claim.sightings, key=lambda s: (s.first_seen, s.id)):
        first.setdefault(sighting.source.id, sighting)
    told = [s.first_seen for s in first.values() if s.source.kind is not SourceKind.AGENT_INFERENCE]
    return sum(
        policy.source(source_id).weight
        for source_id, sighting in first.items()
        if sighting.source.kind is not SourceKind.AGENT_INFERENCE
        or not told
        or sighting.first_seen < min(told)
    )


def confidence(claim: Claim, newest: datetime, mutability: Mutability, policy: Policy) -> float:
    """Return the confidence of a claim in [0, 1]: the weighted mean of what speaks for it.

    Explicitness is the best sighting's own confidence, halved if it was inferred; sources is
    1 - 2^-votes; authority the share of the highest rank; recency, for mutable attributes only,
    2^-(age / half-life) against the newest sighting of the pair.
    """
    weights = policy.weights
    spoken = max(
        s.record.confidence * (1.0 if s.record.explicitness is Explicitness.STATED else 0.5)
        for s in claim.sightings
    )
    parts = [
        (weights.explicitness, spoken),
        (weights.sources, 1 - 2 ** -votes(claim, policy)),
        (weights.authority, min(1.0, authority(claim.sightings, policy) / _HIGHEST_RANK)),
    ]
    if mutability in (Mutability.MUTABLE, Mutability.EPHEMERAL):
        latest = max(sighting.first_seen for sighting in claim.sightings)
        age = max(newest - latest, timedelta())
        parts.append((weights.recency, 2 ** -(age / weights.half_life)))
    return sum(weight * part for weight, part in parts) / sum(weight for weight, _ in parts)


def gather(
    facts: Mapping[str, Fact],
    duplicates: Collection[tuple[str, str]],
    conflicts: Collection[tuple[str, str]],
    richer: Mapping[tuple[str, str], str],
    joins: Mapping[tuple[str, str], str],
    policy: Policy,
) -> dict[str, Claim]:
    """Gather facts into claims and return the claim of each fact.

    Facts are met in order of preference (named richer by its judge, better source, earlier), so the
    first one met of a group becomes the centre; a later one joins the first centre that it duplicates
    unless it conflicts with something that joined before it. Of the pairs in ``joins`` only one side may
    join the other, which is named. Pairs are unordered keys, smaller id first.
    """
    ahead = [*richer.items(), *joins.items()]
    beaten = {low if winner == high else high for (low, high), winner in ahead}

    def preference(fact: Fact) -> tuple[bool, float, datetime, str]:
        return (
            fact.id in beaten,
            -authority(fact.sightings, policy),
            fact.first_seen,
            fact.id,
        )

    partners: dict[str, set[str]] = {}
    for low, high in duplicates:
        partners.setdefault(low, set()).add(high)
        partners.setdefault(high, set()).add(low)
    for (low, high), winner in joins.items():
        partners.setdefault(low if winner == high else high, set()).add(winner)
    members: dict[str, list[Fact]] = {}
    met: dict[str, int] = {}
    for place, fact in enumerate(sorted(facts.values(), key=preference)):
        met[fact.id] = place
        centres = members.keys() & partners.get(fact.id, set())
        centre = next(
            (
                centre
                for centre in sorted(centres, key=met.__getitem__)
                if not any(_key(fact.id, other.id) in conflicts for other in members[centre])
            ),
            fact.id,
        )
        members.setdefault(centre, []).append(fact)
    return {
        fact.id: claim
        for centre, joined in members.items()
        for claim in (Claim(facts[centre], tuple(joined)),)
        for fact in joined
    }


def _key(a: str, b: str) -> tuple[str, str]:
    return (a, b) if a < b else (b, a)
