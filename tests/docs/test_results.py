"""The committed results are complete, and their scores, tables and plots are those of their cases."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from arbiter.domain.vocabulary import Relation
from evals.report import readme
from evals.report.files import RESULTS, read_result
from evals.report.payloads import answered_pairs, stream_ends
from evals.score.pairs import score_pairs
from evals.score.streams import score_ends
from evals.suite_files import SUITES, load_pairs

FILES = sorted(RESULTS.glob("*/*.json"))
SHOWN = {"exact", "jaccard-recency", "cosine", "local", "cascade-without-llm"}


@cache
def labels(suite: str) -> list[tuple[str, Relation]]:
    """Return the cases of a suite with their labels."""
    return [(case.id, case.relation) for case in load_pairs(suite)]


@pytest.mark.parametrize("suite", ["gold_dev", "vault_bench", "stream_pairs", "streams_dev", "field_cases"])
def test_the_judges_of_the_results_page_are_there(suite: str) -> None:
    """Ours and what others do, on the same cases."""
    found = readme.results_of(suite)
    assert {result.judge for result in found} >= SHOWN
    assert len({result.provenance["suite"] for result in found}) == 1


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_scores_are_those_of_the_cases(path: Path) -> None:
    """Nobody has changed one without the other."""
    result = read_result(path)
    told = result.payload["score"]
    if result.kind == "streams":
        ends = score_ends(stream_ends(result), seed=result.provenance["seed"])
        assert (told["records"], told["right"], told["wrongly_removed"]) == (
            ends.records,
            ends.right,
            ends.wrongly_removed,
        )
    elif result.kind != "retrieval":
        found = answered_pairs(result)
        assert told == score_pairs(found.items, found.spend, found.seconds).as_json()


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_results_are_of_the_cases_of_the_suite(path: Path) -> None:
    """Every case, each once, with its label."""
    result = read_result(path)
    if SUITES[result.suite].kind == "pairs":
        truths = [(item.truth.id, item.truth.relation) for item in answered_pairs(result).items]
        assert truths == labels(result.suite)


def test_the_plot_shows_the_committed_results() -> None:
    """Otherwise: ``python -m evals report --readme``."""
    drawn = readme.plot_path().read_text("utf-8")
    assert readme.plot_digest(readme.named_results()) in drawn
