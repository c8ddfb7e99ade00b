"""Answered cases as scores see them, made by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from arbiter.domain.evidence import RecordPair, Spend
from arbiter.domain.vocabulary import Action, Relation, State
from evals.cases import PairAnswer, PairCase, PairRun
from evals.score.items import Item, Truth
from evals.stream_score import OrderRun, RecordEnd, StreamScore
from tests.factories import make_record

_ACTIONS = {
    "duplicate": Action.REINFORCE,
    "update": Action.SUPERSEDE,
    "contradiction": Action.REVIEW,
    "complementary": Action.KEEP_BOTH,
    "unrelated": Action.KEEP_BOTH,
}


def item(truth: str, answer: str | None, confidence: float = 0.9, **fields: Any) -> Item:
    """Return one case and its answer, with what the policy usually makes of both.

    Fields: ``id``, ``group``, ``judge``, ``action`` and ``loser`` (what was done), ``right_action`` and
    ``right_loser`` (what should have been), ``current`` and ``right_current``.
    """
    action = fields.get("action") or (_ACTIONS[answer] if answer else Action.HOLD)
    right_action = fields.get("right_action") or _ACTIONS[truth]
    name = fields.get("id", "case")
    return Item(
        Truth(
            id=name,
            group=fields.get("group", name),
            relation=Relation(truth),
            action=right_action,
            loser=fields.get("right_loser", "a" if right_action is Action.SUPERSEDE else None),
            current=fields.get("right_current", "b" if truth == "update" else None),
        ),
        PairAnswer(
            case_id=name,
            relation=Relation(answer) if answer else None,
            confidence=confidence if answer else 0.0,
            judge=fields.get("judge", "table"),
            action=action,
            loser=fields.get("loser", "a" if action is Action.SUPERSEDE else None),
            current=fields.get("current", "b" if answer == "update" else None),
            unjudged=None if answer else "not_decided",
        ),
    )


def numbered(*found: Item) -> tuple[Item, ...]:
    """Return cases with ids c1, c2, ..., each a group of its own."""
    return tuple(
        Item(
            replace(one.truth, id=f"c{number}", group=f"c{number}"),
            replace(one.answer, case_id=f"c{number}"),
        )
        for number, one in enumerate(found, start=1)
    )


def run(*found: Item, suite: str = "hand", judge: str = "table", **fields: Any) -> PairRun:
    """Return cases as the run of a judge."""
    pair = RecordPair(make_record("Ana likes tea."), make_record("Ana likes coffee.", at=1))
    return PairRun(
        suite=suite,
        judge=judge,
        cases=tuple(
            PairCase(
                id=one.truth.id,
                pair=pair,
                relation=one.truth.relation,
                group=one.truth.group,
                action=one.truth.action,
                loser=one.truth.loser,
                current=one.truth.current,
                update_kind=one.truth.update_kind,
            )
            for one in found
        ),
        answers=tuple(one.answer for one in found),
        cost=fields.get("cost", Spend()),
        seconds=fields.get("seconds", 0.0),
    )


def end(rid: str, expected: str, ended: str, *, stream: str = "s1", **flags: bool) -> RecordEnd:
    """Return where a record of a stream ended beside where it should."""
    told = dict.fromkeys(("expected_merged", "expected_contested", "contested", "swapped", "asked"), False)
    return RecordEnd(
        stream=stream, rid=rid, expected=State(expected), ended=State(ended), reason=None, **{**told, **flags}
    )


def streams(*orders: tuple[RecordEnd, ...], judge: str = "table", suite: str = "lived") -> StreamScore:
    """Return streams that ended so, in several orders of arrival."""
    return StreamScore(
        suite,
        judge,
        tuple(
            OrderRun(
                order="as told" if number == 0 else f"shuffled {number}",
                ends=ends,
                wanted=4,
                found=3,
                other=2,
                settled={"table": 5},
                unjudged={"not_decided": 1},
                cost=Spend(llm_calls=2, usd=0.25),
                seconds=1.25,
            )
            for number, ends in enumerate(orders)
        ),
    )
