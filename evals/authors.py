"""The authors of streams in a judge's place: what they said of their pairs is the answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from arbiter.domain.evidence import Judgement, RecordPair, Spend, Verdict
from arbiter.domain.facts import Record, fact_id
from arbiter.domain.vocabulary import Relation

if TYPE_CHECKING:
    from evals.streams import Stream

_SURE = 0.99


class Authors:
    """Answers for the authors of streams; every pair that they do not list is unrelated.

    Args:
        streams: whose pairs it knows.
        judge_id: by what name its verdicts go.
        completed: how the store completes a record before it is a fact.
    """

    def __init__(
        self,
        streams: Iterable[Stream],
        judge_id: str = "authors",
        completed: Callable[[Record], Record] = lambda record: record,
    ) -> None:
        self.judge_id = judge_id
        self._known = {
            frozenset((fact_id(completed(example.pair.a)), fact_id(completed(example.pair.b)))): Verdict(
                relation=example.relation,
                confidence=_SURE,
                judge=judge_id,
                current=example.current,
                update_kind=example.update_kind,
                mutability=example.mutability,
                stakes=example.stakes,
            )
            for stream in streams
            for example in map(stream.label, stream.expected["pairs"])
        }

    def judge(self, pairs: Sequence[RecordPair]) -> tuple[list[Judgement], Spend]:
        """Answer by the facts of each pair."""
        unrelated = Verdict(Relation.UNRELATED, _SURE, self.judge_id)
        asked = [frozenset((fact_id(pair.a), fact_id(pair.b))) for pair in pairs]
        return [self._known.get(facts, unrelated) for facts in asked], Spend(local_pairs=len(pairs))
