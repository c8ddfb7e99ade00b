"""The speed benchmark runs, and counts what it says it counts."""

from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner

from evals.__main__ import main
from evals.benchmark import records


def test_records_are_different_and_always_the_same() -> None:
    """A seed gives the same texts, no two alike."""
    texts = [record["content"] for record in records(50)]
    assert len(set(map(str, texts))) == 50
    assert texts == [record["content"] for record in records(50)]


def test_the_benchmark_measures_the_floor_new_records_and_replays(tmp_path: Path) -> None:
    """Three rates, each with its count and its ratio to the embedding model alone."""
    out = tmp_path / "speed.json"
    command = ["benchmark", "--new", "6", "--replayed", "12", "--threads", "1", "--out", str(out)]
    run = CliRunner().invoke(main, command, catch_exceptions=False)
    figures = json.loads(out.read_text("utf-8"))["figures"]
    assert [(figure["what"], figure["count"]) for figure in figures] == [
        ("embedding alone", 6),
        ("new records", 6),
        ("replayed records", 12),
    ]
    assert figures[0]["ratio_to_embedding"] == 1.0
    assert all(figure["rate"] * figure["seconds"] > figure["count"] - 1e-6 for figure in figures)
    assert [line.split("  ")[0] for line in run.stdout.splitlines()[1:]] == [f["what"] for f in figures]
