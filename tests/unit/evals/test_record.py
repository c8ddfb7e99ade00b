"""Recording a model that answers over HTTP."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from arbiter.adapters.prompts import load
from arbiter.domain.evidence import Verdict
from arbiter.settings import Settings
from evals.judges import build
from evals.record import command
from evals.recording import Recording
from evals.suite_files import load_pairs
from tests.labelled_pairs import RELATIONS, five_pairs, knowing
from tests.scripted_server import Answer, ScriptedServer, scripted_server

# litellm silences these on import; pytest's own filters undo that.
pytestmark = pytest.mark.filterwarnings("ignore:.*`ReadOnly` qualifier:UserWarning")


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """Return a file of five labelled pairs."""
    return five_pairs(tmp_path / "five.jsonl")


def record(server: ScriptedServer, suite: Path, *options: str) -> Result:
    """Record a server's answers to a suite beside it."""
    environment = {"ARBITER_LLM_API_BASE": server.api_base, "ARBITER_LLM_API_KEY": "made-up"}
    arguments = [
        "--suite",
        str(suite),
        "--model",
        "openai/scripted",
        "--out",
        str(suite.with_name("r.jsonl")),
    ]
    return CliRunner(env=environment).invoke(command, [*arguments, *options], catch_exceptions=False)


def test_what_was_recorded_judges_without_the_model(suite: Path) -> None:
    """Five questions, five answers; afterwards no server is needed."""
    with scripted_server(knowing) as server:
        result = record(server, suite, "--yes")
    assert result.exit_code == 0, result.output
    assert [len(request.pairs) for request in server.requests] == [1] * 5
    assert {request.system for request in server.requests} == {load("relation.v2").system}
    recording = Recording.open(suite.with_name("r.jsonl"))
    assert len(recording) == 5
    assert "5 answers recorded; 5 calls, 500 tokens in, 100 out, $0.0000" in result.stdout
    judge = build(f"replay:{recording.path}", Settings())
    found, spend = judge.judge([case.pair for case in load_pairs(suite)])
    assert [v.relation.value for v in found if isinstance(v, Verdict)] == list(RELATIONS.values())
    assert (spend.llm_calls, spend.prompt_tokens) == (5, 500)


def test_a_dry_run_shows_the_cost_and_asks_nothing(suite: Path) -> None:
    """Calls, tokens and dollars by a price that was given."""
    with scripted_server(knowing) as server:
        result = record(server, suite, "--dry-run", "--usd-per-million", "10", "1000")
    assert result.exit_code == 0
    assert server.requests == []
    assert not suite.with_name("r.jsonl").exists()
    header, counts, cost = result.stdout.splitlines()
    assert header.startswith("openai/scripted on relation.v2, ")
    assert counts == "0 answers recorded, 5 calls to make"
    tokens_in = int(cost.split()[1].replace(",", ""))
    assert 5 * 900 < tokens_in < 5 * 1_600
    assert cost.endswith(f"tokens in, 750 out; ${tokens_in / 100_000 + 0.75:.2f}")


def test_a_price_that_nobody_knows_is_not_guessed(suite: Path) -> None:
    """The plan says so, and how to give one."""
    with scripted_server(knowing) as server:
        result = record(server, suite, "--dry-run")
    assert result.stdout.endswith("no price is known; give --usd-per-million\n")


def test_a_listed_price_needs_no_option(suite: Path) -> None:
    """The client's price list is read from its package."""
    result = CliRunner().invoke(
        command,
        [
            "--suite",
            str(suite),
            "--model",
            "openai/gpt-4o-mini",
            "--out",
            str(suite.with_name("r")),
            "--dry-run",
        ],
        catch_exceptions=False,
    )
    assert result.stdout.endswith("750 out; $0.00\n")


def test_without_a_yes_nothing_is_asked(suite: Path) -> None:
    """Costs are shown before anything is sent, and no answer is a no."""
    with scripted_server(knowing) as server:
        result = record(server, suite)
    assert result.exit_code == 1
    assert server.requests == []


def test_a_recording_goes_on_after_failures(suite: Path) -> None:
    """What a bad day left open is asked the next time, and only that."""
    answers = [Answer("down", status=401)] * 2
    with scripted_server(lambda r: answers.pop() if answers else knowing(r)) as server:
        first = record(server, suite, "--yes")
        asked = len(server.requests)
        second = record(server, suite, "--yes")
    assert (first.exit_code, second.exit_code) == (1, 0)
    assert first.stdout.splitlines()[-1].startswith("3 answers recorded;")
    assert "2 not answered (judge_unavailable): " in first.stderr
    assert (asked, len(server.requests)) == (5, 7)
    assert "3 answers recorded, 2 calls to make" in second.stdout
    assert len(Recording.open(suite.with_name("r.jsonl"))) == 5


def test_the_cost_ceiling_holds(suite: Path) -> None:
    """At a price of which one question passes it, none is sent."""
    with scripted_server(knowing) as server:
        result = record(server, suite, "--yes", "--max-usd", "0.01", "--usd-per-million", "10000", "0")
    assert result.exit_code == 1
    assert server.requests == []
    assert "5 not answered (budget_exceeded): the request could bring the cost to " in result.stderr


def test_pairs_that_were_answered_badly_are_asked_again_alone(suite: Path) -> None:
    """Of a question of several pairs; the smaller questions are recorded, too, and so it can be replayed."""
    with scripted_server(lambda r: Answer("no") if len(r.pairs) > 2 else knowing(r)) as server:
        result = record(server, suite, "--yes", "--pairs-per-call", "4")
    assert result.exit_code == 0, result.output
    assert sorted(len(request.pairs) for request in server.requests) == [1, 2, 2, 4]
    judge = build(f"replay:{suite.with_name('r.jsonl')}", Settings())
    found, _ = judge.judge([case.pair for case in load_pairs(suite)])
    assert [v.relation.value for v in found if isinstance(v, Verdict)] == list(RELATIONS.values())
