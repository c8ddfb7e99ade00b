"""``python -m evals gate`` on a small suite and judges that need no model."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from evals.__main__ import main


def evals(*arguments: str | Path) -> Result:
    """Run a command of the harness."""
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


@pytest.fixture
def gates(tmp_path: Path) -> Path:
    """Write a file with a floor that holds and one that cannot."""
    path = tmp_path / "gates.toml"
    path.write_text(
        "[negation.majority]\njudged = { least = 1 }\nwrong_removals = { most = 0 }\n"
        "[negation.exact]\njudged = { least = 0.5 }\n"
    )
    return path


def test_what_fell_makes_it_fail(gates: Path) -> None:
    """It says what, and by how much."""
    done = evals("gate", "--gates", gates)
    assert done.exit_code == 1
    assert done.stdout.splitlines() == [
        "holds  negation, majority: judged 1, at least 1",
        "holds  negation, majority: wrong_removals 0, at most 0",
        "FELL   negation, exact: judged 0, at least 0.5: off by 0.5",
        "2 hold, 1 fell",
    ]


def test_floors_are_set_from_what_is_measured(gates: Path) -> None:
    """Then all of them hold, and the file says how they were chosen."""
    assert evals("gate", "--gates", gates, "--set").exit_code == 0
    text = gates.read_text("utf-8")
    assert "# How they were chosen:" in text
    assert text.index("[negation.majority]\njudged = { least = 0.98 }") < text.index("[negation.exact]")
    done = evals("gate", "--gates", gates)
    assert (done.exit_code, done.stdout.splitlines()[-1][-6:]) == (0, "0 fell")


def test_only_the_suites_asked_for(gates: Path) -> None:
    """A suite without floors is an error, not a success."""
    done = evals("gate", "--gates", gates, "--suite", "gold_dev")
    assert done.exit_code == 2
    assert "has no floors for gold_dev" in done.stderr


def test_results_of_a_run_stand_for_it(gates: Path, tmp_path: Path) -> None:
    """As long as nothing has changed that they rest on."""
    out = tmp_path / "out"
    evals("run", "--suite", "negation", "--judge", "majority", "--judge", "exact", "--out", out)
    assert evals("gate", "--gates", gates, "--results", out).stdout.splitlines()[-1] == "2 hold, 1 fell"
    path = out / "negation" / "majority.json"
    told = json.loads(path.read_text("utf-8"))
    told["provenance"] |= {"suite": "0" * 64, "policy": "0" * 12}
    path.write_text(json.dumps(told))
    done = evals("gate", "--gates", gates, "--results", out)
    assert done.exit_code == 2
    assert "majority.json is not of now: suite, policy changed; run it again" in done.stderr
    path.unlink()
    assert "majority.json" in evals("gate", "--gates", gates, "--results", out).stderr


def test_a_gate_asks_no_language_model(gates: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only recordings stand in for one."""
    monkeypatch.setenv("ARBITER_LLM_MODEL", "big/model")
    gates.write_text("[negation.cascade]\njudged = { least = 1 }\n")
    done = evals("gate", "--gates", gates)
    assert done.exit_code == 2
    assert "cascade: a gate asks no language model; name a recording" in done.stderr


def test_candidates_have_floors_too(tmp_path: Path) -> None:
    """In a judge's place stands the number of distractors; another name is an error, not a pass."""
    path = tmp_path / "gates.toml"
    path.write_text("[retrieval.0-distractors]\njudged = { least = 0.9 }\njudged_a_fact = { most = 0.5 }\n")
    done = evals("gate", "--gates", path)
    assert done.exit_code == 1
    held, fell, told = done.stdout.splitlines()
    assert held.startswith("holds  retrieval, 0-distractors: judged 0.9")
    assert fell.startswith("FELL   retrieval, 0-distractors: judged_a_fact ")
    assert told == "1 hold, 1 fell"
    path.write_text("[retrieval.local]\njudged = { least = 0.9 }\n")
    done = evals("gate", "--gates", path)
    assert (done.exit_code, "'local' stands in a judge's place" in done.stderr) == (2, True)
