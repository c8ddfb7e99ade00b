"""The field cases of one stored record and one that arrives, lived through with a judge that is measured.

What a case says in words, and the cases of batches, writers and models, are held by the acceptance tests:
no judge of relations can change their outcome.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from arbiter.api import Arbiter
from arbiter.domain.evidence import RecordPair, Side, Verdict
from arbiter.domain.facts import Record
from arbiter.domain.vocabulary import Action, Relation
from arbiter.pipeline.judge import oriented
from evals.cases import PairAnswer, PairCase, PairRun
from evals.field_cases import Case, load_cases, record
from evals.metering import Metered
from evals.pair_rows import read_record
from evals.suite_files import FOLDER

if TYPE_CHECKING:
    from arbiter.domain.outcomes import Receipt
    from arbiter.pipeline.context import Context
    from arbiter.ports import Judge
    from arbiter.settings import Settings

NOT_COMPARED = "not_compared"
"""The code of a pair that no judge saw, because it was no candidate: both stay, as if unrelated."""

_OTHER: dict[Side, Side] = {"a": "b", "b": "a"}
_THEIR_WORDS = {
    "flag_for_review": Action.REVIEW,
    "abstain": Action.HOLD,
    "keep_both with a link marking the stale part": Action.KEEP_BOTH,
}


def with_registries(settings: Settings) -> Settings:
    """Return the settings with the claim keys and aliases that the cases take for registered."""
    return settings.model_copy(
        update={
            "claim_key_files": (*settings.claim_key_files, FOLDER / "field_cases_keys.toml"),
            "alias_files": (*settings.alias_files, FOLDER / "field_cases_aliases.toml"),
        }
    )


def solve_field_cases(judge_name: str, judge: Judge, around: Callable[[Judge], Context]) -> PairRun:
    """Submit the two records of each case, one after the other, and return what became of them.

    Some cases accept several relations or actions; where what was found is one of them, it is what is
    expected.

    Args:
        judge_name: by what name the judge is reported.
        judge: who judges.
        around: gives a context with a judge and a store that is empty.
    """
    metered = Metered(judge)
    begun = time.perf_counter()
    with Arbiter(around(metered)) as arbiter:
        played = [_play(case, arbiter) for case in load_cases().values() if case.input["type"] == "pair"]
    return PairRun(
        suite="field_cases",
        judge=judge_name,
        cases=tuple(case for case, _ in played),
        answers=tuple(answer for _, answer in played),
        cost=metered.cost,
        seconds=time.perf_counter() - begun,
    )


def _play(case: Case, arbiter: Arbiter) -> tuple[PairCase, PairAnswer]:
    existing, candidate = (_record(case, side) for side in ("existing", "candidate"))
    (stored,), (arrived,) = arbiter.submit([existing]), arbiter.submit([candidate])
    existing_side: Side = "a" if oriented(existing, candidate) else "b"
    pair = RecordPair(existing, candidate) if existing_side == "a" else RecordPair(candidate, existing)
    answer = _answer(case.id, existing_side, stored, arrived)
    return _expected(case, pair, existing_side, answer), answer


def _record(case: Case, side: str) -> Record:
    return replace(read_record(record(case.input[side])), namespace=case.id)


def _answer(case_id: str, existing_side: Side, stored: Receipt, arrived: Receipt) -> PairAnswer:
    if stored.fact_id == arrived.fact_id:
        return PairAnswer(case_id, Relation.DUPLICATE, 1.0, "identity", Action.REINFORCE)
    found = [told.judgement for told in arrived.relations if told.fact_id == stored.fact_id]
    if not found:
        return PairAnswer(case_id, None, 0.0, "", Action.KEEP_BOTH, unjudged=NOT_COMPARED)
    (judgement,) = found
    (decision,) = (d for d in arrived.decisions if {d.a, d.b} == {stored.fact_id, arrived.fact_id})
    sides: dict[str | None, Side] = {
        stored.fact_id: existing_side,
        arrived.fact_id: _OTHER[existing_side],
    }
    answer = PairAnswer(
        case_id,
        None,
        0.0,
        judgement.judge,
        decision.action,
        sides[decision.loser] if decision.loser else None,
    )
    if not isinstance(judgement, Verdict):
        return replace(answer, unjudged=judgement.code)
    return replace(
        answer,
        relation=judgement.relation,
        confidence=judgement.confidence,
        current=judgement.current,
        update_kind=judgement.update_kind,
        probabilities={Relation(name): share for name, share in judgement.probabilities.items()},
    )


def _expected(case: Case, pair: RecordPair, existing_side: Side, answer: PairAnswer) -> PairCase:
    """Return the case with the accepted relation and action that were found, else with the first ones."""
    expected = case.expected
    labels = [Relation(name) for name in expected.get("relation_any_of") or [expected["relation"]]]
    loser: Side | None = None
    if "winner" in expected:
        loser = _OTHER[existing_side] if expected["winner"] == "existing" else existing_side
    actions = list(_actions(expected))
    retires = answer.action in (Action.SUPERSEDE, Action.TOMBSTONE)
    # To decide by authority in favour of the side that must stay is as good as to ask.
    accepted = loser == answer.loser if retires and loser else answer.action in actions
    first = actions[0]
    return PairCase(
        id=case.id,
        pair=pair,
        relation=answer.relation if answer.relation in labels and answer.relation else labels[0],
        group=case.id,
        action=answer.action if accepted else first,
        loser=answer.loser if accepted else loser if first in (Action.SUPERSEDE, Action.TOMBSTONE) else None,
    )


def _actions(expected: Any) -> Iterator[Action]:  # noqa: ANN401  as read from JSON
    for word in (expected.get("action"), *expected.get("action_any_of", ())):
        if word in _THEIR_WORDS or word in set(Action):
            yield _THEIR_WORDS.get(word) or Action(word)
