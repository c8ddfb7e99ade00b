"""The least that a store does: the same words are the same fact, everything else is new."""

from __future__ import annotations

from collections.abc import Sequence

from arbiter.domain.evidence import Judgement, RecordPair, Spend, Unjudged
from arbiter.judges.exact import ExactJudge
from evals.baselines.answers import apart, same


class ExactMatch:
    """Merges what our exact judge calls the same and keeps the rest apart."""

    judge_id = "baseline/exact-match"

    def judge(self, pairs: Sequence[RecordPair]) -> tuple[list[Judgement], Spend]:
        """Judge pairs; the answers stand in the order of the pairs."""
        found, _ = ExactJudge().judge(pairs)
        return [
            apart(self.judge_id) if isinstance(judgement, Unjudged) else same(self.judge_id)
            for judgement in found
        ], Spend()
