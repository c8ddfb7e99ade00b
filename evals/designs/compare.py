"""The same streams with the same answers, by designs that ask about more or less of them.

The language model's place is taken by what the authors of the streams say of their pairs, without mistakes
and with some, and by recorded models. So what differs is only how much is asked, and what is lost by asking
less.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from arbiter.domain.evidence import Spend
from arbiter.settings import Settings
from evals.authors import Authors
from evals.designs.model import Model
from evals.erring import Erring
from evals.judges import after_exact, after_local
from evals.recording import Recording, find_recording
from evals.replay import ReplayJudge
from evals.score.compare import Difference, paired
from evals.score.intervals import Interval
from evals.score.streams import score_ends
from evals.stream_states import live_through

if TYPE_CHECKING:
    from arbiter.ports import Judge
    from evals.stack import Stack
    from evals.stream_score import RecordEnd
    from evals.streams import Stream

DRAWS = range(3)
"""An erring model is measured in so many draws of which pairs it mistakes."""


@dataclass(frozen=True)
class Design:
    """What one design asked, and where the records ended.

    Attributes:
        answers: who answered in the language model's place.
        what: the design.
        records: records that are new in the streams, in all draws of the mistakes together.
        calls: questions to the language model.
        pairs: pairs that they were about.
        tokens: what was sent, in word pieces of the packaged tokenizer; what comes back is not counted.
        right: records that ended in the right state.
        right_interval: the 95 % interval of their share, in [0, 1], drawn over streams; None of one stream.
        gap: the same share beside that with the same answers to every pair; None where that is the design.
        wrongly_removed: records that are no longer read although they should be.
    """

    answers: str
    what: str
    records: int
    calls: int
    pairs: int
    tokens: int
    right: int
    right_interval: Interval | None
    gap: Difference | None
    wrongly_removed: int


def compare(
    streams: Sequence[Stream], stack: Stack, mistaken: Sequence[float] = (), recordings: Sequence[str] = ()
) -> list[Design]:
    """Return what designs ask, and where records end: arbiter's cascade, and a model for every pair.

    The third is one call for every record, as in stores that let a model decide at each addition; the tokens
    are the least that it takes, the pairs of one record in one question, and its answers are those of every
    pair.

    Args:
        streams: whose records are submitted, as they are told.
        stack: what is around the judge.
        mistaken: shares of the pairs that a model mistakes, one model each, in [0, 1].
        recordings: of models that answer, too; each with one pair a question.

    Raises:
        ConfigurationError: a recording is not there, or lacks a pair.
    """
    authors = Authors(streams, "llm/authors")
    answering: dict[str, list[Judge]] = {"the authors": [authors]}
    for share in mistaken:
        answering[f"the authors, {share:.0%} mistaken"] = [Erring(authors, share, draw) for draw in DRAWS]
    for name in recordings:
        recording = Recording.open(find_recording(name))
        answering[recording.header.model.rpartition("/")[2]] = [ReplayJudge(recording)]
    made: list[Design] = []
    for who, judges in answering.items():
        cascade, every = (
            [_lived(what, judge, streams, stack) for judge in judges] for what in (after_local, after_exact)
        )
        made += [
            _design(who, "the cascade", cascade, every),
            _design(who, "every candidate pair", every),
        ]
    each = replace(made[1], what="one call for every record", calls=made[1].records)
    return [*made[:2], each, *made[2:]]


@dataclass(frozen=True)
class _Lived:
    """Where the records of streams ended in one run, and what was asked."""

    ends: Sequence[RecordEnd]
    cost: Spend
    pairs: int


def _lived(
    design: Callable[[Judge, Settings], Judge], answers: Judge, streams: Sequence[Stream], stack: Stack
) -> _Lived:
    model = Model(answers, stack.settings)
    judge = design(model, stack.settings)
    (run,) = live_through("streams_dev", streams, judge.judge_id, judge, stack.around, ["as told"]).runs
    return _Lived(run.ends, run.cost, model.pairs)


def _design(answers: str, what: str, runs: Sequence[_Lived], every: Sequence[_Lived] | None = None) -> Design:
    """Sum up the runs of a design; those of ``every`` pair are of the same records in the same order."""
    ends = [end for run in runs for end in run.ends]
    scored = score_ends(ends)
    cost = sum((run.cost for run in runs), start=Spend())
    return Design(
        answers=answers,
        what=what,
        records=scored.records,
        calls=cost.llm_calls,
        pairs=sum(run.pairs for run in runs),
        tokens=cost.prompt_tokens,
        right=scored.right,
        right_interval=scored.right_interval,
        gap=None if every is None else _gap([end for run in every for end in run.ends], ends),
        wrongly_removed=scored.wrongly_removed,
    )


def _gap(first: Sequence[RecordEnd], second: Sequence[RecordEnd]) -> Difference:
    return paired(
        "right states",
        [end.right for end in first],
        [end.right for end in second],
        [end.stream for end in first],
    )
