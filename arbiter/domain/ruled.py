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
    """How a pair relates by a ruling; what the ruling does not say is None."""

    relation: Relation
    current: Side | None = None
    update_kind: UpdateKind | None = None
    stale_risk: Side | None = None


@dataclass(frozen=True, slots=True)
class SettledPair:
    """A pair whose ruling stands; the sides of ``judgement``, the newest one, are those of the ruling.

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
        """The newest verdict; None where nobody could judge."""
        return self.judgement if isinstance(self.judgement, Verdict) else None

    @property
    def relation(self) -> RuledRelation | None:
        """How the sides relate by the ruling, as far as it says so.

        A relabel says it in so many words. Keeping what the verdict keeps confirms the verdict. What else
        a ruling means is no relation: who keeps both sides of a contradiction may mean any other one.
        """
        ruling, verdict = self.ruling, self.verdict
        if ruling.kind is RulingKind.RELABEL and ruling.relabel is not None:
            return RuledRelation(ruling.relabel)
        if verdict is None or not _confirms(ruling.kind, verdict):
            return None
        return RuledRelation(
            verdict.relation,
            current=verdict.current if verdict.relation is Relation.UPDATE else None,
            update_kind=verdict.update_kind,
            stale_risk=None if ruling.kind is RulingKind.KEEP_BOTH else verdict.stale_risk,
        )

    @property
    def consent(self) -> Consent:
        """Does the ruling bear the verdict out? A merge and a neither say nothing about it."""
        told, verdict = self.relation, self.verdict
        if verdict is None or self.ruling.kind in (RulingKind.MERGE, RulingKind.NEITHER):
            return Consent.SILENT
        return Consent.AGREED if told and told.relation is verdict.relation else Consent.DISAGREED


def _confirms(kind: RulingKind, verdict: Verdict) -> bool:
    """Does a ruling do what the verdict implies?"""
    if kind is RulingKind.KEEP_BOTH:
        return verdict.relation in _STAYING
    kept = _KEPT.get(kind)
    if kept is None:
        return False
    if verdict.relation is Relation.UPDATE:
        return kept == verdict.current
    if verdict.relation in _STAYING:
        # The other side was called doubtful, and it is gone.
        return verdict.stale_risk not in (None, kept)
    return True
