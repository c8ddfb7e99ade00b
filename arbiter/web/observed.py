"""Judges, and the client of the language model, watched at work."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from time import perf_counter

from arbiter.domain.evidence import NOT_DECIDED, Judgement, RecordPair, Spend, Unjudged
from arbiter.judges.chat import ChatClient, Meter
from arbiter.ports import Judge
from arbiter.web.metrics import Metrics
from arbiter.web.traces import Traces


class ObservedJudge:
    """One of the judges: its time, its failures and what it cost."""

    def __init__(self, judge: Judge, metrics: Metrics, traces: Traces) -> None:
        self._judge = judge
        self._metrics = metrics
        self._traces = traces

    @property
    def judge_id(self) -> str:
        """The id of the judge inside."""
        return self._judge.judge_id

    def judge(self, pairs: Sequence[RecordPair]) -> tuple[list[Judgement], Spend]:
        """Let the judge inside answer."""
        metrics, name = self._metrics, self.judge_id
        begun = perf_counter()
        with self._traces.span("arbiter.judge", {"arbiter.judge": name, "arbiter.pairs": len(pairs)}) as span:
            found, spend = self._judge.judge(pairs)
            codes = [answer.code for answer in found if isinstance(answer, Unjudged)]
            failures = [code for code in codes if code != NOT_DECIDED]
            span.note({"arbiter.failures": len(failures)})
        metrics.judge_seconds.labels(name).observe(perf_counter() - begun)
        metrics.judge_pairs.labels(name).inc(len(pairs))
        for code in failures:
            metrics.judge_failures.labels(name, code).inc()
        self._count(name, spend)
        return found, spend

    def _count(self, name: str, spend: Spend) -> None:
        metrics = self._metrics
        if spend.llm_calls:
            metrics.llm_calls.labels(name).inc(spend.llm_calls)
            metrics.llm_tokens.labels(name, "prompt").inc(spend.prompt_tokens)
            metrics.llm_tokens.labels(name, "completion").inc(spend.completion_tokens)
            metrics.cost_usd.labels(name).inc(spend.usd)
        metrics.local_pairs.inc(spend.local_pairs)


class ObservedJudges:
    """All judges together: what was found about each pair in the end."""

    def __init__(self, judge: Judge, metrics: Metrics) -> None:
        self._judge = judge
        self._metrics = metrics

    @property
    def judge_id(self) -> str:
        """The id of the judge inside."""
        return self._judge.judge_id

    def judge(self, pairs: Sequence[RecordPair]) -> tuple[list[Judgement], Spend]:
        """Let the judge inside answer."""
        found, spend = self._judge.judge(pairs)
        for answer in found:
            relation = "unjudged" if isinstance(answer, Unjudged) else answer.relation.value
            self._metrics.relations.labels(relation).inc()
        return found, spend


class ObservedClient:
    """A chat model: a span for each question, with what it cost."""

    def __init__(self, client: ChatClient, traces: Traces) -> None:
        self._client = client
        self._traces = traces

    @property
    def model(self) -> str:
        """The name of the model inside."""
        return self._client.model

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
        """Let the client inside ask."""
        requests = 0
        spent = Spend()

        @contextmanager
        def metered(worst: Spend) -> Iterator[Callable[[Spend], None]]:
            nonlocal requests, spent
            requests += 1
            with meter(worst) as settle:

                def note(actual: Spend) -> None:
                    nonlocal spent
                    spent += actual
                    settle(actual)

                yield note

        about = {"gen_ai.operation.name": "chat", "gen_ai.request.model": self.model}
        with self._traces.span(f"chat {self.model}", about) as span:
            reply = self._client.complete(
                system, user, schema=schema, max_tokens=max_tokens, timeout_s=timeout_s, meter=metered
            )
            span.note(
                {
                    "gen_ai.usage.input_tokens": spent.prompt_tokens,
                    "gen_ai.usage.output_tokens": spent.completion_tokens,
                    "arbiter.requests": requests,
                    "arbiter.usd": spent.usd,
                }
            )
            if isinstance(reply, Unjudged):
                span.fail(reply.code)
            return reply
