"""Questions written for a model that is reached another way, and its replies filed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from arbiter.adapters.prompts import load
from arbiter.domain.evidence import Verdict
from arbiter.errors import ConfigurationError
from arbiter.judges.reply import SCHEMA
from arbiter.settings import Settings
from evals import answers, prompts
from evals.judges import build
from evals.recording import Recording
from evals.suite_files import load_pairs
from tests.labelled_pairs import RELATIONS, five_pairs, verdicts

Row = Mapping[str, Any]


@pytest.fixture
def asked(tmp_path: Path) -> list[Row]:
    """Return the questions of a file of five labelled pairs, as the command writes them."""
    return questions(tmp_path)


def questions(folder: Path, *options: str) -> list[Row]:
    """Write the questions of five labelled pairs and read them again."""
    out = folder / "questions.jsonl"
    suite = five_pairs(folder / "five.jsonl")
    result = CliRunner().invoke(
        prompts.command, ["--suite", str(suite), "--out", str(out), *options], catch_exceptions=False
    )
    assert result.exit_code == 0
    return [json.loads(line) for line in out.read_text("utf-8").splitlines()]


def told(question: Row) -> str:
    """Return the right reply to a question."""
    return verdicts(json.loads(question["user"][question["user"].index("[{") :]))


def file(folder: Path, rows: Iterable[Row], *options: str) -> Result:
    """File replies in a recording of the folder."""
    replies = folder / "replies.jsonl"
    replies.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    arguments = ["--in", str(replies), "--model", "big/model", "--out", str(folder / "r.jsonl"), *options]
    return CliRunner().invoke(answers.command, arguments, catch_exceptions=False)


def test_a_question_has_all_that_a_batch_interface_needs(asked: list[Row]) -> None:
    """An id that such interfaces take, both texts and the schema of the reply."""
    assert [set(row) for row in asked] == [{"custom_id", "system", "user", "schema"}] * 5
    assert [row["schema"] for row in asked] == [SCHEMA] * 5
    assert {row["system"] for row in asked} == {load("relation.v2").system}
    assert all(row["custom_id"].startswith("relation-v2-1of1-") for row in asked)
    assert len({row["custom_id"] for row in asked}) == 5
    assert max(len(row["custom_id"]) for row in asked) <= 64


def test_several_pairs_may_share_a_question(tmp_path: Path) -> None:
    """The id says how many pairs are in the question, and how many in a full one."""
    ids = [
        row["custom_id"] for row in questions(tmp_path, "--pairs-per-call", "3", "--prompt", "relation.v1")
    ]
    assert [text.rpartition("-")[0] for text in ids] == ["relation-v1-3of3", "relation-v1-2of3"]


@pytest.mark.parametrize(
    "wrap",
    [
        lambda text: {"reply": text},
        lambda text: {"reply": json.loads(text)},
        lambda text: {
            "response": {
                "body": {
                    "choices": [{"message": {"content": text}}],
                    "usage": {"prompt_tokens": 900, "completion_tokens": 80},
                }
            }
        },
        lambda text: {
            "result": {
                "type": "succeeded",
                "message": {
                    "content": [{"type": "thinking", "thinking": "…"}, {"type": "text", "text": text}],
                    "usage": {"input_tokens": 900, "output_tokens": 80},
                },
            }
        },
    ],
    ids=["ours", "ours as JSON", "OpenAI", "Anthropic"],
)
def test_replies_become_a_recording(
    tmp_path: Path, asked: list[Row], wrap: Callable[[str], dict[str, Any]]
) -> None:
    """Of every form that is read; the recording then judges as the model would."""
    rows = [{"custom_id": row["custom_id"], **wrap(told(row))} for row in asked]
    result = file(tmp_path, rows, "--usd-per-million", "1", "10")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.splitlines() == [
        f"{tmp_path / 'r.jsonl'}: 5 answers",
        "5 filed, 0 without a usable verdict on each pair",
    ]
    judge = build(f"replay:{tmp_path / 'r.jsonl'}", Settings())
    found, spend = judge.judge([case.pair for case in load_pairs(tmp_path / "five.jsonl")])
    assert [v.relation.value for v in found if isinstance(v, Verdict)] == list(RELATIONS.values())
    assert spend.llm_calls == 5
    if "reply" not in rows[0]:
        assert (spend.prompt_tokens, spend.completion_tokens) == (4500, 400)
        assert round(spend.usd, 6) == 0.0085


def test_what_cannot_be_used_is_named_and_left_out(tmp_path: Path, asked: list[Row]) -> None:
    """So that it can be asked for again; the good ones are filed."""
    bad = ("I cannot tell.", '{"pair": 1, "relation": "update", "confidence": 0.9}', "")
    rows = [
        {"custom_id": row["custom_id"], "reply": text}
        for row, text in zip(asked, (told(asked[0]), *bad, told(asked[4])), strict=True)
    ]
    result = file(tmp_path, rows)
    assert result.exit_code == 1
    assert [line.split(": ", 2)[2] for line in result.stderr.splitlines()] == [
        "the reply has no verdict on this pair",
        "the verdict is not valid: : an update must say which side is current",
        "there is no reply",
    ]
    assert len(Recording.open(tmp_path / "r.jsonl")) == 2
    with pytest.raises(ConfigurationError, match="lacks 3 of 5 pairs"):
        build(f"replay:{tmp_path / 'r.jsonl'}", Settings()).judge(
            [case.pair for case in load_pairs(tmp_path / "five.jsonl")]
        )


def test_a_bad_reply_may_be_kept_as_the_models_answer(tmp_path: Path, asked: list[Row]) -> None:
    """Its pair stays unjudged in the replay, which is what the model is worth there."""
    rows = [{"custom_id": asked[0]["custom_id"], "reply": "I cannot tell."}]
    assert file(tmp_path, rows, "--keep-unusable").exit_code == 1
    (case, *_) = load_pairs(tmp_path / "five.jsonl")
    (found,), _ = build(f"replay:{tmp_path / 'r.jsonl'}", Settings()).judge([case.pair])
    assert getattr(found, "code", None) == "judge_reply"


def test_only_what_a_model_has_not_answered_is_asked(
    tmp_path: Path, asked: list[Row], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rest of the questions, for a second round."""
    monkeypatch.setattr("evals.recording.RECORDINGS", tmp_path)
    path = tmp_path / "big-model.relation.v2.jsonl"
    file(tmp_path, [{"custom_id": asked[2]["custom_id"], "reply": told(asked[2])}], "--out", str(path))
    left = [row["custom_id"] for row in questions(tmp_path, "--model", "big/model")]
    assert left == [row["custom_id"] for row in asked if row is not asked[2]]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"reply": "x"}, "'None' is no custom id that `prompts` wrote"),
        ({"custom_id": "request-1", "reply": "x"}, "'request-1' is no custom id"),
        ({"custom_id": f"relation-v99-1of1-{'0' * 32}", "reply": "x"}, "there is no prompt 'relation.v99'"),
        ([1], r"replies\.jsonl:1 is not a JSON object"),
    ],
)
def test_a_file_that_is_no_answer_is_refused(tmp_path: Path, row: Any, message: str) -> None:
    """Nothing is guessed about whose question a reply answers."""
    if isinstance(row, dict) and "v99" in str(row):
        row = {**row, "reply": '{"pair": 1, "relation": "duplicate", "confidence": 0.9}'}
    with pytest.raises(ConfigurationError, match=message):
        file(tmp_path, [row])
