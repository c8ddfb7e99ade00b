"""Pairs that people settled, and what their rulings say about how the sides relate."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from arbiter.domain.evidence import Judgement, Side, Verdict
from arbiter.domain.facts import Fact
from arbiter.domain.outcomes import ReviewItem, Ruling
from arbiter.domain.vocabulary import Relation, RulingKind, UpdateKind

_KEPT: dict[RulingKind, Side] = {RulingKind.KEEP_A: "a", RulingKind.KEEP_B: "b"}
_STAYING = (Relation.COMPLEMENTARY, Relation.UNRELATED)


class Consent(StrEnum):
    """What a ruling says about the verdict that was put before a person."""

    AGREED = "agreed"
    DISAGREED = "disagreed"
    SILENT = "silent"


@dataclass(frozen=True, slots=True)
class RuledRelation:
    """How a pair relates by a judge, or by a ruling; what is not said is None."""

    relation: Relation
    current: Side | None = None
    update_kind: UpdateKind | None = None
    stale_risk: Side | None = None


def ruled_relation(
    kind: RulingKind, relabel: Relation | None, found: RuledRelation | None
) -> RuledRelation | None:
    """Return how a pair relates by a ruling on what a judge found, as far as the ruling says so.

    A relabel says it in so many words. Keeping what the judge keeps confirms the judge: who keeps the other
    side of an update may as well mean a contradiction. What else a ruling means is no relation: who keeps
    both sides of a contradiction may mean any other one.
    """
    if kind is RulingKind.RELABEL and relabel is not None:
        return RuledRelation(relabel)
    if found is None or not _confirms(kind, found):
        return None
    return RuledRelation(
        found.relation,
        current=found.current if found.relation is Relation.UPDATE else None,
        update_kind=found.update_kind,
        stale_risk=None if kind is RulingKind.KEEP_BOTH else found.stale_risk,
    )


@dataclass(frozen=True, slots=True)
class SettledPair:
    """A pair whose ruling stands. ``judgement`` is the one that counted then, its sides those of the ruling.

    ``merged`` is the text that stands for both, ``item`` the question as it was asked; it is None where
    the views were built again since.
    """

    ruling: Ruling
    a: Fact
    b: Fact
    judgement: Judgement | None = None
    merged: Fact | None = None
    item: ReviewItem | None = None

    @property
    def verdict(self) -> Verdict | None:
        """The verdict that was ruled on; None where nobody could judge."""
        return self.judgement if isinstance(self.judgement, Verdict) else None

    @property
    def relation(self) -> RuledRelation | None:
        """How the sides relate by the ruling, as far as it says so."""
        found, verdict = None, self.verdict
        if verdict is not None:
            found = RuledRelation(verdict.relation, verdict.current, verdict.update_kind, verdict.stale_risk)
        return ruled_relation(self.ruling.kind, self.ruling.relabel, found)

    @property
    def consent(self) -> Consent:
        """Does the ruling bear the verdict out? A merge and a neither say nothing about it."""
        told, verdict = self.relation, self.verdict
        if verdict is None or self.ruling.kind in (RulingKind.MERGE, RulingKind.NEITHER):
            return Consent.SILENT
        return Consent.AGREED if told and told.relation is verdict.relation else Consent.DISAGREED


def _confirms(kind: RulingKind, found: RuledRelation) -> bool:
    """Does a ruling do what was found implies?"""
    if kind is RulingKind.KEEP_BOTH:
        return found.relation in _STAYING
    kept = _KEPT.get(kind)
    if kept is None:
        return False
    if found.relation is Relation.UPDATE:
        return kept == found.current
    if found.relation in _STAYING:
        # The other side was called doubtful, and it is gone.
        return found.stale_risk not in (None, kept)
    return True
