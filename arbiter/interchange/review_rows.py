"""Review items as rows of a table: both sides as they are now, what was found, and what people answered.

A row carries the digests of both sides, so that a ruling binds exactly what was read.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING

from arbiter.domain.evidence import Judgement, Unjudged, Verdict
from arbiter.domain.facts import Fact, iso
from arbiter.domain.outcomes import Decision, ReviewItem, review_id
from arbiter.domain.review_queue import Comment
from arbiter.domain.ruled import SettledPair
from arbiter.domain.vocabulary import RulingKind
from arbiter.interchange.receipts import Json
from arbiter.interchange.review_answers import ANSWER

if TYPE_CHECKING:
    # The views are gathered above this layer; here they are only read.
    from arbiter.pipeline.review_view import ReviewView

_ASKED = ("priority", "kind", "relation", "stakes", "question", "rule")
# A cell of a table may not be of any length.
_COMMENTS_CHARS = 20_000
JUDGED = ("current", "update_kind", "stale_risk")
"""The columns that say what a judge found beside the relation; a ruling may confirm it."""
_SIDE = ("id", "content", "source", "observed_at", "digest")
COLUMNS = (
    "review_id",
    *_ASKED,
    *(f"a_{name}" for name in _SIDE),
    *(f"b_{name}" for name in _SIDE),
    "proposal",
    *JUDGED,
    "evidence",
    "comments",
    *ANSWER,
)


def review_row(
    item: ReviewItem,
    a: Fact,
    b: Fact,
    *,
    found: Judgement | None = None,
    evidence: str = "",
    comments: str = "",
) -> Json:
    """Return one item as a row, the reviewer's columns empty; ``found`` names the sides as the item does."""
    return {
        "review_id": item.id,
        "priority": item.priority,
        "kind": item.kind,
        "relation": item.relation and item.relation.value,
        "stakes": item.stakes.value,
        "question": item.question,
        "rule": item.rule,
        **_side("a", a),
        **_side("b", b),
        "proposal": item.proposal,
        **_judged(found),
        "evidence": evidence,
        "comments": comments,
        **dict.fromkeys(ANSWER, ""),
    }


def view_row(view: ReviewView) -> Json:
    """Return an item of the queue as a row, its priority that of the moment."""
    row = review_row(
        view.queued.item,
        view.a.fact,
        view.b.fact,
        found=view.judgement,
        evidence=evidence_text(view.judgement, view.decisions),
        comments=comments_text(view.comments),
    )
    return {**row, "priority": view.priority.total}


def settled_row(pair: SettledPair) -> Json:
    """Return a settled pair as a row with the ruling filled in, as an import reads it."""
    ruling, verdict = pair.ruling, pair.verdict
    merged = pair.merged.content if pair.merged is not None else ""
    row = {
        "review_id": review_id(ruling.a, ruling.b),
        **dict.fromkeys(_ASKED),
        "relation": verdict and verdict.relation.value,
        **_side("a", pair.a),
        **_side("b", pair.b),
        "proposal": verdict and verdict.merged_text,
        **_judged(verdict),
    }
    if pair.item is not None:
        sides = (pair.a, pair.b) if pair.item.a == pair.a.id else (pair.b, pair.a)
        asked = review_row(pair.item, *sides)
        row |= {name: asked[name] for name in (*_ASKED, "proposal") if row[name] is None}
    return {
        **row,
        "evidence": evidence_text(pair.judgement, ()),
        "comments": "",
        "ruling": ruling.kind.value,
        "relabel": ruling.relabel.value if ruling.relabel else "",
        "text": merged,
        # It was confirmed then, if it had to be.
        "confirmed": "yes" if ruling.kind is RulingKind.MERGE else "",
        "reviewer": ruling.reviewer,
        "reason": ruling.reason,
        "comment": "",
    }


def evidence_text(found: Judgement | None, decisions: Iterable[Decision]) -> str:
    """Write what was found about a pair and what the policy makes of it, a line each."""
    lines: list[str] = []
    if isinstance(found, Unjudged):
        lines.append(f"not judged: {found.message} ({found.code})")
    elif found is not None:
        kind = f" ({found.update_kind.value})" if found.update_kind else ""
        current = f", current is {found.current.upper()}" if found.current else ""
        lines.append(
            f"{found.relation.value}{kind}{current}, confidence {found.confidence:.2f}, by {found.judge}"
        )
        if found.stale_risk:
            lines.append(f"makes {found.stale_risk.upper()} doubtful")
        if found.reason:
            lines.append(f"because: {found.reason}")
    if found is not None:
        lines += [f"guard {guard.guard}: A says {guard.a}, B says {guard.b}" for guard in found.guards]
    lines += [f"rule {made.rule}, {made.action.value}: {made.explanation}" for made in decisions]
    return "\n".join(lines)


def comments_text(comments: Sequence[Comment]) -> str:
    """Write what was noted on an item, a paragraph each; of very much, the newest."""
    told = [f"{noted.author}, {iso(noted.at)}: {noted.text}" for noted in comments]
    sizes = accumulate(len(text) for text in reversed(told))
    fitting = sum(size <= _COMMENTS_CHARS for size in sizes)
    earlier = len(told) - fitting
    return "\n".join([f"({earlier} earlier ones)"] * bool(earlier) + told[earlier:])


def _judged(found: Judgement | None) -> Json:
    """Return what a ruling is compared with beside the relation."""
    if not isinstance(found, Verdict):
        return dict.fromkeys(JUDGED)
    kind = found.update_kind and found.update_kind.value
    return {"current": found.current, "update_kind": kind, "stale_risk": found.stale_risk}


def _side(name: str, fact: Fact) -> Json:
    sources = dict.fromkeys(f"{s.source.kind.value} {s.source.id}" for s in fact.sightings)
    return {
        f"{name}_id": fact.id,
        f"{name}_content": fact.content,
        f"{name}_source": "; ".join(sources),
        f"{name}_observed_at": iso(fact.first_seen),
        f"{name}_digest": fact.digest,
    }
