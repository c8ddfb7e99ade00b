"""What the README shows, from results made by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from arbiter.adapters.policy_file import load_policy
from arbiter.testing import TableJudge
from evals.report import readme
from evals.report.files import result_path, write_result
from evals.report.payloads import pair_payload, stream_payload
from evals.report.provenance import provenance
from tests.answered import end, item, numbered, run, streams

ORIGIN = provenance("gold_dev", TableJudge(), load_policy())
CASES = numbered(item("update", "update", 0.9), item("unrelated", "update", 0.6))


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """Write results of three judges on the development pairs, and of one on streams."""
    for judge in ("cascade:gpt.v2", "local", "jaccard-recency"):
        payload = pair_payload(run(*CASES, suite="gold_dev", judge=judge))
        write_result(result_path(tmp_path, "gold_dev", judge), "pairs", payload, ORIGIN)
    lived = stream_payload(streams((end("r1", "active", "active"),), suite="streams_dev", judge="local"))
    write_result(result_path(tmp_path, "streams_dev", "local"), "streams", lived, ORIGIN)
    return tmp_path


def names(table: str) -> list[str]:
    """Return the first cell of each row of a Markdown table."""
    return [line.split(" | ")[0].removeprefix("| ") for line in table.splitlines()[2:]]


def test_judges_stand_in_the_order_of_pages(results: Path) -> None:
    """What others do, then arbiter, those with a language model last."""
    expected = ["Jaccard 0.6 + recency", "local", "cascade with LLM, gpt.v2"]
    assert names(readme.pairs_table("gold_dev", results)) == expected
    assert names(readme.confidence_table("gold_dev", results)) == expected
    assert names(readme.streams_table("streams_dev", results)) == ["local"]


def test_one_judge_is_shown_by_relation(results: Path) -> None:
    """Its scores, and what it took for what."""
    assert names(readme.label_table("gold_dev", "local", results)) == ["update", "unrelated"]
    assert readme.confusion_table("gold_dev", "local", results).splitlines()[-1] == (
        "| unrelated | 0 | 1 | 0 | 0 | 0 | 0 |"
    )


def test_a_plot_says_which_results_it_shows(results: Path) -> None:
    """It is the same file when drawn again, and another result shows in its digest."""
    (path,) = readme.draw(results)
    drawn = path.read_text("utf-8")
    assert path == results / "risk-coverage-gold_dev.svg"
    assert readme.plot_digest(readme.named_results(results)) in drawn
    readme.draw(results)
    assert path.read_text("utf-8") == drawn
    other = pair_payload(run(*CASES[:1], suite="gold_dev", judge="local"))
    write_result(result_path(results, "gold_dev", "local"), "pairs", other, ORIGIN)
    assert readme.plot_digest(readme.named_results(results)) not in drawn
