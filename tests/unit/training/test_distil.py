"""A teacher that is too large to ship, and a judge that learns from it."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
import torch  # noqa: TID253

from arbiter.domain.vocabulary import SourceKind
from arbiter.errors import ConfigurationError
from arbiter.judges.pair_tokens import gap_word
from arbiter.training.augment import NONE
from arbiter.training.batches import Item, items
from arbiter.training.distil import Teacher, as_records, recombined, taught_batches
from arbiter.training.examples import asked_key, pair_key
from arbiter.training.export import export
from arbiter.training.held_out import HeldOut
from arbiter.training.loop import Plan, loss, tensors
from arbiter.training.make import make, teach
from arbiter.training.read_pairs import read_examples
from arbiter.training.recipe import Recipe
from tests.unit.training.tiny import contrast_rows, mpnet, network, row, tokenizer, written

NOTHING = HeldOut([])
QUICK = Plan(epochs=1, learning_rate=1e-3)


@pytest.fixture(name="pairs")
def _pairs(tmp_path: Path) -> Path:
    return written(tmp_path / "pairs.jsonl", contrast_rows(8))


@pytest.fixture(name="teacher")
def _teacher(tmp_path: Path, pairs: Path) -> Path:
    recipe = Recipe(pairs=(pairs,), base=mpnet(tmp_path / "mpnet"), share=0.25, second=QUICK)
    assert 0 <= teach(recipe, tmp_path / "teacher", NOTHING, lambda _: None) <= 1
    return tmp_path / "teacher"


def test_a_teacher_says_the_same_after_it_was_written(teacher: Path, pairs: Path) -> None:
    """Its probabilities add up to one, stand in the order of the pairs, and do not hang on their company."""
    given = [example.pair for example in read_examples(pairs)]
    found = Teacher(teacher).probabilities(given)
    assert [round(sum(row), 4) for row in found] == [1.0] * len(given)
    again = Teacher(teacher).probabilities(given[::-1])[::-1]
    assert torch.allclose(torch.tensor(found), torch.tensor(again), atol=0.02)


def test_a_judge_learns_from_a_teacher(tmp_path: Path, teacher: Path, pairs: Path) -> None:
    """The teacher reads the labelled pairs and new ones once; what it said is kept for a second start."""
    export(network(), tmp_path / "base", provenance={})
    recipe = Recipe(
        pairs=(pairs,),
        base=tmp_path / "base",
        teacher=teacher,
        share=0.25,
        recombined=7,
        second=replace(QUICK, epochs=0),
        third=QUICK,
    )
    lines: list[str] = []
    assert make(recipe, tmp_path / "out", NOTHING, lines.append).measures.pairs == 10
    assert "the teacher has read 0 of 37 pairs" in lines
    assert len(torch.load(tmp_path / "out" / "taught.pt", weights_only=True)) == 37


def test_new_pairs_are_of_one_anchor_and_not_labelled(tmp_path: Path) -> None:
    """Three statements said of one anchor make three new pairs; a seed always draws the same ones."""
    rows = [row("The lamp is on.", f"The lamp is {word}.", "update") for word in ("off", "red", "old")]
    rows.append(row("The lamp is off.", "The lamp is red.", "contradiction"))
    rows.append(row("A far thing.", "Another far thing.", "unrelated"))
    examples = read_examples(written(tmp_path / "pairs.jsonl", rows))
    found = recombined(examples, most=10, seed=1)
    assert {frozenset((p.a.content, p.b.content)) for p in found} == {
        frozenset(("The lamp is off.", "The lamp is old.")),
        frozenset(("The lamp is red.", "The lamp is old.")),
    }
    assert recombined(examples, most=1, seed=1) == recombined(examples, most=1, seed=1)
    assert len(recombined(examples, most=1, seed=1)) == 1


def test_what_a_teacher_says_hangs_on_when_it_was_said(tmp_path: Path) -> None:
    """The same two statements at once and a year apart are two questions, and each keeps its own answer."""
    told = row("Rita lives in Bath.", "Rita lives in York.", "contradiction")
    late = told | {"label": "update", "b": told["b"] | {"observed_at": "2027-06-01T00:00:00Z"}}
    at_once, apart = read_examples(written(tmp_path / "pairs.jsonl", [told, late]))
    assert pair_key(at_once.pair) == pair_key(apart.pair)
    taught = {
        asked_key(at_once.pair): (0.0, 0.0, 1.0, 0.0, 0.0),
        asked_key(apart.pair): (0.0, 1.0, 0.0, 0.0, 0.0),
    }
    found = items([apart.swapped(), at_once], tokenizer(), NONE, Random(1), taught)
    assert [item.taught for item in found] == list(taught.values())[::-1]


def test_inference_pairs_are_read_as_records() -> None:
    """Times and sources are drawn, the same for a seed: neither a gap nor a source says what is right."""
    rows = [(f"Bird {n} sings.", f"Bird {n} is silent.", "contradiction") for n in range(300)]
    found = as_records(rows, most=200, seed=1)
    assert found == as_records(rows, most=200, seed=1)
    assert len({pair_key(pair) for pair in found}) == 200
    assert all((pair.a.content, pair.b.content, "contradiction") in rows for pair in found)
    gaps = {gap_word(pair.b.observed_at - pair.a.observed_at) for pair in found}
    assert gaps == {"now", "hours", "days", "weeks", "months", "years"}
    assert {pair.b.source.kind for pair in found} == set(SourceKind)
    assert 90 < sum(pair.a.source == pair.b.source for pair in found) < 150


def test_a_teacher_reads_inference_pairs_too(tmp_path: Path, teacher: Path, pairs: Path) -> None:
    """Those that are short enough are taught beside the new pairs of our own."""
    rows = [{"a": f"Bird {n} sings.", "b": "x" * n, "label": "neutral"} for n in (1, 2, 3, 900)]
    with gzip.open(tmp_path / "nli.jsonl.gz", "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)
    export(network(), tmp_path / "base", provenance={})
    recipe = Recipe(
        pairs=(pairs,),
        inference=(tmp_path / "nli.jsonl.gz",),
        inference_chars=2_000,
        base=tmp_path / "base",
        teacher=teacher,
        share=0.25,
        recombined=7,
        taught_inference=10,
        first=replace(QUICK, epochs=0),
        second=replace(QUICK, epochs=0),
        third=QUICK,
    )
    lines: list[str] = []
    make(recipe, tmp_path / "out", NOTHING, lines.append)
    assert "the teacher has read 0 of 40 pairs" in lines


def test_what_a_teacher_says_enters_the_loss(pairs: Path) -> None:
    """A pair without labels costs its distance to the teacher; to agree costs less than to differ."""
    given = [example.pair for example in read_examples(pairs)][:1]
    judge, plan = network().eval(), Plan(1, 1e-3, contrast=0.0)
    taught = {asked_key(given[0]): (0.2,) * 5}
    (batch,) = taught_batches(given, taught, tokenizer(), size=4, seed=0)
    with torch.no_grad():
        alike = loss(judge, batch, plan).item()
        other = loss(judge, [replace(batch[0], taught=(1.0, 0.0, 0.0, 0.0, 0.0))], plan).item()
        nothing = loss(judge, [Item(batch[0].tokens, {})], plan).item()
        unheard = loss(judge, batch, replace(plan, distillation=0.0)).item()
        with torch.autocast("cpu", dtype=torch.bfloat16):
            said = judge(*tensors(batch))["relation"].float().log_softmax(dim=1)[0]
    assert (nothing, unheard) == (0.0, 0.0)
    assert alike == pytest.approx(-said.mean().item(), abs=1e-4)
    assert other == pytest.approx(-said[0].item(), abs=1e-4)


def test_bases_are_not_mixed_up(tmp_path: Path, pairs: Path) -> None:
    """An MPNet is no judge, a judge is no MPNet, and a folder without either is neither."""
    export(network(), tmp_path / "base", provenance={})
    large = Recipe(pairs=(pairs,), base=mpnet(tmp_path / "mpnet"), second=QUICK)
    with pytest.raises(ConfigurationError, match="a teacher is too large to be a judge"):
        make(large, tmp_path / "one", NOTHING, lambda _: None)
    with pytest.raises(ConfigurationError, match="holds no MPNet"):
        teach(replace(large, base=tmp_path / "base"), tmp_path / "two", NOTHING, lambda _: None)
    with pytest.raises(ConfigurationError, match="holds no encoder"):
        make(replace(large, base=tmp_path), tmp_path / "three", NOTHING, lambda _: None)
    with pytest.raises(ConfigurationError, match="holds no teacher"):
        Teacher(tmp_path)
