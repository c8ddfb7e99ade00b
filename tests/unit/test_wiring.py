"""What the settings wire together."""

from __future__ import annotations

from dataclasses import replace

import pytest

from arbiter.adapters.policy_file import load_policy
from arbiter.errors import ConfigurationError
from arbiter.settings import Settings
from arbiter.wiring import build, limits, with_thresholds


def judges(**settings: object) -> list[str]:
    """Return the kinds of judges that settings ask for, in order."""
    context = build(Settings(database=":memory:", **settings))  # type: ignore[arg-type]
    context.store.close()
    return [name.split("/")[0] for name in context.judge.judge_id.split(" > ")]


def test_judges_by_setting() -> None:
    """Each setting has its judges, cheapest first."""
    assert judges() == judges(judge="none") == ["exact", "keyed"]
    assert judges(judge="local") == ["exact", "keyed", "local"]
    assert judges(llm_model="openai/any") == ["exact", "keyed", "llm"]
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


def test_pairs_are_looked_at_further_where_somebody_reads() -> None:
    """0.3 and the three nearest of a subject with a reading judge, 0.6 and none without; a setting wins."""
    assert (limits(Settings()).near, limits(Settings()).nearest_related) == (0.6, 0)
    assert (limits(Settings(judge="local")).near, limits(Settings(judge="local")).nearest_related) == (0.3, 3)
    assert limits(Settings(min_similarity=0.5)).near == 0.5


def test_a_ceiling_without_a_price_is_refused() -> None:
    """A ceiling in dollars for a model of unknown price would hold nothing back."""
    with pytest.raises(ConfigurationError, match="no price is known for openai/nobody-knows-it"):
        build(Settings(database=":memory:", llm_model="openai/nobody-knows-it", llm_max_usd=1.0))
