"""How far people agree with the judge: counts by relation, by judge and by month, with exact intervals.

Only pairs that were put before people are counted. Those are the doubtful ones, so the shares say nothing
about what the judge settles on its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC

from arbiter.domain.binomial import interval
from arbiter.domain.ruled import Consent, SettledPair
from arbiter.interchange.receipts import Json


@dataclass(slots=True)
class Tally:
    """How often people agreed and did not; ``silent`` are rulings that do not say, such as a merge."""

    counts: Counter[Consent] = field(default_factory=Counter)

    def as_json(self) -> Json:
        """Return counts, the share that agreed of those who said so, and its exact 95 % interval."""
        agreed, disagreed = self.counts[Consent.AGREED], self.counts[Consent.DISAGREED]
        said = agreed + disagreed
        low, high = interval(agreed, said) if said else (None, None)
        return {
            "rulings": self.counts.total(),
            **{consent.value: self.counts[consent] for consent in Consent},
            "share": agreed / said if said else None,
            "low": low,
            "high": high,
        }


@dataclass(slots=True)
class Agreement:
    """What was counted of the settled pairs; ``unjudged`` are those that no judge could tell.

    ``instead`` counts, by the judge's relation, what people named instead.
    """

    overall: Tally = field(default_factory=Tally)
    relations: dict[str, Tally] = field(default_factory=dict)
    judges: dict[str, Tally] = field(default_factory=dict)
    months: dict[str, Tally] = field(default_factory=dict)
    instead: dict[str, Counter[str]] = field(default_factory=dict)
    unjudged: int = 0

    def as_json(self) -> Json:
        """Return everything as JSON; months are in order, in UTC."""
        named = (("relations", self.relations), ("judges", self.judges), ("months", self.months))
        return {
            "overall": self.overall.as_json(),
            **{
                name: {key: tally.as_json() for key, tally in sorted(tallies.items())}
                for name, tallies in named
            },
            "instead": {name: dict(sorted(counts.items())) for name, counts in sorted(self.instead.items())},
            "unjudged": self.unjudged,
        }


def agreement(pairs: Iterable[SettledPair]) -> Agreement:
    """Count how far the rulings on settled pairs bear out the verdicts that were ruled on."""
    found = Agreement()
    for pair in pairs:
        verdict, consent = pair.verdict, pair.consent
        if verdict is None:
            found.unjudged += 1
            continue
        month = pair.ruling.at.astimezone(UTC).strftime("%Y-%m")
        kept = (
            (found.relations, verdict.relation.value),
            (found.judges, verdict.judge),
            (found.months, month),
        )
        for tally in (found.overall, *(tallies.setdefault(key, Tally()) for tallies, key in kept)):
            tally.counts[consent] += 1
        if consent is Consent.DISAGREED and pair.relation is not None:
            named = found.instead.setdefault(verdict.relation.value, Counter())
            named[pair.relation.relation.value] += 1
    return found
