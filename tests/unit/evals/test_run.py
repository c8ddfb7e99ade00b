"""``python -m evals run``: suites before judges."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from arbiter.domain.vocabulary import Relation
from arbiter.testing import TableJudge
from evals.__main__ import main
from evals.candidates import Wanted, find_pairs
from evals.report.payloads import candidate_payload, stream_payload
from evals.run import told
from evals.stream_states import live_through
from evals.streams import load_streams
from tests.factories import make_record
from tests.fake_stack import around
from tests.labelled_pairs import five_pairs


def run(*arguments: str) -> Result:
    """Run the command."""
    return CliRunner().invoke(main, ["run", *arguments])


def test_a_file_of_ones_own(tmp_path: Path) -> None:
    """A line for each judge, and a result file that names suite and judge and holds every case."""
    path = five_pairs(tmp_path / "mine.jsonl")
    done = run("--path", str(path), "--judge", "exact", "--judge", "majority", "--out", str(tmp_path / "out"))
    assert done.exit_code == 0, done.output
    exact, majority = done.stdout.splitlines()
    assert exact == (
        "mine, exact: accuracy - of 0 judged pairs (5 in all), macro-F1 -; 0 removals, 0 wrong; "
        "0 of 2 conflicts missed; 5 left to people"
    )
    assert majority.startswith("mine, majority: accuracy 0.200 of 5 judged pairs (5 in all)")
    result = json.loads((tmp_path / "out" / "mine" / "exact.json").read_text("utf-8"))
    assert (result["kind"], result["suite"], result["judge"]) == ("pairs", "mine", "exact")
    assert [row["unjudged"] for row in result["cases"]] == ["not_decided"] * 5
    assert result["provenance"]["judge"] == "exact/c1"
    assert (tmp_path / "out" / "mine" / "majority.json").is_file()


def test_a_suite_by_name() -> None:
    """Of the pairs of negation none is the same to the letter."""
    done = run("--suite", "negation", "--judge", "exact")
    assert done.stdout.startswith("negation, exact: accuracy - of 0 judged pairs (60 in all)")


def test_nothing_is_asked_of_a_model_unasked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a judge would reach out, that has to be said."""
    monkeypatch.setenv("ARBITER_LLM_MODEL", "big/model")
    done = run("--suite", "negation", "--judge", "exact", "--judge", "llm")
    assert (done.exit_code, done.stdout) == (2, "")
    assert "llm: would ask a language model; allow it with --live" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--judge", "exact"], "name a suite or a path"),
        (["--suite", "gold_dev"], "name a judge"),
        (["--suite", "gold_dev", "--suite", "retrieval"], "name a judge"),
        (["--suite", "gold"], "'gold' is not one of"),
        (["--suite", "gold_dev", "--judge", "oracle"], "no judge is called 'oracle'"),
    ],
)
def test_what_cannot_be_measured_is_said(arguments: list[str], message: str) -> None:
    """A missing or unknown suite or judge ends with status 2."""
    done = run(*arguments)
    assert done.exit_code == 2
    assert message in done.stderr


def test_streams_in_a_line() -> None:
    """Right ends, wrong removals, misses, what is asked, and how far the order of arrival matters."""
    streams = [stream for stream in load_streams() if stream.id == "sd-05"]
    score = live_through("streams_dev", streams, "table", TableJudge(), around)
    assert told("streams", stream_payload(score)) == (
        "streams_dev, table: 17 of 23 records end right (0.739), 0 wrongly removed, 10 conflicts missed, 0 "
        "held; people are asked 0 of 3 wanted questions and 0 others; 1.000 end alike in every order"
    )


def test_candidates_in_a_line() -> None:
    """How many pairs come before the judges, and what comes with them."""
    records = [make_record("Ana sings.", subject="Ana"), make_record("Ana hums.", at=1, subject="Ana")]
    score = find_pairs("retrieval", records, [Wanted("x", "x", Relation.UPDATE, 0, 1)], around)
    assert told("retrieval", candidate_payload(score)) == (
        "retrieval, 0-distractors: 1.000 of 1 pairs come before the judges (1.000 are candidates), 0.50 "
        "judged and 1.0 retrieved a fact"
    )


def test_commands_are_listed_in_order() -> None:
    """Each with its help."""
    listed = CliRunner().invoke(main, ["--help"]).stdout.partition("Commands:")[2].split("\n")
    assert [line.split()[0] for line in listed if line.strip()] == [
        "run",
        "report",
        "gate",
        "record",
        "prompts",
        "answers",
        "own",
        "designs",
        "benchmark",
        "load",
    ]
    unknown = CliRunner().invoke(main, ["race"])
    assert (unknown.exit_code, "No such command 'race'" in unknown.stderr) == (2, True)
