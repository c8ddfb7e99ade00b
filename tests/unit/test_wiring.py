"""What the settings wire together."""

from __future__ import annotations

import shutil
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from arbiter.adapters.policy_file import load_policy
from arbiter.errors import ConfigurationError
from arbiter.judges.local import PACKAGED
from arbiter.settings import Settings
from arbiter.wiring import build, build_local_judge, limits, with_thresholds


def judges(**settings: object) -> list[str]:
    """Return the kinds of judges that settings ask for, in order."""
    context = build(Settings(database=":memory:", **settings))  # type: ignore[arg-type]
    context.store.close()
    return [name.split("/")[0] for name in context.judge.judge_id.split(" > ")]


def test_judges_by_setting() -> None:
    """Each setting has its judges, cheapest first."""
    assert judges(judge="none") == judges(local_judge="none") == ["exact", "keyed"]
    assert judges() == judges(judge="local", llm_model="openai/any") == ["exact", "keyed", "local"]
    assert judges(llm_model="openai/any") == ["exact", "keyed", "local", "llm"]
    assert judges(llm_model="openai/any", local_judge="none") == ["exact", "keyed", "llm"]
    assert judges(judge="llm", llm_model="openai/any") == ["exact", "llm"]


def test_the_packaged_judge_acts_only_within_its_error_budget() -> None:
    """Its thresholds hold for its own verdicts, and those that a policy file names for it come first."""
    context = build(Settings(database=":memory:", judge="local"))
    context.store.close()
    assert context.policy.thresholds == load_policy().thresholds
    assert set(context.policy.judges) == {"local"}
    by_hand = replace(load_policy(), judges={"local": {"update": 0.97}})
    assert with_thresholds(by_hand, "local", {"update": 0.9, "duplicate": 0.91}).judges == {
        "local": {"update": 0.97, "duplicate": 0.91}
    }


def test_a_judge_of_ones_own_is_named_by_its_folder(tmp_path: Path) -> None:
    """It takes the place of the packaged one; a folder without a judge is refused, and so is none at all."""
    for file in ("judge.json", "model.onnx"):
        shutil.copy(PACKAGED / file, tmp_path)
    assert build_local_judge(Settings(local_judge=tmp_path)) is not None
    (tmp_path / "judge.json").unlink()
    with pytest.raises(ConfigurationError, match="does not describe a judge"):
        build_local_judge(Settings(local_judge=tmp_path))
    with pytest.raises(ConfigurationError, match="judge: 'local' needs a local_judge"):
        Settings(judge="local", local_judge="none")


def test_pairs_are_looked_at_further_where_somebody_reads() -> None:
    """0.3 and the three nearest of a subject with a reading judge, 0.6 and none without; a setting wins."""
    blind = limits(Settings(judge="none"))
    assert (blind.near, blind.nearest_related) == (0.6, 0)
    for reading in (Settings(), Settings(local_judge="none", llm_model="openai/any")):
        assert (limits(reading).near, limits(reading).nearest_related) == (0.3, 3)
    assert limits(Settings(min_similarity=0.5)).near == 0.5


def test_a_question_that_a_language_model_may_be_answering_is_not_asked_again() -> None:
    """A fact counts as left behind after five seconds, or after those that a call of the model may take."""
    assert limits(Settings()).left_after == timedelta(seconds=5)
    asking = Settings(llm_model="openai/any", llm_deadline_s=40)
    assert limits(asking).left_after == timedelta(seconds=45)


def test_a_ceiling_without_a_price_is_refused() -> None:
    """A ceiling in dollars for a model of unknown price would hold nothing back."""
    with pytest.raises(ConfigurationError, match="no price is known for openai/nobody-knows-it"):
        build(Settings(database=":memory:", llm_model="openai/nobody-knows-it", llm_max_usd=1.0))
