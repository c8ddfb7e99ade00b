"""A judge that is wrong now and then: what a design makes of the mistakes of its language model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from random import Random

from arbiter.domain.evidence import Judgement, RecordPair, Spend, Verdict
from arbiter.domain.facts import fact_id
from arbiter.domain.vocabulary import Relation, UpdateKind
from arbiter.ports import Judge

NEIGHBOURS: Mapping[Relation, tuple[Relation, ...]] = {
    Relation.UNRELATED: (Relation.COMPLEMENTARY,),
    Relation.COMPLEMENTARY: (Relation.UNRELATED, Relation.DUPLICATE, Relation.UPDATE),
    Relation.DUPLICATE: (Relation.COMPLEMENTARY, Relation.UPDATE),
    Relation.UPDATE: (Relation.COMPLEMENTARY, Relation.DUPLICATE, Relation.CONTRADICTION),
    Relation.CONTRADICTION: (Relation.COMPLEMENTARY, Relation.UPDATE),
}
"""What a relation is mistaken for, each as likely: those from which it is hardest to tell.

What has no common topic is never mistaken for a reason to remove, so this is kind to who asks about much.
"""


class Erring:
    """Another judge's answers, a share of them wrong.

    Which pairs are mistaken and for what follows from the pair, the share and the draw alone, so all who ask
    about a pair are told the same. A mistake is as sure of itself as the answer that it replaces, and takes
    the later statement for the one to keep.

    Args:
        answers: the judge whose verdicts are mistaken.
        share: of pairs that are, in [0, 1].
        draw: which ones; any whole number.
    """

    def __init__(self, answers: Judge, share: float, draw: int = 0) -> None:
        self.judge_id = answers.judge_id
        self._answers = answers
        self._share = share
        self._draw = draw

    def judge(self, pairs: Sequence[RecordPair]) -> tuple[list[Judgement], Spend]:
        """Judge pairs, some of them wrongly; the answers stand in the order of the pairs."""
        judged, spend = self._answers.judge(pairs)
        return [self._told(pair, found) for pair, found in zip(pairs, judged, strict=True)], spend

    def _told(self, pair: RecordPair, found: Judgement) -> Judgement:
        if not isinstance(found, Verdict):
            return found
        chance = Random(f"{self._draw} {' '.join(sorted((fact_id(pair.a), fact_id(pair.b))))}")
        if chance.random() >= self._share:
            return found
        relation = chance.choice(NEIGHBOURS[found.relation])
        updates = relation is Relation.UPDATE
        return replace(
            found,
            relation=relation,
            current="b" if updates else None,
            update_kind=UpdateKind.STATE_CHANGE if updates else None,
        )
