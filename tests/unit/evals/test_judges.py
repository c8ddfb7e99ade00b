"""Judges by name."""

from __future__ import annotations

from pathlib import Path

import pytest

from arbiter.adapters.prompts import load
from arbiter.domain.evidence import RecordPair, Spend, Unjudged, Verdict
from arbiter.errors import ConfigurationError
from arbiter.judges.local import LocalJudge
from arbiter.settings import Settings
from evals.judges import BASELINES, JUDGES, build, policy_for, reaches_out
from evals.recording import Answer, Header, Recording
from tests.chat import item, reply
from tests.factories import make_record

SETTINGS = Settings(embedding_threads=1)
SAME_WORDS = RecordPair(make_record("Ana likes tea."), make_record("Ana likes tea.", at=2, source="crm"))
REWORDED = RecordPair(make_record("Ana likes tea."), make_record("Ana is fond of tea.", at=2))
LOCAL = LocalJudge().judge_id


def test_every_name_builds_its_judge() -> None:
    """All that need no model from outside, under the ids that the product gives them."""
    ids = {name: build(name, SETTINGS).judge_id for name in (*JUDGES, *BASELINES) if name != "llm"}
    keyed = ids["keyed"].removeprefix("exact/c1 > ")
    assert keyed.startswith("keyed/1@")
    assert ids["exact"] == "exact/c1"
    assert ids["local"] == LOCAL
    assert ids["cascade-without-llm"] == ids["cascade"] == f"exact/c1 > {keyed} > {LOCAL}"
    assert {ids[name].split("/")[0] for name in BASELINES} == {"baseline"}


def test_the_language_model_is_the_one_of_the_settings() -> None:
    """Alone it stands behind the exact judge, in the cascade behind all others."""
    settings = Settings(embedding_threads=1, llm_model="openai/gpt-4o-mini")
    model = f"llm/openai/gpt-4o-mini/relation.v2@{load('relation.v2').digest[:12]}"
    assert build("llm", settings).judge_id == f"exact/c1 > {model}"
    assert build("cascade", settings).judge_id.endswith(f" > {LOCAL} > {model}")
    assert build("cascade-without-llm", settings).judge_id.endswith(LOCAL)


def test_only_a_language_model_reaches_out() -> None:
    """And in the cascade only where one is named."""
    with_model = Settings(llm_model="openai/gpt-4o-mini")
    names = (*JUDGES, *BASELINES, "replay:some", "cascade:some")
    assert [name for name in names if reaches_out(name, SETTINGS)] == ["llm"]
    assert [name for name in names if reaches_out(name, with_model)] == ["cascade", "llm"]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "best",
            "no judge is called 'best'; there are exact, keyed, local, cascade-without-llm, cascade, llm",
        ),
        ("llm", "judge llm: name its model in ARBITER_LLM_MODEL"),
        ("replay:none", r"there is no recording at .*none\.jsonl"),
        ("replay:", "no judge is called 'replay:'"),
    ],
)
def test_a_judge_that_cannot_be_built_is_refused(name: str, message: str) -> None:
    """With what is missing, or with the names that there are."""
    with pytest.raises(ConfigurationError, match=message):
        build(name, SETTINGS)


def test_the_policy_has_the_thresholds_of_the_packaged_judge() -> None:
    """They hold for that judge and no other."""
    policy = policy_for(SETTINGS)
    assert policy.judges["local"] == LocalJudge().thresholds


def test_a_recording_takes_the_place_of_its_model(tmp_path: Path) -> None:
    """Alone it answers all but the same words, in the cascade what the local judge leaves unsure."""
    prompt = load("relation.v2")
    recording = Recording(tmp_path / "r.jsonl", Header.of("big", prompt, 1))
    spend = Spend(1, 1000, 100, 0.01)
    judge = build("replay:" + _recorded(recording, spend), SETTINGS)
    (same, reworded), cost = judge.judge([SAME_WORDS, REWORDED])
    assert isinstance(same, Verdict)
    assert isinstance(reworded, Verdict)
    assert (same.judge, reworded.judge) == ("exact/c1", f"llm/big/relation.v2@{prompt.digest[:12]}")
    assert cost == spend
    assert build(f"cascade:{recording.path}", SETTINGS).judge_id.endswith(f"{LOCAL} > {reworded.judge}")


def test_the_exact_judge_leaves_the_rest() -> None:
    """Measured alone it has nothing to say about other words, and says so."""
    (same, reworded), _ = build("exact", SETTINGS).judge([SAME_WORDS, REWORDED])
    assert isinstance(same, Verdict)
    assert isinstance(reworded, Unjudged)


def _recorded(recording: Recording, spend: Spend) -> str:
    """Record that the reworded pair is a duplicate, and return the recording's path."""
    from arbiter.judges.question import question

    user = load(recording.header.prompt).render(question([REWORDED]))
    recording.add(recording.key(user), Answer(reply(item()), spend))
    return str(recording.path)
