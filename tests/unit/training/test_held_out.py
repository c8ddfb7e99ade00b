"""What is held out for evaluation never reaches training."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from arbiter.errors import ConfigurationError
from arbiter.training.held_out import HeldOut, read_held_out
from arbiter.training.read_pairs import read_examples
from tests.unit.training.tiny import row, written

SUITES = Path(__file__).parents[3] / "evals" / "suites"


def test_a_held_out_statement_is_refused_in_any_spelling(tmp_path: Path) -> None:
    """White space, letter case and the side on which it stands do not hide a statement."""
    evaluation = written(tmp_path / "gold.jsonl", [row("Lives in Lima.", "Moved to Cusco.", "update")])
    training = written(tmp_path / "train.jsonl", [row("Owns a cat.", " lives  in LIMA ", "unrelated")])
    held_out = read_held_out(evaluation, statements=True)
    with pytest.raises(ConfigurationError, match=r"train\.jsonl: 1 of 1 pairs are held out"):
        held_out.refuse(read_examples(training), "train.jsonl")


def test_only_pairs_are_held_out_where_statements_repeat(tmp_path: Path) -> None:
    """A pair is known in either order, and its statements stay free for other pairs."""
    evaluation = written(tmp_path / "gold.jsonl", [{"a": "Ana likes tea.", "b": "Ana likes jazz."}])
    held_out = read_held_out(evaluation, statements=False)
    turned, other = read_examples(
        written(
            tmp_path / "train.jsonl",
            [
                row("Ana likes jazz.", "Ana likes tea.", "complementary"),
                row("Ana likes tea.", "Ana likes chess.", "complementary"),
            ],
        )
    )
    assert (turned in held_out, other in held_out) == (True, False)
    assert len(held_out) == 1


def test_records_are_found_wherever_a_file_has_them(tmp_path: Path) -> None:
    """Streams and cases nest their records; each statement is held out."""
    stream = tmp_path / "streams.jsonl"
    stream.write_text(
        json.dumps({"steps": [{"records": [{"content": "Owns a boat."}]}]}) + "\n", encoding="utf-8"
    )
    (example,) = read_examples(
        written(tmp_path / "train.jsonl", [row("Owns a boat.", "Owns a car.", "complementary")])
    )
    assert example in read_held_out(stream, statements=True)
    assert example not in HeldOut([])


@pytest.mark.parametrize(
    "suite",
    [
        "gold_dev.jsonl",
        "streams_dev.jsonl",
        "field_cases.jsonl",
        "negation.jsonl",
        "numbers.jsonl",
        "quantifiers.jsonl",
    ],
)
def test_the_packaged_list_covers_the_suites(suite: str) -> None:
    """Every statement of the suites in this repository is on the list that training checks."""
    listed = set(HeldOut.packaged().text.split())
    wanted = set(read_held_out(SUITES / suite, statements=True).text.split())
    assert wanted <= listed


def test_lists_join(tmp_path: Path) -> None:
    """A team's own files add to the packaged list."""
    own = read_held_out(written(tmp_path / "own.jsonl", [row("A b.", "C d.", "unrelated")]), statements=True)
    assert len(HeldOut(["x"]) | own) == 1 + len(own)
