"""A judge that counts: what asking another one cost, and who settled how many pairs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from arbiter.domain.evidence import Judgement, RecordPair, Spend, Verdict

if TYPE_CHECKING:
    from arbiter.ports import Judge


class Metered:
    """Answers as another judge does, and counts.

    ``cost`` is what was spent, ``settled`` the number of verdicts by the kind of judge that gave them, and
    ``unjudged`` the number of pairs that none could judge, by reason.
    """

    def __init__(self, judge: Judge) -> None:
        self._judge = judge
        self.cost = Spend()
        self.settled: Counter[str] = Counter()
        self.unjudged: Counter[str] = Counter()

    @property
    def judge_id(self) -> str:
        """The id of the other judge."""
        return self._judge.judge_id

    def judge(self, pairs: Sequence[RecordPair]) -> tuple[list[Judgement], Spend]:
        """Ask the other judge."""
        judgements, spend = self._judge.judge(pairs)
        self.cost += spend
        for judgement in judgements:
            if isinstance(judgement, Verdict):
                self.settled[judgement.judge.partition("/")[0]] += 1
            else:
                self.unjudged[judgement.code] += 1
        return judgements, spend
