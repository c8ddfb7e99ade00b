"""The floor of every accuracy: the same answer to every pair."""

from __future__ import annotations

from collections.abc import Sequence

from arbiter.domain.evidence import Judgement, RecordPair, Spend, Verdict
from arbiter.domain.vocabulary import Relation

MAJORITY = Relation.COMPLEMENTARY
"""Of the 8,250 training pairs 1,710 each are duplicate, contradiction and complementary; of these three the
last is the one that takes nothing away."""

SHARE = 1_710 / 8_250
"""Part of the training pairs that have it."""


class Majority:
    """Calls every pair what most training pairs are."""

    judge_id = f"baseline/majority@{MAJORITY}"

    def judge(self, pairs: Sequence[RecordPair]) -> tuple[list[Judgement], Spend]:
        """Judge pairs; the answers stand in the order of the pairs."""
        verdict = Verdict(MAJORITY, SHARE, self.judge_id, reason="most training pairs are that")
        return [verdict] * len(pairs), Spend()
