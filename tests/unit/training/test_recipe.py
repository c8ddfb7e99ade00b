"""From files of pairs to a judge that answers, and from a judge to a better one."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
import pytest
import torch  # noqa: TID253

from arbiter.errors import ConfigurationError
from arbiter.judges.local import LocalJudge
from arbiter.judges.pair_tokens import encode, number_words
from arbiter.training.augment import NONE
from arbiter.training.batches import Item, items
from arbiter.training.export import export
from arbiter.training.held_out import HeldOut, read_held_out
from arbiter.training.loop import Plan, tensors
from arbiter.training.make import make
from arbiter.training.read_pairs import read_examples
from arbiter.training.recipe import Recipe
from arbiter.training.restore import restore
from arbiter.training.stages import average
from tests.unit.training.tiny import contrast_rows, network, tokenizer, written

NOTHING = HeldOut([])
QUICK = Plan(epochs=1, learning_rate=1e-3)


@pytest.fixture(name="base")
def _base(tmp_path: Path) -> Path:
    export(network(), tmp_path / "base", provenance={"made_by": "a test"})
    return tmp_path / "base"


def test_the_exported_judge_reads_like_the_network(tmp_path: Path, base: Path) -> None:
    """The int8 graph gives the relation's logits of the float network within a hundredth."""
    examples = read_examples(written(tmp_path / "pairs.jsonl", contrast_rows(3)))
    with torch.no_grad():
        expected = network().eval()(*tensors(items(examples, tokenizer(), NONE, Random(0))))["relation"]
    found = LocalJudge(base, threads=1).logits([example.pair for example in examples])
    assert np.abs(found - expected.numpy()).max() < 0.01


def test_a_judge_is_restored_from_its_own_file(tmp_path: Path, base: Path) -> None:
    """Restored weights export to the same graph, but for the rounding of a rounded number."""
    export(restore(base), tmp_path / "again", provenance={})
    pairs = [e.pair for e in read_examples(written(tmp_path / "pairs.jsonl", contrast_rows(2)))]
    first, second = (LocalJudge(at, threads=1).logits(pairs) for at in (base, tmp_path / "again"))
    assert np.abs(first - second).max() < 1e-4


def test_a_team_trains_on_its_own_pairs(tmp_path: Path, base: Path) -> None:
    """All files are there, the card names its data, and the judge gives calibrated verdicts."""
    pairs = written(tmp_path / "team.jsonl", contrast_rows(12))
    inference = tmp_path / "nli.jsonl.gz"
    rows = [{"a": f"{n} dogs", "b": "animals", "label": "entailment"} for n in range(8)]
    inference.write_bytes(gzip.compress("".join(json.dumps(r) + "\n" for r in rows).encode()))
    recipe = Recipe(
        pairs=(pairs,),
        inference=(inference,),
        base=base,
        share=0.25,
        seeds=(1, 2),
        mixed_epochs=1,
        first=QUICK,
        second=QUICK,
        third=QUICK,
    )
    lines: list[str] = []
    made = make(recipe, tmp_path / "out", NOTHING, lines.append)
    measures, operating = made.measures, made.operating
    assert "45 pairs to train on, 15 held out to calibrate" in lines
    assert (measures.pairs, operating.pairs, operating.acted) == (15, 15, 0)
    card = json.loads((tmp_path / "out" / "judge.json").read_text(encoding="utf-8"))
    assert card["provenance"]["recipe"]["pairs"] == ["team.jsonl"]
    assert card["provenance"]["trained_on"] == 45
    assert card["thresholds"]["update"] > 1
    assert "team.jsonl" in (tmp_path / "out" / "README.md").read_text(encoding="utf-8")
    judge = LocalJudge(tmp_path / "out", threads=1)
    assert judge.judge_id != LocalJudge(base).judge_id
    again = make(recipe, tmp_path / "out", NOTHING, lines.append)
    assert again == made
    assert any(line.startswith("goes on with the training in") for line in lines)
    assert LocalJudge(tmp_path / "out").judge_id == judge.judge_id


def test_held_out_pairs_are_refused(tmp_path: Path, base: Path) -> None:
    """A file that holds an evaluation pair trains nothing."""
    pairs = written(tmp_path / "team.jsonl", contrast_rows(4))
    gold = written(tmp_path / "gold.jsonl", contrast_rows(1))
    held_out = read_held_out(gold, statements=True)
    with pytest.raises(ConfigurationError, match="held out for evaluation"):
        make(Recipe(pairs=(pairs,), base=base), tmp_path / "out", held_out, print)
    assert not (tmp_path / "out").exists()


def test_too_few_pairs_are_refused(tmp_path: Path, base: Path) -> None:
    """One contrast set cannot be both trained on and held out; the message says what it takes."""
    pairs = written(tmp_path / "team.jsonl", contrast_rows(1))
    told = "5 pairs to train on and 0 to calibrate with are too few: with --share 0.15 it takes 7 at least"
    with pytest.raises(ConfigurationError, match=told):
        make(Recipe(pairs=(pairs,), base=base), tmp_path / "out", NOTHING, print)
    assert not (tmp_path / "out").exists()


def test_an_export_that_nobody_ruled_on_teaches_nothing(tmp_path: Path, base: Path) -> None:
    """The message says that no row is labelled, not how many pairs it would take."""
    pairs = written(tmp_path / "open.jsonl", [{"a_content": "A a.", "b_content": "B b."}] * 3)
    told = "no row is labelled.*open.jsonl: 3 rows read, 0 labelled pairs; 3 left out: 3 without a ruling"
    with pytest.raises(ConfigurationError, match=told):
        make(Recipe(pairs=(pairs,), base=base), tmp_path / "out", NOTHING, print)


def test_few_pairs_keep_the_temperature_of_the_base(tmp_path: Path, base: Path) -> None:
    """Ten pairs fit none, and show no threshold: both are said, on the judge's page too."""
    card = json.loads((base / "judge.json").read_text(encoding="utf-8"))
    (base / "judge.json").write_text(json.dumps(card | {"temperature": 1.7}), encoding="utf-8")
    pairs = written(tmp_path / "team.jsonl", contrast_rows(8))
    made = make(Recipe(pairs=(pairs,), base=base, share=0.3, second=QUICK), tmp_path / "out", NOTHING, print)
    assert (made.measures.pairs, made.temperature, made.operating.threshold) == (10, 1.7, 1.01)
    assert [note.partition(":")[0] for note in made.notes] == [
        "10 pairs are too few to fit a temperature to, which takes 100",
        "This judge never acts",
    ]
    assert "which takes 299 without a mistake" in made.notes[1]
    kept = json.loads((tmp_path / "out" / "judge.json").read_text(encoding="utf-8"))
    assert (kept["temperature"], tuple(kept["calibration"]["notes"])) == (1.7, made.notes)
    page = (tmp_path / "out" / "README.md").read_text(encoding="utf-8")
    assert all(note in page for note in made.notes)


def test_another_training_is_not_written_over(tmp_path: Path, base: Path) -> None:
    """With other options or pairs a folder is refused and keeps its judge; a budget may differ."""
    pairs, out = written(tmp_path / "team.jsonl", contrast_rows(8)), tmp_path / "out"
    recipe = Recipe(pairs=(pairs,), base=base, share=0.3, second=QUICK)
    make(recipe, out, NOTHING, print)
    made = (out / "model.onnx").read_bytes()
    more = replace(recipe, second=replace(QUICK, epochs=2))
    with pytest.raises(ConfigurationError, match=r"other options \(--epochs: 1, now 2\)"):
        make(more, out, NOTHING, print)
    assert (out / "model.onnx").read_bytes() == made
    assert make(replace(recipe, budget=0.5), out, NOTHING, print).operating.pairs == 10
    written(pairs, contrast_rows(9))
    with pytest.raises(ConfigurationError, match=r"\(the content of team.jsonl\)"):
        make(recipe, out, NOTHING, print)


def test_no_judge_is_restored_from_an_empty_folder(tmp_path: Path) -> None:
    """The message names the folder."""
    with pytest.raises(ConfigurationError, match="holds no judge"):
        restore(tmp_path)


def test_weights_are_averaged() -> None:
    """The mean of two runs lies in the middle."""
    low, high = {"w": torch.tensor([1.0, 3.0])}, {"w": torch.tensor([2.0, 5.0])}
    assert average([low, high])["w"].tolist() == [1.5, 4.0]


def test_pairs_to_calibrate_on_may_be_named(tmp_path: Path, base: Path) -> None:
    """All of them calibrate, and what shares a statement with one of them is not trained on."""
    rows = contrast_rows(6)
    pairs = written(tmp_path / "pairs.jsonl", rows[5:])
    calibration = written(tmp_path / "calibration.jsonl", rows[:10])
    lines: list[str] = []
    recipe = Recipe(pairs=(pairs,), calibration=(calibration,), base=base, second=QUICK)
    made = make(recipe, tmp_path / "out", NOTHING, lines.append)
    assert "20 pairs to train on, 10 held out to calibrate" in lines
    assert made.measures.pairs == 10


def test_the_exported_judge_infers_like_the_network(base: Path) -> None:
    """The head of inference gives probabilities, within a hundredth those of the float network."""
    texts = [("2 dogs sleep", "animals sleep"), ("A man eats.", "Nobody eats."), ("x", "y")]
    assert np.isnan(LocalJudge(base, threads=1).infer([("a " * 400, "b")])).all()
    tokens = encode(tokenizer(), texts, [number_words(a, b) for a, b in texts])
    with torch.no_grad():
        logits = network().eval()(*tensors([Item(token, {}) for token in tokens]))["inference"]
    found = LocalJudge(base, threads=1).infer(texts)
    assert np.abs(found - logits.softmax(dim=1).numpy()).max() < 0.01
    assert found.shape == (3, 3)
