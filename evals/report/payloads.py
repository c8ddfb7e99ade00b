"""What a result file holds of a run, and the run back from it. What says nothing is left out of a row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from arbiter.domain.evidence import Spend
from arbiter.domain.vocabulary import Action, Relation, State, StateReason, UpdateKind
from arbiter.errors import ConfigurationError
from evals.cases import PairAnswer
from evals.score.intervals import SEED
from evals.score.items import Item, Truth, items
from evals.score.labels import LABELS
from evals.score.pairs import DIGITS, score_pairs
from evals.score.streams import score_ends
from evals.stream_score import MEASURES, RecordEnd

if TYPE_CHECKING:
    from evals.candidates import CandidateScore
    from evals.cases import PairRun
    from evals.report.files import Result
    from evals.stream_score import OrderRun, StreamScore

_FLAGS = ("expected_merged", "expected_contested", "contested", "swapped", "asked")


@dataclass(frozen=True, slots=True)
class AnsweredPairs:
    """A run over labelled pairs as it was read from a file: the cases without their texts."""

    items: tuple[Item, ...]
    spend: Spend
    seconds: float


def pair_payload(run: PairRun, *, seed: int = SEED) -> dict[str, Any]:
    """Return what is written of a run over labelled pairs: every case, and the scores of what is written."""
    found = items(run)
    numbers = {name: n for n, name in enumerate(dict.fromkeys(item.truth.group for item in found), start=1)}
    cases = [_row(item, numbers[item.truth.group]) for item in found]
    # Of the cases as they are written, rounded: so anyone who reads the file gets the same scores.
    written = tuple(_item(case) for case in cases)
    return {
        "suite": run.suite,
        "judge": run.judge,
        "score": score_pairs(written, run.cost, run.seconds, seed=seed).as_json(),
        "cases": cases,
    }


def answered_pairs(result: Result) -> AnsweredPairs:
    """Return the cases of a run that was read.

    Raises:
        ConfigurationError: a case is not as ``pair_payload`` writes it.
    """
    try:
        cost = {**result.payload["score"]["cost"]}
        del cost["settled"]
        seconds = float(cost.pop("seconds"))
        found = tuple(_item(row) for row in result.payload["cases"])
        return AnsweredPairs(found, Spend(**cost), seconds)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ConfigurationError(f"{result.path} is no run over pairs: {error!r}") from error


def stream_payload(score: StreamScore, *, seed: int = SEED) -> dict[str, Any]:
    """Return what is written of streams: counts for each order, and where records end in the first one."""
    main = score.runs[0]
    return {
        "suite": score.suite,
        "judge": score.judge,
        "score": {
            **{name: _rounded(value) for name, value in asdict(score_ends(main.ends, seed=seed)).items()},
            "steady": round(score.steady, DIGITS),
        },
        "orders": [_order(run) for run in score.runs],
        "ends": [_end_row(end) for end in main.ends],
    }


def stream_ends(result: Result) -> tuple[RecordEnd, ...]:
    """Return where records ended in a run that was read.

    Raises:
        ConfigurationError: a row is not as ``stream_payload`` writes it.
    """
    try:
        return tuple(_end(row) for row in result.payload["ends"])
    except (KeyError, TypeError, ValueError) as error:
        raise ConfigurationError(f"{result.path} is no run over streams: {error!r}") from error


def candidate_payload(score: CandidateScore) -> dict[str, Any]:
    """Return what is written of candidates; in a judge's place stands how many distractors there were."""
    from evals.candidates import title

    told = score.as_json()
    return {
        "suite": score.suite,
        "judge": title(score.distractors),
        "score": {name: value for name, value in told.items() if name not in {"suite", "pairs"}},
        "pairs": told["pairs"],
    }


def _row(item: Item, group: int) -> dict[str, Any]:
    truth, answer = item.truth, item.answer
    told_of = LABELS if answer.probabilities else ()
    told = {
        "id": truth.id,
        "group": group,
        "truth": truth.relation,
        "right_action": truth.action,
        "right_loser": truth.loser,
        "right_current": truth.current,
        "right_kind": truth.update_kind,
        "answer": answer.relation,
        "confidence": round(answer.confidence, 6),
        "by": answer.judge,
        "action": answer.action,
        "loser": answer.loser,
        "current": answer.current,
        "kind": answer.update_kind,
        "probabilities": [round(answer.probabilities.get(label, 0.0), DIGITS) for label in told_of],
        "unjudged": answer.unjudged,
    }
    return {name: value for name, value in told.items() if value not in (None, "", [])}


def _item(row: Mapping[str, Any]) -> Item:
    answered, kind, right_kind = row.get("answer"), row.get("kind"), row.get("right_kind")
    return Item(
        Truth(
            id=row["id"],
            group=str(row["group"]),
            relation=Relation(row["truth"]),
            action=Action(row["right_action"]),
            loser=row.get("right_loser"),
            current=row.get("right_current"),
            update_kind=UpdateKind(right_kind) if right_kind else None,
        ),
        PairAnswer(
            case_id=row["id"],
            relation=Relation(answered) if answered else None,
            confidence=row["confidence"],
            judge=row.get("by", ""),
            action=Action(row["action"]),
            loser=row.get("loser"),
            current=row.get("current"),
            update_kind=UpdateKind(kind) if kind else None,
            probabilities=dict(zip(LABELS, row["probabilities"], strict=True))
            if "probabilities" in row
            else {},
            unjudged=row.get("unjudged"),
        ),
    )


def _order(run: OrderRun) -> dict[str, Any]:
    return {
        "order": run.order,
        "records": len(run.ends),
        **{measure: run.count(measure) for measure in MEASURES},
        "questions": {"wanted": run.wanted, "found": run.found, "other": run.other},
        "settled": dict(run.settled),
        "unjudged": dict(run.unjudged),
        "cost": asdict(run.cost),
        "seconds": round(run.seconds, 1),
    }


def _end_row(end: RecordEnd) -> dict[str, Any]:
    told = {
        "stream": end.stream,
        "rid": end.rid,
        "expected": end.expected,
        "ended": end.ended,
        "reason": end.reason,
        **{name: True for name in _FLAGS if getattr(end, name)},
    }
    return {name: value for name, value in told.items() if value is not None}


def _end(row: Mapping[str, Any]) -> RecordEnd:
    return RecordEnd(
        stream=row["stream"],
        rid=row["rid"],
        expected=State(row["expected"]),
        ended=State(row["ended"]),
        reason=StateReason(row["reason"]) if "reason" in row else None,
        **{name: row.get(name, False) for name in _FLAGS},
    )


def _rounded(value: object) -> object:
    return [round(bound, DIGITS) for bound in value] if isinstance(value, tuple) else value
