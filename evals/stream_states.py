"""Streams lived through: every record submitted to a whole arbiter, in several orders of arrival."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import TYPE_CHECKING

from arbiter.api import Arbiter
from arbiter.domain.vocabulary import State, StateReason
from arbiter.pipeline.batches import batches
from evals.metering import Metered
from evals.stream_score import OrderRun, RecordEnd, StreamScore

if TYPE_CHECKING:
    from arbiter.domain.facts import Record
    from arbiter.domain.outcomes import FactState
    from arbiter.pipeline.context import Context
    from arbiter.ports import Judge
    from evals.streams import Stream

ORDERS = ("as told", "backwards", "shuffled 1")
BATCH = 7


def live_through(
    suite: str,
    streams: Sequence[Stream],
    judge_name: str,
    judge: Judge,
    around: Callable[[Judge], Context],
    orders: Sequence[str] = ORDERS,
) -> StreamScore:
    """Submit every stream in each order, and compare where the records end with what is expected.

    Args:
        suite: name of the suite.
        streams: the scenarios; each has a namespace of its own.
        judge_name: by what name the judge is reported.
        judge: who judges.
        around: gives a context with a judge and a store that is empty; called for each order anew.
        orders: ``as told``, ``backwards``, or ``shuffled`` with a seed; at least one.
    """
    runs = []
    for order in orders:
        metered = Metered(judge)
        begun = time.perf_counter()
        with Arbiter(around(metered)) as arbiter:
            lived = [_live(stream, order, arbiter) for stream in streams]
        seconds = time.perf_counter() - begun
        questions = sum((asked for _, asked in lived), start=Counter[str]())
        runs.append(
            OrderRun(
                order=order,
                ends=tuple(end for ends, _ in lived for end in ends),
                wanted=questions["wanted"],
                found=questions["found"],
                other=questions["other"],
                settled=dict(metered.settled),
                unjudged=dict(metered.unjudged),
                cost=metered.cost,
                seconds=seconds,
            )
        )
    return StreamScore(suite, judge_name, tuple(runs))


def arrivals(stream: Stream, order: str) -> list[tuple[str, Record]]:
    """Return the records with their handles, in an order of arrival."""
    records = list(stream.records.items())
    if order == "backwards":
        return records[::-1]
    if order.startswith("shuffled"):
        Random(f"{order} {stream.id}").shuffle(records)
    return records


def _live(stream: Stream, order: str, arbiter: Arbiter) -> tuple[list[RecordEnd], Counter[str]]:
    ids: dict[str, str] = {}
    for batch in batches(arrivals(stream, order), BATCH):
        receipts = arbiter.submit([record for _, record in batch])
        ids |= {rid: str(told.fact_id) for (rid, _), told in zip(batch, receipts, strict=True)}
    asked = {frozenset((item.a, item.b)) for item in arbiter.review.items(namespace=stream.id)}
    wanted = {frozenset(ids[rid] for rid in two) for two in stream.asked}
    states = {view.fact.id: view.state for view in arbiter.facts(namespace=stream.id, state=None)}
    handles = {fact: rid for rid, fact in ids.items() if rid not in stream.replays}
    ends = [
        _end(stream, handles, states[fact], asked=any(fact in two for two in asked))
        for fact in sorted(handles, key=handles.__getitem__)
    ]
    questions = {"wanted": wanted, "found": wanted & asked, "other": asked - wanted}
    return ends, Counter({name: len(pairs) for name, pairs in questions.items()})


def _end(stream: Stream, handles: Mapping[str, str], state: FactState, *, asked: bool) -> RecordEnd:
    rid = handles[state.fact_id]
    word, _, contested = stream.expected_state(rid)
    merged = state.reason is StateReason.DUPLICATE and state.successor is not None
    return RecordEnd(
        stream=stream.id,
        rid=rid,
        expected=State.SUPERSEDED if word == "merged" else State(word),
        expected_merged=word == "merged",
        expected_contested=contested,
        ended=state.state,
        reason=state.reason,
        contested=state.contested,
        swapped=merged and stream.expected["merged"].get(handles[str(state.successor)]) == rid,
        asked=asked,
    )
