"""Counts over one namespace in a store in memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any

from arbiter.domain.evidence import Spend
from arbiter.domain.overview import DayOfRecords, Rulings, Totals, Waited
from arbiter.domain.rulings import in_effect
from arbiter.domain.vocabulary import RulingKind, StateReason

if TYPE_CHECKING:
    from arbiter.testing_store.space import Space


class MemoryOverview:
    """Implements ``Overview``; ``space`` returns what a namespace holds now."""

    def __init__(self, space: Callable[[str], Space]) -> None:
        self._space = space

    def totals(self, namespace: str) -> Totals:
        """See ``Overview.totals``."""
        space = self._space(namespace)
        states = space.states.values()
        made = [period.decision for period in space.decisions.values() if period.ended is None]
        judged = [(decision.relation.value, decision.judge) for decision in made if decision.relation]
        return Totals(
            records=sum(sighting.seen_count for _, _, sighting in space.sightings.values()),
            facts=len(space.told),
            merged=sum(state.reason is StateReason.DUPLICATE for state in states),
            contested=sum(state.contested for state in states),
            states=dict(Counter(state.state.value for state in states)),
            relations=dict(Counter(relation for relation, _ in judged)),
            judges=dict(Counter(judge for _, judge in judged)),
            unjudged=len(made) - len(judged),
        )

    def records(self, namespace: str, since: datetime) -> list[DayOfRecords]:
        """See ``Overview.records``."""
        space = self._space(namespace)
        days: dict[date, tuple[Counter[str], Spend]] = {}
        for receipt_id, at in space.received.items():
            if at >= since:
                body: Any = space.receipts[receipt_id]
                outcomes, spend = days.get(_day(at), (Counter(), Spend()))
                outcomes[body["outcome"]] += 1
                days[_day(at)] = (outcomes, spend + Spend(**body["cost"]))
        return [DayOfRecords(day, dict(outcomes), spend) for day, (outcomes, spend) in sorted(days.items())]

    def rulings(self, namespace: str, since: datetime) -> list[Rulings]:
        """See ``Overview.rulings``."""
        made = in_effect(ruling for _, _, ruling in self._space(namespace).rulings.values())
        counted = Counter(
            (_day(ruling.at), ruling.reviewer, ruling.kind.value)
            for ruling in made
            if ruling.at >= since and ruling.kind is not RulingKind.UNDO
        )
        return [Rulings(*of, count) for of, count in sorted(counted.items())]

    def waits(self, namespace: str) -> list[Waited]:
        """See ``Overview.waits``."""
        counted = Counter(
            (_day(asked.opened_at), asked.closed_at and _day(asked.closed_at))
            for asked in self._space(namespace).reviews.values()
        )
        found = [Waited(asked, closed, count) for (asked, closed), count in counted.items()]
        return sorted(found, key=lambda waited: (waited.closed is None, waited.asked, waited.closed))


def _day(moment: datetime) -> date:
    return moment.astimezone(UTC).date()
