"""Suites whose pairs come up only when records are submitted can be recorded, and replay without a model."""

from __future__ import annotations

from pathlib import Path

from arbiter.adapters.prompts import load
from arbiter.domain.evidence import Spend
from arbiter.settings import Settings
from evals.field_suite import solve_field_cases, with_registries
from evals.judges import build
from evals.questions import open_questions
from evals.recording import Answer, Header, Recording
from evals.stack import Stack
from tests.chat import item, reply

SETTINGS = with_registries(Settings(embedding_threads=1))


def test_the_field_cases_can_be_recorded(tmp_path: Path) -> None:
    """Each question is answered once; the replay meets no other, and costs what was recorded."""
    recording = Recording(tmp_path / "r.jsonl", Header.of("big/model", load("relation.v2"), 1))
    asked = open_questions(["field_cases"], recording, SETTINGS)
    for question in asked:
        recording.add(question.key, Answer(reply(item(1, "complementary")), Spend(1, 1_000, 100)))
    judge = build(f"replay:{recording.path}", SETTINGS)
    run = solve_field_cases("replay", judge, Stack.open(SETTINGS).around)
    judged = {answer.judge.partition("/")[0] for answer in run.answers if answer.relation is not None}
    assert judged == {"identity", "llm"}
    assert run.cost.llm_calls == sum(answer.judge.startswith("llm/") for answer in run.answers)
    assert len(asked) == len(recording) <= run.cost.llm_calls
