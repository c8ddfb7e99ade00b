"""The entries of a fact's history: what every store tells about an event of its log."""

from __future__ import annotations

from datetime import UTC, datetime

from arbiter.domain.evidence import JudgedPair
from arbiter.domain.facts import Sighting, iso
from arbiter.domain.outcomes import Decision, FactState, HistoryEntry, Ruling
from arbiter.interchange.receipts import decision_json, verdict_json


def sighting_entry(at: datetime, sighting: Sighting) -> HistoryEntry:
    """Tell that a source said the fact; ``at`` is when that entered the log."""
    source = sighting.source
    return _entry(
        at,
        "sighting",
        sighting_id=sighting.id,
        event_key=sighting.event_key,
        source={"id": source.id, "kind": source.kind.value, "ref": source.ref},
        content=sighting.record.content,
        confidence=sighting.record.confidence,
        observed_at=iso(sighting.first_seen),
        last_seen=iso(sighting.last_seen),
        seen_count=sighting.seen_count,
        record_index=sighting.record_index,
    )


def judgement_entry(at: datetime, pair: JudgedPair) -> HistoryEntry:
    """Tell what a judge found for the fact and another one."""
    found = verdict_json(None, pair.judgement)
    del found["id"]
    return _entry(at, "judgement", a=pair.a, b=pair.b, **found)


def decision_entry(at: datetime, decision: Decision, *, in_force: bool) -> HistoryEntry:
    """Tell that a decision came into force, or that it is no longer."""
    return _entry(at, "decision", in_force=in_force, **decision_json(decision))


def state_entry(at: datetime, old: str | None, new: FactState) -> HistoryEntry:
    """Tell that the fact went from one state (None: it had none yet) to another, or got other marks in it."""
    return _entry(
        at,
        "state",
        old=old,
        new=new.state.value,
        reason=new.reason and new.reason.value,
        successor=new.successor,
        contested=new.contested,
        decision=new.decision,
    )


def ruling_entry(at: datetime, ruling: Ruling) -> HistoryEntry:
    """Tell what a person decided about the fact and another one."""
    return _entry(
        at,
        "ruling",
        id=ruling.id,
        a=ruling.a,
        b=ruling.b,
        ruling=ruling.kind.value,
        reviewer=ruling.reviewer,
        at=iso(ruling.at),
        relabel=ruling.relabel and ruling.relabel.value,
        reason=ruling.reason,
        policy=ruling.policy,
        decision=ruling.decision,
        merged=ruling.merged,
        retracts=ruling.retracts,
    )


def erasure_entry(at: datetime) -> HistoryEntry:
    """Tell that the words of the fact were taken out of the store."""
    return _entry(at, "erasure")


def _entry(moment: datetime, kind: str, /, **detail: object) -> HistoryEntry:
    return HistoryEntry(moment.astimezone(UTC), kind, detail)
