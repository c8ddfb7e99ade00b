"""Judging by a recording."""

from __future__ import annotations

from pathlib import Path

import pytest

from arbiter.adapters.prompts import load
from arbiter.domain.evidence import Spend, Unjudged
from arbiter.errors import ConfigurationError
from arbiter.judges.budget import CostLedger
from arbiter.judges.llm import LlmJudge
from evals.recording import Answer, Header, Recording
from evals.replay import RecordedClient, ReplayJudge
from tests.chat import CALL, Client, all_unrelated, labels, pairs, reply

PROMPT = load("relation.v2")


class Live(Client):
    """A model that reads the question behind the prompt's own words."""

    def complete(self, system: str, user: str, **options: object) -> str | Unjudged:
        """Answer one question at the price of one call."""
        return super().complete(system, f"Pairs: {user[user.index('[{') :]}", **options)  # type: ignore[arg-type]


@pytest.fixture
def recording(tmp_path: Path) -> Recording:
    """Return an empty recording of two pairs a question."""
    return Recording(tmp_path / "r.jsonl", Header.of("test/model", PROMPT, 2))


def record(recording: Recording, live: Live, number: int) -> tuple[list[str], Spend]:
    """Judge pairs through a model and record what it says."""
    client = RecordedClient(recording, live=live)
    judged, spend = LlmJudge(client, PROMPT, pairs_per_call=2).judge(pairs(number))
    return labels(judged), spend


def test_a_replay_gives_the_same_verdicts_at_the_same_cost(recording: Recording) -> None:
    """Recorded once, judged again without a model."""
    live = Live(all_unrelated)
    judge = LlmJudge(RecordedClient(recording, live=live), PROMPT, pairs_per_call=2, concurrency=3)
    recorded = judge.judge(pairs(5))
    replay = ReplayJudge(Recording.open(recording.path))
    assert replay.judge(pairs(5)) == recorded
    assert replay.judge_id == judge.judge_id
    assert recorded[1] == CALL + CALL + CALL


def test_recording_goes_on_where_it_was(recording: Recording) -> None:
    """What is known is not asked again and costs nothing; the rest is."""
    first, again = Live(all_unrelated), Live(all_unrelated)
    record(recording, first, 2)
    found, spend = record(recording, again, 5)
    assert found == ["unrelated"] * 5
    assert [len(asked) for asked in again.asked] == [2, 1]
    assert spend == CALL + CALL


def test_a_missing_answer_is_an_error_that_names_it(recording: Recording) -> None:
    """The question by its key, and the pair by its words; no verdict comes of the others either."""
    record(recording, Live(all_unrelated), 2)
    replay = ReplayJudge(Recording.open(recording.path))
    message = r"r\.jsonl lacks 1 of 3 pairs; the first: question [0-9a-f]{32} was not recorded: 'x 2' / 'y 2'"
    with pytest.raises(ConfigurationError, match=message):
        replay.judge(pairs(3))


def test_failures_are_not_recorded(recording: Recording) -> None:
    """A bad day of the provider is no answer of the model."""
    found, _ = record(recording, Live(lambda _: Unjudged("judge_unavailable", "down", retryable=True)), 1)
    assert found == ["judge_unavailable"]
    assert not recording.path.exists()


def test_what_a_model_answered_badly_is_replayed_badly(recording: Recording) -> None:
    """Its pairs are asked about once more in smaller groups, which are in the recording as well."""
    live = Live(lambda _: "I would rather not say.")
    found, _ = record(recording, live, 2)
    replayed, spend = ReplayJudge(Recording.open(recording.path)).judge(pairs(2))
    assert labels(replayed) == found == ["judge_reply"] * 2
    assert len(recording) == 3
    assert spend == CALL + CALL + CALL


def test_the_meter_may_forbid_only_what_is_not_known(recording: Recording) -> None:
    """Going on with a recording needs no budget for what it holds."""
    user = "question"
    recording.add(recording.key(user), Answer(reply(), Spend(1, 10, 10, 5.0)))
    ledger = CostLedger(max_usd=0)
    client = RecordedClient(recording, live=Live(all_unrelated))
    answer = client.complete("", user, schema={}, max_tokens=1, timeout_s=1, meter=ledger.reserve)
    assert answer == reply()
    assert ledger.spent == Spend()
