"""The judge that asks a language model, several pairs a call."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from arbiter.domain.evidence import Judgement, RecordPair, Spend, Unjudged
from arbiter.errors import BudgetExceededError
from arbiter.judges.budget import CostLedger
from arbiter.judges.chat import ChatClient, Prompt
from arbiter.judges.daemons import run_all
from arbiter.judges.question import grouped, length, question, texts
from arbiter.judges.reply import SCHEMA, parse_reply
from arbiter.judges.slots import Slots

MAX_PAIR_CHARS = 40_000
"""Characters that a pair may take in a question: two records of 8,000 with everything around them."""

CALL_CHARS = 16_000
"""Characters of pairs in one question, unless a single pair has more."""

_TOKENS_AROUND = 100
_DIGEST_CHARS = 12


class LlmJudge:
    """Asks a language model about pairs.

    The pairs are put into groups, and each group is one call. Pairs that come back without a usable
    verdict are asked about once more, in two smaller groups. What still has none is ``Unjudged``:

    - ``judge_reply``: the model answered, but not that
    - ``judge_unavailable``: no answer came; ``retryable`` says whether asking again can help
    - ``deadline``: the time was over
    - ``budget_exceeded``: the call could have passed the cost ceiling
    - ``too_long``: the pair does not fit into a call; it is never shortened
    - ``judge_failed``: the client has a fault

    Args:
        client: the model.
        prompt: the instructions.
        budget: the ledger to charge, with its ceilings; None: no ceiling.
        pairs_per_call: pairs in a group, at most; long pairs make smaller groups.
        deadline_s: seconds for a group, everything included. As ``concurrency`` groups are under way
            at the same time, ``judge`` returns within ``deadline_s * ceil(groups / concurrency)``,
            even if a call hangs.
        concurrency: calls under way at the same time, over all threads that share this judge; one that
            hangs beyond its deadline does not count any more.
        tokens_per_pair: tokens that the model may write for a pair; more for one that thinks first.
    """

    def __init__(
        self,
        client: ChatClient,
        prompt: Prompt,
        *,
        budget: CostLedger | None = None,
        pairs_per_call: int = 8,
        deadline_s: float = 60.0,
        concurrency: int = 4,
        tokens_per_pair: int = 400,
    ) -> None:
        self._client = client
        self._prompt = prompt
        self._budget = budget
        self._pairs_per_call = pairs_per_call
        self._deadline_s = deadline_s
        self._concurrency = concurrency
        self._tokens_per_pair = tokens_per_pair
        self._slots = Slots(concurrency)

    @property
    def judge_id(self) -> str:
        """Model, prompt and the prompt's digest."""
        return f"llm/{self._client.model}/{self._prompt.id}@{self._prompt.digest[:_DIGEST_CHARS]}"

    def judge(self, pairs: Sequence[RecordPair]) -> tuple[list[Judgement], Spend]:
        """Judge pairs; the answers stand in the order of the pairs.

        The spend is that of the calls that ended. One that was given up is on the budget only.
        """
        tally = CostLedger(parent=self._budget)
        answers = [self._too_long() if length(p) > MAX_PAIR_CHARS else self._too_late() for p in pairs]
        fitting = [place for place, answer in enumerate(answers) if answer.code != "too_long"]
        groups = [
            [fitting[n] for n in group]
            for group in grouped(
                [pairs[place] for place in fitting], most=self._pairs_per_call, most_chars=CALL_CHARS
            )
        ]
        timeout_s = self._deadline_s * math.ceil(len(groups) / self._concurrency)
        end = time.monotonic() + timeout_s
        tasks = [partial(self._judge_group, [pairs[n] for n in group], tally, end) for group in groups]
        judged: list[Judgement] = list(answers)
        in_time = run_all(tasks, threads=self._concurrency, timeout_s=timeout_s)
        for group, found in zip(groups, in_time, strict=True):
            if found is not None:
                for place, judgement in zip(group, found, strict=True):
                    judged[place] = judgement
        return judged, tally.spent

    def _judge_group(self, pairs: Sequence[RecordPair], tally: CostLedger, end: float) -> list[Judgement]:
        """Ask about one group, then once more about what came back unusable."""
        with self._slots.taken(seconds=self._deadline_s, by=end) as deadline:
            if deadline is None:
                return [self._too_late()] * len(pairs)
            answers = self._ask(pairs, tally, deadline)
            again = [n for n, answer in enumerate(answers) if _is_unusable(answer)]
            half = math.ceil(len(again) / 2)
            for part in (again[:half], again[half:]):
                found = self._ask([pairs[n] for n in part], tally, deadline) if part else []
                for n, answer in zip(part, found, strict=True):
                    answers[n] = answer
            return answers

    def _ask(self, pairs: Sequence[RecordPair], tally: CostLedger, deadline: float) -> list[Judgement]:
        """Put one question to the model."""
        remaining = deadline - time.monotonic()
        if remaining <= 0:
            return [self._too_late()] * len(pairs)
        try:
            reply = self._client.complete(
                self._prompt.system,
                self._prompt.render(question(pairs)),
                schema=SCHEMA,
                max_tokens=_TOKENS_AROUND + self._tokens_per_pair * len(pairs),
                timeout_s=remaining,
                meter=tally.reserve,
            )
        except BudgetExceededError as error:
            reply = Unjudged(error.code, error.message, error.retryable)
        except Exception as error:  # noqa: BLE001  a judge never raises for a pair, whoever wrote its client
            reply = Unjudged("judge_failed", f"the client failed: {type(error).__name__}", retryable=False)
        if isinstance(reply, Unjudged):
            return [replace(reply, judge=self.judge_id)] * len(pairs)
        return parse_reply(reply, len(pairs), self.judge_id, asked=texts(pairs))

    def _too_late(self) -> Unjudged:
        message = f"no answer within {self._deadline_s:g} seconds"
        return Unjudged("deadline", message, retryable=True, judge=self.judge_id)

    def _too_long(self) -> Unjudged:
        message = f"the pair has more than {MAX_PAIR_CHARS:,} characters"
        return Unjudged("too_long", message, retryable=False, judge=self.judge_id)


def _is_unusable(answer: Judgement) -> bool:
    return isinstance(answer, Unjudged) and answer.code == "judge_reply"
