"""What the settings wire for those who watch the judges, and how retries are planned."""

from __future__ import annotations

from datetime import timedelta

from arbiter.api import Arbiter
from arbiter.judges.chat import ChatClient
from arbiter.ports import Judge
from arbiter.settings import Settings
from arbiter.wiring import Instruments, retry_plan


def test_every_judge_and_the_client_are_watched() -> None:
    """Each judge of the cascade is wrapped on its own, and so is what asks the language model."""
    judges: list[str] = []
    clients: list[str] = []

    def judge(found: Judge) -> Judge:
        judges.append(found.judge_id.split("/")[0])
        return found

    def client(found: ChatClient) -> ChatClient:
        clients.append(found.model)
        return found

    settings = Settings(database=":memory:", llm_model="openai/any")
    Arbiter.open(settings=settings, instruments=Instruments(judge, client)).close()
    assert (judges, clients) == (["exact", "keyed", "local", "llm"], ["openai/any"])


def test_a_retry_has_the_time_that_its_questions_take() -> None:
    """The lease outlasts the longest question, and nobody's facts are taken from a request under way."""
    plan = retry_plan(
        Settings(llm_deadline_s=600, llm_pairs_per_call=4, llm_concurrency=2, serve_timeout_s=60)
    )
    assert plan.batch == 32
    assert plan.lease == timedelta(minutes=5) + 4 * timedelta(seconds=600)
    assert plan.abandoned_after == timedelta(minutes=1) + timedelta(seconds=60) + 4 * timedelta(seconds=600)
