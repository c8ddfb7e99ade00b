"""Recording the answers of a chat model, and replaying them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from arbiter.domain.evidence import Spend, Unjudged
from arbiter.errors import ConfigurationError
from arbiter.judges.budget import CostLedger
from arbiter.judges.chat import ChatClient
from arbiter.judges.llm import LlmJudge
from arbiter.judges.replay import RecordingClient, ReplayClient, recording_key
from tests.chat import PROMPT, Client, all_unrelated, pairs


def ask(client: ChatClient, user: str, ledger: CostLedger) -> str | Unjudged:
    """Put one question."""
    return client.complete("Judge.", user, schema={}, max_tokens=9, timeout_s=9, meter=ledger.reserve)


def test_a_replay_gives_the_same_verdicts_at_the_same_cost(tmp_path: Path) -> None:
    """Recorded once, judged again without a model."""
    path = tmp_path / "answers.jsonl"
    recorder = RecordingClient(Client(all_unrelated), path)
    recorded = LlmJudge(recorder, PROMPT, pairs_per_call=2, concurrency=3).judge(pairs(5))
    replayed = LlmJudge(ReplayClient(path, "test/model"), PROMPT, pairs_per_call=2).judge(pairs(5))
    assert replayed == recorded
    assert recorded[1] == Spend(3, 150, 30, 1.5)


def test_what_was_not_recorded_is_an_error(tmp_path: Path) -> None:
    """Another question has no answer, and the message says under which key one was looked for."""
    path = tmp_path / "answers.jsonl"
    path.write_text("")
    ledger = CostLedger()
    answer = ask(ReplayClient(path, "test/model"), "new", ledger)
    key = recording_key("test/model", "Judge.", "new")
    message = f"{path} has no answer of test/model under {key}"
    assert answer == Unjudged("missing_recording", message, retryable=False)
    assert ledger.spent == Spend()


def test_the_key_tells_models_prompts_and_questions_apart() -> None:
    """And where one ends and the next begins."""
    keys = {
        recording_key(*sent) for sent in [("m", "s", "u"), ("n", "s", "u"), ("m", "su", ""), ("m", "", "su")]
    }
    assert len(keys) == 4


def test_the_last_answer_to_a_question_counts(tmp_path: Path) -> None:
    """A question that was asked again because its answer was of no use replays the better one."""
    path = tmp_path / "answers.jsonl"
    key = recording_key("m", "Judge.", "q")
    lines = [{"key": key, "model": "m", "reply": text, "spend": {"llm_calls": 1}} for text in ("prose", "ok")]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert ask(ReplayClient(path, "m"), "q", CostLedger()) == "ok"


def test_failures_are_not_recorded(tmp_path: Path) -> None:
    """A bad day of the provider is no answer of the model."""
    path = tmp_path / "answers.jsonl"
    failing = Client(lambda _: Unjudged("judge_unavailable", "down", retryable=True))
    LlmJudge(RecordingClient(failing, path), PROMPT).judge(pairs(1))
    assert not path.exists()


@pytest.mark.parametrize(
    "text", ["{", '{"key": "k"}\n', '{"key": "k", "reply": "r", "spend": {"euros": 1}}', "[]"]
)
def test_a_file_that_is_no_recording_is_refused(tmp_path: Path, text: str) -> None:
    """With its name in the message."""
    path = tmp_path / "answers.jsonl"
    path.write_text(text)
    with pytest.raises(ConfigurationError, match=r"answers\.jsonl is not a readable recording"):
        ReplayClient(path, "m")


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    """A replay with nothing to replay is a mistake."""
    with pytest.raises(ConfigurationError, match="not a readable recording"):
        ReplayClient(tmp_path / "none.jsonl", "m")
