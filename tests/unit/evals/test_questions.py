"""What suites ask a language model."""

from __future__ import annotations

from pathlib import Path

import pytest

from arbiter.adapters.prompts import load
from arbiter.domain.evidence import Spend
from arbiter.errors import ConfigurationError
from arbiter.settings import Settings
from evals.questions import CustomId, Question, open_questions
from evals.recording import Answer, Header, Recording
from tests.chat import item, reply
from tests.labelled_pairs import five_pairs, row, write_pairs

PROMPT = load("relation.v2")
SETTINGS = Settings(embedding_threads=1)


@pytest.fixture
def recording(tmp_path: Path) -> Recording:
    """Return an empty recording of one pair a question."""
    return Recording(tmp_path / "r.jsonl", Header.of("big/model", PROMPT, 1))


def test_a_custom_id_says_what_it_is_about() -> None:
    """Prompt, pairs and key can be read out of it again."""
    question = Question("0123456789abcdef" * 2, "s", "u", 3, 9)
    text = question.custom_id(Header.of("m", PROMPT, 8))
    assert text == "relation-v2-3of8-0123456789abcdef0123456789abcdef"
    assert CustomId.parse(text) == CustomId("relation.v2", 3, 8, question.key)


def test_a_question_is_what_the_judge_would_send(tmp_path: Path, recording: Recording) -> None:
    """Word for word; it may take some hundred tokens for the answer, more with more pairs."""
    asked = open_questions([str(five_pairs(tmp_path / "five.jsonl"))], recording, SETTINGS)
    assert {question.system for question in asked} == {PROMPT.system}
    assert asked[0].user.startswith('Judge these pairs:\n[{"pair":1,"seen":"b 4 weeks later, same source"')
    assert [(question.pairs, question.max_tokens) for question in asked] == [(1, 500)] * 5
    assert [question.key for question in asked] == [recording.key(question.user) for question in asked]
    several = Recording(tmp_path / "s.jsonl", Header.of("big/model", PROMPT, 4))
    grouped = open_questions([str(tmp_path / "five.jsonl")], several, SETTINGS)
    assert [(question.pairs, question.max_tokens) for question in grouped] == [(4, 1_700), (1, 500)]


def test_nothing_is_asked_twice(tmp_path: Path, recording: Recording) -> None:
    """Neither about the same words, which need no model, nor a question of two suites or of before."""
    told = [
        row("Ana has a cat.", "ana has a cat", "duplicate"),
        row("Ana has a cat.", "Ben has two.", "unrelated"),
    ]
    one, two = (str(write_pairs(tmp_path / name, told)) for name in ("one.jsonl", "two.jsonl"))
    (question,) = open_questions([one, two], recording, SETTINGS)
    recording.add(question.key, Answer(reply(item(1, "unrelated")), Spend()))
    assert open_questions([one, two], recording, SETTINGS) == []


@pytest.mark.parametrize(
    ("suite", "message"),
    [("retrieval", "retrieval holds retrieval, no pairs"), ("gold", "gold is no file and no suite")],
)
def test_what_asks_no_judge_is_refused(recording: Recording, suite: str, message: str) -> None:
    """A recording of it would hold nothing."""
    with pytest.raises(ConfigurationError, match=message):
        open_questions([suite], recording, SETTINGS)
