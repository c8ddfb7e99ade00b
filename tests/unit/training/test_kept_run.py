"""A folder of a training is taken up only with what it was started with."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from arbiter.errors import ConfigurationError
from arbiter.training.kept_run import take_up
from arbiter.training.recipe import Recipe


@pytest.fixture(name="recipe")
def _recipe(tmp_path: Path) -> Recipe:
    pairs = tmp_path / "team.jsonl"
    pairs.write_text("{}\n", encoding="utf-8")
    return Recipe(pairs=(pairs,), base=tmp_path / "base")


def test_the_same_training_goes_on(tmp_path: Path, recipe: Recipe) -> None:
    """The first start keeps what it was given; the budget of calibration may be another one later."""
    out = tmp_path / "out"
    assert take_up(out, recipe) is False
    assert take_up(out, recipe) is True
    assert take_up(out, replace(recipe, budget=0.05, confidence=0.9)) is True


def test_every_option_that_differs_is_named(tmp_path: Path, recipe: Recipe) -> None:
    """By the name that it has on the command line, with what it was."""
    take_up(tmp_path / "out", recipe)
    rate = replace(recipe.second, learning_rate=0.5, epochs=1)
    other = replace(recipe, second=rate, third=replace(recipe.third, learning_rate=0.5), seeds=(1, 2))
    told = r"\(--seed: 1, now 1, 2; --epochs: 6, now 1; --rate: 0.0001, now 0.5\); name another --out"
    with pytest.raises(ConfigurationError, match=told):
        take_up(tmp_path / "out", other)


def test_other_pairs_of_the_same_name_are_another_training(tmp_path: Path, recipe: Recipe) -> None:
    """Checkpoints of other pairs are not gone on from."""
    take_up(tmp_path / "out", recipe)
    recipe.pairs[0].write_text("{}\n{}\n", encoding="utf-8")
    with pytest.raises(ConfigurationError, match=r"the content of team\.jsonl"):
        take_up(tmp_path / "out", recipe)


@pytest.mark.parametrize("name", ["judge.json", "teacher.pt", "stage2-1"])
def test_a_folder_of_which_nothing_is_known_is_refused(tmp_path: Path, recipe: Recipe, name: str) -> None:
    """It may hold a judge that somebody needs."""
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / name).write_text("", encoding="utf-8")
    with pytest.raises(ConfigurationError, match="holds a judge or checkpoints of another training"):
        take_up(tmp_path / "out", recipe)
    assert [path.name for path in (tmp_path / "out").iterdir()] == [name]


def test_notes_of_a_team_may_lie_there_before(tmp_path: Path, recipe: Recipe) -> None:
    """The page about a judge takes them in."""
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "about.md").write_text("Ours.", encoding="utf-8")
    assert take_up(tmp_path / "out", recipe) is False
