"""The scenario streams with an oracle in the judge's place: the relations that their authors gave.

So the policy can be held against the end states that they expect.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from arbiter.domain.evidence import JudgedPair, Verdict
from arbiter.domain.facts import EventKeyPolicy, Fact, fact_of, sighting_of
from arbiter.domain.outcomes import FactState
from arbiter.domain.vocabulary import State, StateReason
from evals import streams


class Stream(streams.Stream):
    """One scenario: its records by handle and what its author expects."""

    def facts(self, order: Iterable[str] | None = None) -> dict[str, Fact]:
        """Return the facts after the records arrived in an order (that of the file by default)."""
        seen: dict[str, Any] = {}
        for rid in order or self.records:
            sighting = sighting_of(self.records[rid], EventKeyPolicy.AUTO)
            known = seen.get(sighting.id)
            seen[sighting.id] = (
                replace(
                    known,
                    last_seen=max(known.last_seen, sighting.last_seen),
                    seen_count=known.seen_count + 1,
                )
                if known
                else sighting
            )
        by_fact: dict[str, list[Any]] = {}
        for sighting in seen.values():
            by_fact.setdefault(sighting.fact_id, []).append(sighting)
        return {fact_id: fact_of(sightings) for fact_id, sightings in by_fact.items()}

    def fact_ids(self) -> dict[str, str]:
        """Return the fact id of each record."""
        return {rid: sighting_of(r, EventKeyPolicy.AUTO).fact_id for rid, r in self.records.items()}

    def oracle(self) -> list[JudgedPair]:
        """Return the authors' relations as judged pairs."""
        facts, ids = self.facts(), self.fact_ids()
        return [
            JudgedPair(facts[a].id, facts[b].id, self.verdict(item))
            for item in self.expected["pairs"]
            for a, b in [
                sorted(
                    (ids[item["a"]], ids[item["b"]]),
                    key=lambda i: (facts[i].first_seen, facts[i].fingerprint),
                )
            ]
        ]

    def verdict(self, item: Mapping[str, Any]) -> Verdict:
        """Return what the oracle says about one listed pair."""
        label = self.label(item)
        return Verdict(
            relation=label.relation,
            confidence=0.99,
            judge="oracle",
            current=label.current,
            update_kind=label.update_kind,
            mutability=label.mutability,
            stakes=label.stakes,
        )

    def told(self, state: FactState) -> tuple[str, str | None, bool]:
        """Return a derived state in the words of ``expected_state``."""
        handles = {fact: rid for rid, fact in self.fact_ids().items() if rid not in self.replays}
        word = "merged" if state.reason is StateReason.DUPLICATE else state.state.value
        successor = handles[state.successor] if state.successor else None
        return (
            (word, successor, state.contested)
            if state.state is not State.ACTIVE
            else (
                "active",
                None,
                state.contested,
            )
        )


def load_streams() -> list[Stream]:
    """Return every scenario of the suite."""
    return [Stream(told.id, told.records, told.expected) for told in streams.load_streams()]
