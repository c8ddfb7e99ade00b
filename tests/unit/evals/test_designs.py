"""What designs ask of a language model."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from arbiter.adapters.prompts import load
from arbiter.domain.evidence import Spend
from arbiter.judges.llm import LlmJudge
from arbiter.settings import Settings
from evals.__main__ import main
from evals.authors import Authors
from evals.designs.command import design_rows
from evals.designs.compare import compare
from evals.designs.model import Model
from evals.judges import after_exact
from evals.recording import Header, Recording
from evals.replay import RecordedClient
from evals.stack import Stack
from evals.stream_states import live_through
from evals.streams import load_streams
from tests.chat import Client, item, pairs, reply

PROMPT = load("relation.v2")
STREAMS = load_streams()[:2]


def test_a_model_counts_as_the_real_one_would() -> None:
    """Eleven pairs are two calls of up to eight; tokens are those of prompt and question."""
    settings = Settings()
    authors = Authors([])
    model = Model(authors, settings)
    judged, spend = model.judge(pairs(11))
    assert judged == authors.judge(pairs(11))[0]
    assert (model.judge_id, model.pairs, spend.llm_calls) == ("authors", 11, 2)
    alone = [model.judge([pair])[1].prompt_tokens for pair in pairs(11)]
    assert max(alone) < spend.prompt_tokens < sum(alone)
    assert model.judge([]) == ([], Spend())


def test_the_cascade_asks_less() -> None:
    """Of the same streams: fewer calls and pairs than for every pair, which is one call a record else."""
    cascade, every, each, *others = compare(STREAMS, Stack.open(Settings()))
    assert others == []
    assert cascade.records == every.records == sum(len(s.records) - len(s.replays) for s in STREAMS)
    assert 0 < cascade.calls < every.calls < each.calls == every.records
    assert 0 < cascade.pairs < every.pairs == each.pairs
    assert 0 < cascade.tokens < every.tokens == each.tokens
    assert every.right > 0.9 * every.records
    assert every.wrongly_removed == 0
    assert every.gap is each.gap is None
    assert cascade.gap is not None
    assert cascade.gap.cases == cascade.records
    gap = (cascade.right - every.right) / every.records
    assert cascade.gap.second - cascade.gap.first == pytest.approx(gap)


def test_mistakes_cost_who_asks_about_everything() -> None:
    """Draws are added up, and the calls stay the same ones as without mistakes where nothing was removed."""
    found = compare(STREAMS, Stack.open(Settings()), mistaken=[0.5])
    _, every, _, cascade, erring = found
    assert [(made.answers, made.what) for made in found] == [
        ("the authors", "the cascade"),
        ("the authors", "every candidate pair"),
        ("the authors", "one call for every record"),
        ("the authors, 50% mistaken", "the cascade"),
        ("the authors, 50% mistaken", "every candidate pair"),
    ]
    assert cascade.records == erring.records == 3 * every.records
    assert erring.right < 3 * every.right
    assert erring.right < cascade.right


@pytest.fixture
def recording(tmp_path: Path) -> Recording:
    """Return what a model says that takes every pair of the first stream for complementary."""
    made = Recording(tmp_path / "made.jsonl", Header.of("openai/small", PROMPT, 1))
    live = _Complementary(lambda asked: reply(*(item(pair["pair"], "complementary") for pair in asked)))
    judge = LlmJudge(RecordedClient(made, live), PROMPT, pairs_per_call=1)
    stack = Stack.open(Settings())
    live_through("first", STREAMS[:1], "small", after_exact(judge, stack.settings), stack.around, ["as told"])
    return made


class _Complementary(Client):
    def complete(self, system: str, user: str, **options: object) -> str:
        """Answer the pairs behind the prompt's own words."""
        told = super().complete(system, f"Pairs: {user[user.index('[{') :]}", **options)  # type: ignore[arg-type]
        assert isinstance(told, str)
        return told


def test_a_recorded_model_is_compared_too(recording: Recording, tmp_path: Path) -> None:
    """Rows for it under its name, by the command, as a table and as JSON."""
    out = tmp_path / "designs.json"
    options = ["--stream", STREAMS[0].id, "--recording", str(recording.path), "--out", str(out)]
    run = CliRunner().invoke(main, ["designs", "--mistaken", "0.1", *options], catch_exceptions=False)
    assert run.exit_code == 0
    told = json.loads(out.read_text("utf-8"))
    assert [(made["answers"], made["what"]) for made in told["designs"][-2:]] == [
        ("small", "the cascade"),
        ("small", "every candidate pair"),
    ]
    *_, asked = told["designs"]
    assert asked["pairs"] == len(recording)
    assert asked["records"] == len(STREAMS[0].records) - len(STREAMS[0].replays)
    assert asked["wrongly_removed"] == 0
    assert asked["right"] < told["designs"][1]["right"]
    assert [line.split()[0] for line in run.stdout.splitlines()[-2:]] == ["small", "small"]


def test_the_cascade_makes_up_for_a_poor_model() -> None:
    """By the recording in the repository: more records end right, and no more are removed wrongly."""
    name = "openai-qwen2.5-coder-1.5b-instruct-q4_k_m.relation.v2"
    *_, cascade, every = compare(STREAMS[:1], Stack.open(Settings()), recordings=[name])
    assert cascade.answers == every.answers == "qwen2.5-coder-1.5b-instruct-q4_k_m"
    assert cascade.right > every.right + 5
    assert cascade.wrongly_removed <= every.wrongly_removed


def test_a_stream_that_is_not_there_is_named() -> None:
    """No other stream is measured in its place."""
    run = CliRunner().invoke(main, ["designs", "--stream", "none-such"])
    assert run.exit_code != 0
    assert "none-such" in run.stderr


def test_without_designs_there_is_a_head_only() -> None:
    """Nothing to show."""
    assert len(design_rows([])) == 1
