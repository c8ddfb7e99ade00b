"""The scenario streams with an oracle in the judge's place: the relations that their authors gave.

The streams name relations but neither stakes nor mutability; both are read here from what their authors
wrote about a pair, so that the policy can be held against the end states they expect.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from arbiter.domain.evidence import JudgedPair, Verdict
from arbiter.domain.facts import EventKeyPolicy, Fact, Record, Source, fact_of, sighting_of
from arbiter.domain.outcomes import FactState
from arbiter.domain.vocabulary import (
    Mutability,
    Relation,
    SourceKind,
    Stakes,
    State,
    StateReason,
    UpdateKind,
)

STREAMS = Path(__file__).parent.parent / "evals" / "suites" / "streams_dev.jsonl"
_STABLE = {("sd-12", "r05"), ("sd-13", "r01"), ("sd-24", "r27")}
_MUTABLE = {("sd-01", "r12"), ("sd-15", "r19")}
_NORMAL_STAKES = ("immutable", "stable", "an inference", "the later title")


@dataclass(frozen=True)
class Stream:
    """One scenario: its records by handle and what its author expects."""

    id: str
    records: dict[str, Record]
    expected: dict[str, Any]

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

    def verdict(self, item: dict[str, Any]) -> Verdict:
        """Return what the oracle says about one listed pair."""
        why = item["why"]
        kind = None
        if item["relation"] == "update":
            named = [k for k in (UpdateKind.CORRECTION, UpdateKind.REFINEMENT) if why.startswith(k.value)]
            kind = named[0] if named else UpdateKind.STATE_CHANGE
        asked = {frozenset(r["pair"]): r["why"] for r in self.expected["review"]}
        review = asked.get(frozenset((item["a"], item["b"])), "")
        handles = {(self.id, item["a"]), (self.id, item["b"])}
        mutability = Mutability.MUTABLE
        if item["relation"] == "contradiction" and not handles & _MUTABLE:
            mutability = Mutability.STABLE if handles & _STABLE else Mutability.IMMUTABLE
        return Verdict(
            relation=Relation(item["relation"]),
            confidence=0.99,
            judge="oracle",
            current="b" if kind else None,
            update_kind=kind,
            mutability=mutability,
            stakes=Stakes.HIGH if review and not review.startswith(_NORMAL_STAKES) else Stakes.NORMAL,
        )

    def expected_state(self, rid: str) -> tuple[str, str | None, bool]:
        """Return (state word, successor, contested) of a record that is no replay."""
        contested = any(rid in two for two in self.expected["contested"])
        for word in ("superseded", "merged", "tombstoned"):
            if rid in self.expected[word]:
                return word, self.expected[word][rid], contested
        return "active", None, contested

    def told(self, state: FactState) -> tuple[str, str | None, bool]:
        """Return a derived state in the words of ``expected_state``."""
        replays = {item["rid"] for item in self.expected["replays"]}
        handles = {fact: rid for rid, fact in self.fact_ids().items() if rid not in replays}
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
    return [_stream(json.loads(line)) for line in STREAMS.read_text("utf-8").splitlines()]


def _stream(raw: dict[str, Any]) -> Stream:
    records = {
        r["rid"]: Record(
            content=r["content"],
            source=Source(r["source"]["id"], SourceKind(r["source"]["kind"]), r["source"].get("ref")),
            observed_at=datetime.fromisoformat(r["observed_at"]),
            namespace=raw["id"],
            subject=r.get("subject"),
            claim_key=r.get("claim_key"),
            confidence=r.get("confidence", 1.0),
        )
        for r in raw["records"]
    }
    return Stream(raw["id"], records, raw["expected"])
