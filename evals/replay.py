"""Judging by a recording: the language-model judge with a file in the place of the model."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from arbiter.adapters.prompts import load
from arbiter.domain.evidence import Judgement, RecordPair, Spend, Unjudged
from arbiter.errors import ConfigurationError
from arbiter.judges.chat import ChatClient, Meter
from arbiter.judges.llm import LlmJudge
from evals.recording import Answer, Recording

_MISSING = "missing_recording"
_SHOWN_CHARS = 80


class ReplayJudge:
    """Gives a recorded model's verdicts, read and checked as they are from the model itself."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        header = recording.header
        self._judge = LlmJudge(
            RecordedClient(recording), load(header.prompt), pairs_per_call=header.pairs_per_call
        )

    @property
    def judge_id(self) -> str:
        """The id of the judge that was recorded."""
        return self._judge.judge_id

    def judge(self, pairs: Sequence[RecordPair]) -> tuple[list[Judgement], Spend]:
        """Judge pairs; the answers stand in the order of the pairs, at the cost they had when recorded.

        Raises:
            ConfigurationError: a pair was never asked about, or not in these words.
        """
        judged, spend = self._judge.judge(pairs)
        missing = [
            (pair, judgement)
            for pair, judgement in zip(pairs, judged, strict=True)
            if isinstance(judgement, Unjudged) and judgement.code == _MISSING
        ]
        if missing:
            pair, judgement = missing[0]
            raise ConfigurationError(
                f"{self._recording.path} lacks {len(missing)} of {len(pairs)} pairs; the first: "
                f"{judgement.message}: {pair.a.content[:_SHOWN_CHARS]!r} / {pair.b.content[:_SHOWN_CHARS]!r}"
            )
        return judged, spend


class RecordedClient:
    """Answers from a recording; what it does not hold is asked of another client, and written down.

    Without another client nothing reaches out, and a question that was not recorded is left unjudged with the
    code ``missing_recording``. What an answer cost when it was recorded is metered again then, but not while
    recording goes on: the meter of a recording is what it costs now. Failures are not written down.
    """

    def __init__(self, recording: Recording, live: ChatClient | None = None) -> None:
        self._recording = recording
        self._live = live

    @property
    def model(self) -> str:
        """The name of the model whose answers they are."""
        return self._recording.header.model

    def complete(
        self,
        system: str,
        user: str,
        *,
        schema: Mapping[str, object],
        max_tokens: int,
        timeout_s: float,
        meter: Meter,
    ) -> str | Unjudged:
        """Return the recorded answer, else that of the other client.

        Raises:
            BudgetExceededError: the meter forbids the request.
        """
        key = self._recording.key(user)
        known = self._recording.get(key)
        if self._live is None:
            if known is None:
                return Unjudged(_MISSING, f"question {key} was not recorded", retryable=False)
            with meter(known.spend) as settle:
                settle(known.spend)
            return known.reply
        if known is not None:
            return known.reply
        costs: list[Spend] = []
        reply = self._live.complete(
            system,
            user,
            schema=schema,
            max_tokens=max_tokens,
            timeout_s=timeout_s,
            meter=_listening(meter, costs),
        )
        if isinstance(reply, str):
            self._recording.add(key, Answer(reply, sum(costs, start=Spend())))
        return reply


def _listening(meter: Meter, costs: list[Spend]) -> Meter:
    """Return the meter, which notes what it is told as well."""

    @contextmanager
    def metered(worst: Spend) -> Iterator[Callable[[Spend], None]]:
        with meter(worst) as settle:

            def note(actual: Spend) -> None:
                costs.append(actual)
                settle(actual)

            yield note

    return metered
