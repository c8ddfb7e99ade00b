"""Pairs judged on their own, without a store: the same judges and guards, the caller's sides."""

from __future__ import annotations

from collections.abc import Sequence

from arbiter.domain.evidence import Judgement, RecordPair, Spend
from arbiter.domain.facts import Record
from arbiter.pipeline.context import Context
from arbiter.pipeline.judge import flipped, judge_records, oriented


def classify(pairs: Sequence[tuple[Record, Record]], context: Context) -> tuple[list[Judgement], Spend]:
    """Judge pairs of records; ``current`` and ``stale_risk`` name the sides as the caller gave them.

    The judges see each pair as (earlier, later), so exchanging the arguments cannot change the answer.
    """
    completed = [(context.claim_keys.complete(a), context.claim_keys.complete(b)) for a, b in pairs]
    in_order = [oriented(a, b) for a, b in completed]
    judgements, spend = judge_records(
        [
            RecordPair(a, b) if ok else RecordPair(b, a)
            for (a, b), ok in zip(completed, in_order, strict=True)
        ],
        context,
    )
    return [j if ok else flipped(j) for j, ok in zip(judgements, in_order, strict=True)], spend
