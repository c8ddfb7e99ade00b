"""``python -m evals designs``: what designs ask a language model, on the same streams with the same answers.

The model's place is taken by what the authors of the streams say of their pairs, without mistakes and with
some, and by recorded models. So what differs is only how much is asked, and what is lost by asking less.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arbiter.adapters.prompts import load
from arbiter.domain.evidence import Judgement, RecordPair, Spend
from arbiter.errors import ConfigurationError
from arbiter.judges.llm import CALL_CHARS
from arbiter.judges.local import PACKAGED_TOKENIZER
from arbiter.judges.question import grouped, question
from arbiter.settings import Settings
from evals.authors import Authors
from evals.benchmark.tables import print_table
from evals.erring import Erring
from evals.judges import after_exact, after_local
from evals.recording import Recording, find_recording
from evals.replay import ReplayJudge
from evals.report.provenance import checkout
from evals.stack import Stack
from evals.stream_states import live_through
from evals.streams import load_streams

if TYPE_CHECKING:
    from tokenizers import Tokenizer

    from arbiter.ports import Judge
    from evals.streams import Stream

DRAWS = range(3)
"""An erring model is measured in so many draws of which pairs it mistakes."""

_DESIGNS: Mapping[str, Callable[[Judge, Settings], Judge]] = {
    "the cascade": after_local,
    "every candidate pair": after_exact,
}


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
        wrongly_removed: records that are no longer read although they should be.
    """

    answers: str
    what: str
    records: int
    calls: int
    pairs: int
    tokens: int
    right: int
    wrongly_removed: int


class Model:
    """A language model in whose place another judge answers.

    It is asked as the real one would be, several pairs a call, and counts calls, pairs and tokens.
    """

    def __init__(self, answers: Judge, settings: Settings) -> None:
        self.judge_id = answers.judge_id
        self._answers = answers
        self._prompt = load(settings.prompt)
        self._most = settings.llm_pairs_per_call
        self.pairs = 0

    def judge(self, pairs: Sequence[RecordPair]) -> tuple[list[Judgement], Spend]:
        """Answer as the other judge does, at what asking would cost."""
        if not pairs:
            return [], Spend()
        self.pairs += len(pairs)
        groups = list(grouped(pairs, most=self._most, most_chars=CALL_CHARS))
        sent = [
            self._prompt.system + self._prompt.render(question([pairs[n] for n in group])) for group in groups
        ]
        tokens = sum(len(found.ids) for found in self._tokenizer.encode_batch(sent))
        return self._answers.judge(pairs)[0], Spend(len(groups), tokens)

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        from tokenizers import Tokenizer

        found = Tokenizer.from_file(str(PACKAGED_TOKENIZER))
        found.no_truncation()
        found.no_padding()
        return found


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
    cascade, every, *others = (
        _together([_lived(answers, what, judge, streams, stack) for judge in judges])
        for answers, judges in answering.items()
        for what in _DESIGNS
    )
    return [cascade, every, replace(every, what="one call for every record", calls=every.records), *others]


def _lived(answers: str, what: str, judge: Judge, streams: Sequence[Stream], stack: Stack) -> Design:
    model = Model(judge, stack.settings)
    wired = _DESIGNS[what](model, stack.settings)
    (run,) = live_through("streams_dev", streams, what, wired, stack.around, ["as told"]).runs
    return Design(
        answers=answers,
        what=what,
        records=len(run.ends),
        calls=run.cost.llm_calls,
        pairs=model.pairs,
        tokens=run.cost.prompt_tokens,
        right=run.count("right"),
        wrongly_removed=run.count("wrongly_removed"),
    )


def _together(runs: Sequence[Design]) -> Design:
    """Return the counts of several runs of one design as one."""
    counts = ("records", "calls", "pairs", "tokens", "right", "wrongly_removed")
    return replace(runs[0], **{name: sum(getattr(run, name) for run in runs) for name in counts})


def design_rows(designs: Sequence[Design]) -> list[list[str]]:
    """Return what each design asked for a new record, the head first."""
    head = ["answers", "design", *(f"{what} /record" for what in ("calls", "pairs", "tokens"))]
    head += ["right", "wrongly removed"]
    return [
        head,
        *(
            [
                found.answers,
                found.what,
                f"{found.calls / found.records:.2f}",
                f"{found.pairs / found.records:.2f}",
                f"{found.tokens / found.records:,.0f}",
                f"{found.right / found.records:.3f}",
                f"{found.wrongly_removed} of {found.records:,} ({found.wrongly_removed / found.records:.1%})",
            ]
            for found in designs
        ),
    ]


@click.command("designs")
@click.option(
    "--mistaken",
    multiple=True,
    default=(0.05, 0.1, 0.2),
    show_default=True,
    type=click.FloatRange(0, 1),
    help="Share of the pairs that a model mistakes; repeatable.",
)
@click.option("--recording", "recordings", multiple=True, help="Let this model answer, too; repeatable.")
@click.option("--stream", "ids", multiple=True, help="Submit this stream; repeatable. By default all.")
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="Write the figures as JSON.")
def command(
    *, mistaken: tuple[float, ...], recordings: tuple[str, ...], ids: tuple[str, ...], out: Path | None
) -> None:
    """Count what the cascade asks of a language model, and what other designs ask, on the streams.

    Nothing reaches out. A recording has to answer all candidate pairs, each in a question of its own.
    """
    streams = load_streams()
    if unknown := set(ids) - {stream.id for stream in streams}:
        raise ConfigurationError(f"no stream is called {min(unknown)!r}", field="stream")
    chosen = [stream for stream in streams if not ids or stream.id in ids]
    designs = compare(chosen, Stack.open(Settings()), mistaken, recordings)
    print_table("Asked of a language model", design_rows(designs))
    if out is not None:
        measured = {"commit": checkout()[0], "streams": [stream.id for stream in chosen]}
        told = measured | {"designs": list(map(asdict, designs))}
        out.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
