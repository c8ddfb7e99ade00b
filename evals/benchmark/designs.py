"""What designs ask a language model, on the same streams with the same answers.

The model's place is taken by what the authors of the streams say of their pairs, so what differs is only
how much is asked, and what is lost by asking less.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from arbiter.adapters.prompts import load
from arbiter.domain.evidence import Judgement, RecordPair, Spend
from arbiter.judges.llm import CALL_CHARS
from arbiter.judges.local import PACKAGED_TOKENIZER
from arbiter.judges.question import grouped, question
from evals.authors import Authors
from evals.judges import after_exact, after_local
from evals.stream_states import live_through

if TYPE_CHECKING:
    from tokenizers import Tokenizer

    from arbiter.ports import Judge
    from arbiter.settings import Settings
    from evals.stack import Stack
    from evals.streams import Stream


@dataclass(frozen=True)
class Design:
    """What one design asked, and where the records ended.

    Attributes:
        what: the design.
        records: records that are new in the streams.
        calls: questions to the language model.
        pairs: pairs that they were about.
        tokens: what was sent, in word pieces of the packaged tokenizer; what comes back is not counted.
        right: records that ended in the right state.
        wrongly_removed: records that are no longer read although they should be.
    """

    what: str
    records: int
    calls: int
    pairs: int
    tokens: int
    right: int
    wrongly_removed: int


class Model(Authors):
    """A language model that knows what the authors of streams said.

    It is asked as the real one would be, several pairs a call, and counts calls and tokens.
    """

    def __init__(self, streams: Sequence[Stream], settings: Settings) -> None:
        super().__init__(streams, "llm/authors")
        self._prompt = load(settings.prompt)
        self._most = settings.llm_pairs_per_call
        self.pairs = 0

    def judge(self, pairs: Sequence[RecordPair]) -> tuple[list[Judgement], Spend]:
        """Answer from what is known."""
        if not pairs:
            return [], Spend()
        self.pairs += len(pairs)
        groups = list(grouped(pairs, most=self._most, most_chars=CALL_CHARS))
        sent = [
            self._prompt.system + self._prompt.render(question([pairs[n] for n in group])) for group in groups
        ]
        tokens = sum(len(found.ids) for found in self._tokenizer.encode_batch(sent))
        return super().judge(pairs)[0], Spend(len(groups), tokens)

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        from tokenizers import Tokenizer

        found = Tokenizer.from_file(str(PACKAGED_TOKENIZER))
        found.no_truncation()
        found.no_padding()
        return found


def compare(streams: Sequence[Stream], stack: Stack) -> list[Design]:
    """Return what each design asks: arbiter's cascade, every pair, and one call for every record.

    The last is what stores do that let a model decide at each addition; the tokens are the least that it
    takes, the pairs of one record in one question, and its answers are those of every pair.
    """
    designs: list[tuple[str, Callable[[Judge, Settings], Judge]]] = [
        ("the cascade", after_local),
        ("every candidate pair", after_exact),
    ]
    made = [_lived(what, after, streams, stack) for what, after in designs]
    every = made[-1]
    one_each = Design(
        what="one call for every record",
        records=every.records,
        calls=every.records,
        pairs=every.pairs,
        tokens=every.tokens,
        right=every.right,
        wrongly_removed=every.wrongly_removed,
    )
    return [*made, one_each]


def _lived(
    what: str, after: Callable[[Judge, Settings], Judge], streams: Sequence[Stream], stack: Stack
) -> Design:
    model = Model(streams, stack.settings)
    score = live_through(
        "streams_dev", streams, what, after(model, stack.settings), stack.around, ["as told"]
    )
    (run,) = score.runs
    return Design(
        what=what,
        records=len(run.ends),
        calls=run.cost.llm_calls,
        pairs=model.pairs,
        tokens=run.cost.prompt_tokens,
        right=run.count("right"),
        wrongly_removed=run.count("wrongly_removed"),
    )
