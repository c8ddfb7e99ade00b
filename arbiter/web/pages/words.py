"""What the codes of the queue are called on its pages."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

from arbiter.domain.outcomes import Decision, FactState, ReviewItem, Ruling
from arbiter.domain.vocabulary import Action, Relation, RulingKind, StateReason

KINDS: Mapping[str, str] = {
    "cycle": "circle",
    "conflict": "conflict",
    "guard": "guard",
    "unsure": "unsure",
    "unjudged": "not judged",
    "stale_risk": "doubt",
    "proposal": "proposal",
}
"""Why something is asked, most pressing first."""

RELATIONS: Mapping[Relation, str] = {
    Relation.DUPLICATE: "both say the same",
    Relation.UPDATE: "one replaces the other",
    Relation.CONTRADICTION: "they cannot both be true",
    Relation.COMPLEMENTARY: "both hold together",
    Relation.UNRELATED: "they are about different things",
}
"""How two statements can relate, in the order of their keys."""

ANSWERS: Mapping[RulingKind, str] = {
    RulingKind.KEEP_A: "keep A",
    RulingKind.KEEP_B: "keep B",
    RulingKind.KEEP_BOTH: "keep both",
    RulingKind.NEITHER: "neither",
    RulingKind.MERGE: "merge",
    RulingKind.RELABEL: "another relation",
    RulingKind.SKIP: "skip",
    RulingKind.NEEDS_CONTEXT: "more context",
}
"""What can be answered."""

_RULINGS: Mapping[RulingKind, str] = {
    RulingKind.KEEP_BOTH: "kept both",
    RulingKind.NEITHER: "ruled that neither holds",
    RulingKind.MERGE: "merged both into one text",
    RulingKind.SKIP: "skipped it",
    RulingKind.NEEDS_CONTEXT: "asked for more context",
    RulingKind.UNDO: "took the decision back",
    RulingKind.RETRACT: "took the ruling back",
}
_REASONS: Mapping[StateReason, str] = {
    StateReason.DUPLICATE: "merged",
    StateReason.CORRECTION: "marked false",
    StateReason.ERASED: "erased",
}


def ruled(ruling: Ruling, item: ReviewItem) -> str:
    """Say what a ruling did, in the past, with the sides named as an item names them."""
    if ruling.kind is RulingKind.RELABEL and ruling.relabel is not None:
        return f"said {ruling.relabel.value}"
    if ruling.kind in (RulingKind.KEEP_A, RulingKind.KEEP_B):
        kept = ruling.a if ruling.kind is RulingKind.KEEP_A else ruling.b
        return f"kept {letter(kept, item)}"
    return _RULINGS[ruling.kind]


def proposed(decision: Decision, item: ReviewItem) -> str:
    """Say what the policy makes of a pair."""
    loser = letter(decision.loser, item) if decision.loser else "the other"
    return {
        Action.REVIEW: "Both stay visible, marked as contested, until somebody decides.",
        Action.HOLD: "The later one is held back until somebody decides.",
        Action.KEEP_BOTH: "Both stay current.",
        Action.MERGE_PROPOSAL: "One text is proposed to stand for both.",
        Action.REINFORCE: f"{loser} is merged into the other; its sources count for it.",
        Action.SUPERSEDE: f"{loser} is superseded by the other.",
        Action.TOMBSTONE: f"{loser} is marked as false.",
    }[decision.action]


def standing(state: FactState) -> str:
    """Say in a word where a fact stands."""
    if state.contested:
        return "contested"
    told = _REASONS.get(state.reason) if state.reason else None
    return told or ("waits" if state.state.value == "pending" else state.state.value)


def letter(fact_id: str, item: ReviewItem) -> str:
    """Return the letter of a side."""
    return "A" if fact_id == item.a else "B"


def span(time: timedelta) -> str:
    """Say roughly how long something took."""
    minutes = int(time.total_seconds()) // 60
    for size, unit in ((1440, "day"), (60, "hour"), (1, "minute")):
        if minutes >= size:
            count = minutes // size
            return f"{count} {unit}" if count == 1 else f"{count:,} {unit}s"
    return "less than a minute"


def minute(moment: datetime) -> str:
    """Write a moment in UTC as people do."""
    utc = moment.astimezone(UTC)
    return f"{utc.day} {utc:%b %Y}, {utc:%H:%M} UTC"


def clock_time(moment: datetime) -> str:
    """Write the time of day in UTC."""
    return f"{moment.astimezone(UTC):%H:%M} UTC"
