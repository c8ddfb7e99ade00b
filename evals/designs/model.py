"""A language model whose place another judge takes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from arbiter.adapters.prompts import load
from arbiter.domain.evidence import Judgement, RecordPair, Spend
from arbiter.judges.llm import CALL_CHARS
from arbiter.judges.local import PACKAGED_TOKENIZER
from arbiter.judges.question import grouped, question

if TYPE_CHECKING:
    from tokenizers import Tokenizer

    from arbiter.ports import Judge
    from arbiter.settings import Settings


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
