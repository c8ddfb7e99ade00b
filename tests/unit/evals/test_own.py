"""A user's own pairs, measured in one command."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from arbiter.errors import ConfigurationError
from evals.own import command
from tests.labelled_pairs import five_pairs, knowing, row, write_pairs
from tests.scripted_server import scripted_server

# litellm silences these on import; pytest's own filters undo that.
pytestmark = pytest.mark.filterwarnings("ignore:.*`ReadOnly` qualifier:UserWarning")


def own(file: Path, *options: str, **environment: str) -> Result:
    """Run the command on a file."""
    return CliRunner(env={"ARBITER_EMBEDDING_THREADS": "1", **environment}).invoke(
        command, [str(file), *options], catch_exceptions=False
    )


def assessed(file: Path, *options: str, **environment: str) -> dict[str, Any]:
    """Return what the command says as JSON, by judge."""
    result = own(file, "--json", *options, **environment)
    assert (result.exit_code, result.stderr) == (0, "")
    return {found["judge"]: found for found in json.loads(result.stdout)}


def same_words(path: Path, number: int) -> Path:
    """Write pairs of the same words, which are duplicates whoever judges."""
    return write_pairs(
        path, (row(f"Ana has {n} cats.", f"ana has {n} cats", "duplicate") for n in range(number))
    )


def test_without_a_model_two_judges_are_measured(tmp_path: Path) -> None:
    """Both on all pairs, with what five pairs can show, which is little."""
    found = assessed(five_pairs(tmp_path / "five.jsonl"))
    assert list(found) == ["local", "cascade-without-llm"]
    assert {f["pairs"] for f in found.values()} == {5}
    assert {f["pairs_needed"] for f in found.values()} == {299}
    assert all(f["enough"] != "yes" for f in found.values())


def test_a_users_model_is_measured_beside_them(tmp_path: Path) -> None:
    """The model that knows the answers is asked once for each judge that has it, and its cost is told."""
    with scripted_server(knowing) as server:
        found = assessed(
            five_pairs(tmp_path / "five.jsonl"),
            "--live",
            "--budget",
            "0.5",
            ARBITER_LLM_MODEL="openai/scripted",
            ARBITER_LLM_API_BASE=server.api_base,
            ARBITER_LLM_API_KEY="made-up",
        )
    assert list(found) == ["local", "cascade-without-llm", "llm", "cascade"]
    assert found["llm"]["accuracy"] == 1.0
    assert found["llm"]["enough"] == "yes"
    assert found["llm"]["kinds"] == ["llm"]
    assert found["llm"]["cost"]["llm_calls"] == 1
    assert found["llm"]["threshold"] == 0.9
    assert found["cascade"]["cost"]["llm_calls"] <= 1
    assert len(server.requests) == 1 + found["cascade"]["cost"]["llm_calls"]


def test_a_person_is_told_what_to_set(tmp_path: Path) -> None:
    """The budget and what it takes, a row for each judge, thresholds, and what is enough."""
    file = same_words(tmp_path / "same.jsonl", 30)
    text = own(file, "--judge", "cascade-without-llm", "--judge", "majority", "--budget", "0.1").stdout
    read, first, *_ = text.splitlines()
    assert read == "same.jsonl: 30 rows read, 30 labelled pairs"
    assert first == (
        "30 pairs; the budget is 10.00% wrong removals with 95% confidence, which takes 29 pairs or more "
        "to show"
    )
    (line,) = [line for line in text.splitlines() if line.startswith("cascade-without-llm  ")]
    cells = [cell.strip() for cell in line.split("   ") if cell.strip()]
    assert cells[1:] == [
        "yes",
        "1.000 [0.884, 1.000]",
        "0",
        "0%",
        "30",
        "0",
        "9.50%",
        "0 of 0",
        "0",
        "0.0000",
    ]
    assert "from 1.0000 on it acts on 30 pairs, none wrong, which keeps to 10.00%. In a policy file:" in text
    assert "[judges.exact]\nduplicate = 1.0000\nupdate = 1.0000\ncontradiction = 1.0000\n" in text
    assert "majority: takes nothing away." in text
    assert text.splitlines()[-1].startswith(
        "Enough as it is: cascade-without-llm (ARBITER_JUDGE=local; decides 100% itself, misses 0"
    )


def test_too_few_pairs_are_said_to_be_too_few(tmp_path: Path) -> None:
    """With how many it would take."""
    result = own(same_words(tmp_path / "same.jsonl", 5), "--judge", "exact-match")
    assert result.stdout.splitlines()[-1] == (
        "With fewer than 299 pairs no judge can be shown to be enough: label more, or allow more."
    )


def test_what_is_not_enough_is_said_to_be_not_enough(tmp_path: Path) -> None:
    """Merging texts that are alike loses facts here, and no threshold helps a rule that is always sure."""
    rows = [
        row(f"Ana met {n} cats in Porto.", f"ana met {n} cats in porto", "contradiction") for n in range(40)
    ]
    text = own(write_pairs(tmp_path / "w.jsonl", rows), "--judge", "exact-match", "--budget", "0.1").stdout
    assert "exact-match: no threshold keeps wrong removals to 10.00%." in text
    assert text.splitlines()[-1] == (
        "None is enough as it is, and no threshold makes one so: leave removals to people."
    )
    assert "exact-match: 40 judged wrongly, the surest first" in text
    (wrong,) = [line.split() for line in text.splitlines() if line.startswith("w.jsonl:2 ")]
    assert wrong[:4] == ["w.jsonl:2", "contradiction", "duplicate", "1.000"]
    assert "and 35 more; --wrong 40 lists all" in text


def test_few_pairs_give_nothing_to_set(tmp_path: Path) -> None:
    """Five pairs show too little for any threshold: what is missing is said, and no table is printed."""
    text = own(five_pairs(tmp_path / "five.jsonl"), "--judge", "local").stdout
    assert (
        "local: no thresholds to set. 5 pairs cannot show 1.00%; without one mistake they show 45.07%. It "
        "takes 299 pairs without a mistake; until then keep the thresholds in force."
    ) in text
    assert "[judges." not in text


def test_what_was_left_out_is_said(tmp_path: Path) -> None:
    """People read how many rows there were, and machines find it beside each judge."""
    unsaid = row("A a.", "B b.", "update") | {"current": None, "ruling": "relabel"}
    rows = [row("Ana has 2 cats.", "ana has 2 cats", "duplicate"), unsaid]
    file = write_pairs(tmp_path / "two.jsonl", rows)
    assert own(file, "--judge", "exact").stdout.splitlines()[0] == (
        "two.jsonl: 2 rows read, 1 labelled pairs; 1 left out: 1 an update of which nobody said which side "
        "is current"
    )
    found = assessed(file, "--judge", "exact")["exact"]
    assert (found["rows"], found["pairs"], list(found["left_out"].values())) == (2, 1, [1])
    assert found["judge_setting"] is None


def test_a_file_without_a_label_is_refused(tmp_path: Path) -> None:
    """An export that nobody filled in has nothing to measure by."""
    file = write_pairs(tmp_path / "open.jsonl", [{"a_content": "A a.", "b_content": "B b.", "ruling": ""}])
    with pytest.raises(ConfigurationError, match=r"no row is labelled.*1 left out: 1 without a ruling"):
        own(file)


def test_a_model_that_cannot_be_reached_is_told_with_its_reason(tmp_path: Path) -> None:
    """The kind of failure, how many pairs it left, and what was said of the first one; the status is 1."""
    with scripted_server(knowing) as server:
        closed = server.api_base
    result = own(
        five_pairs(tmp_path / "five.jsonl"),
        "--live",
        "--judge",
        "local",
        "--judge",
        "llm",
        ARBITER_LLM_MODEL="openai/scripted",
        ARBITER_LLM_API_BASE=closed,
        ARBITER_LLM_API_KEY="made-up",
        ARBITER_LLM_MAX_ATTEMPTS="1",
    )
    assert result.exit_code == 1
    assert "llm: 5 not judged (judge_unavailable); the first: " in result.stdout
    assert "onnect" in result.stdout
    assert result.stdout.splitlines()[-2].startswith("With fewer than 299 pairs no judge can be shown")
    assert result.stdout.splitlines()[-1] == "Nothing is shown of llm, which failed on every pair."


def test_a_wrong_name_costs_no_answers(tmp_path: Path) -> None:
    """It is refused before any judge is asked."""
    with pytest.raises(ConfigurationError, match="no judge is called 'best'"):
        own(five_pairs(tmp_path / "five.jsonl"), "--judge", "local", "--judge", "best")


@pytest.mark.parametrize("options", [["--judge", "llm"], ["--judge", "cascade"]])
def test_no_model_is_asked_unless_it_is_allowed(tmp_path: Path, options: list[str]) -> None:
    """A model that the settings name costs money, so a flag must say that it may be asked."""
    with scripted_server(knowing) as server, pytest.raises(ConfigurationError, match="allow it with --live"):
        own(
            five_pairs(tmp_path / "five.jsonl"),
            *options,
            ARBITER_LLM_MODEL="openai/scripted",
            ARBITER_LLM_API_BASE=server.api_base,
        )
    assert server.requests == []


def test_live_needs_a_model(tmp_path: Path) -> None:
    """Without one in the settings there is nobody to ask."""
    with pytest.raises(ConfigurationError, match="name its model in ARBITER_LLM_MODEL"):
        own(five_pairs(tmp_path / "five.jsonl"), "--live")
