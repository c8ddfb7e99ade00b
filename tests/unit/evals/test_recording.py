"""Recordings: what is kept of an answer, and which answers can never be confused."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from arbiter.adapters.prompts import Prompt, load
from arbiter.domain.evidence import Spend
from arbiter.errors import ConfigurationError
from evals.recording import (
    RECORDINGS,
    Answer,
    Header,
    Recording,
    find_recording,
    question_key,
    recording_path,
)

PROMPT = load("relation.v2")
HEADER = Header.of("openai/gpt", PROMPT, 1)
ANSWER = Answer("yes", Spend(1, 10, 2, 0.5))


def test_what_is_added_is_there_again(tmp_path: Path) -> None:
    """In the same object, and when the file is opened later, by the header that it bears itself."""
    path = tmp_path / "folder" / "some.jsonl"
    recording = Recording(path, HEADER)
    recording.add("k1", ANSWER)
    recording.add("k2", Answer("no", Spend()))
    opened = Recording.open(path)
    assert opened.header == HEADER
    assert [len(found) for found in (recording, opened)] == [2, 2]
    assert [found.get("k1") for found in (recording, opened)] == [ANSWER, ANSWER]
    assert opened.get("k3") is None


def test_the_last_answer_counts(tmp_path: Path) -> None:
    """An answer that was given again is written below the first one."""
    recording = Recording(tmp_path / "r.jsonl", HEADER)
    recording.add("k", Answer("prose", Spend()))
    recording.add("k", ANSWER)
    assert Recording.open(recording.path).get("k") == ANSWER
    assert len(recording.path.read_text().splitlines()) == 2


def test_prompts_and_questions_have_keys_of_their_own() -> None:
    """Two versions of a prompt never share an answer, nor do two questions, wherever one text ends."""
    sent = [("d", "q"), ("e", "q"), ("d", "r"), ("dq", ""), ("", "dq")]
    assert len({question_key(*parts) for parts in sent}) == len(sent)


@pytest.mark.parametrize(
    "other",
    [
        Header("openai/other", HEADER.prompt, HEADER.digest, 1),
        Header(HEADER.model, "relation.v1", HEADER.digest, 1),
        Header(HEADER.model, HEADER.prompt, "0" * 64, 1),
        Header(HEADER.model, HEADER.prompt, HEADER.digest, 8),
    ],
    ids=["model", "prompt", "digest", "pairs per call"],
)
def test_a_file_holds_answers_of_one_kind(tmp_path: Path, other: Header) -> None:
    """Another model, prompt or number of pairs is another recording; the line that is not is named."""
    path = tmp_path / "r.jsonl"
    Recording(path, HEADER).add("k", ANSWER)
    with pytest.raises(ConfigurationError, match=r"r\.jsonl:1 is an answer of "):
        Recording(path, other)


def test_a_changed_prompt_has_no_recording(tmp_path: Path) -> None:
    """Answers to a prompt as it was are not answers to what it is now."""
    changed = Prompt(PROMPT.id, "f" * 64, PROMPT.reply, PROMPT.system, PROMPT.user)
    path = tmp_path / "r.jsonl"
    Recording(path, Header.of("m", changed, 1)).add("k", ANSWER)
    with pytest.raises(ConfigurationError, match=r"relation\.v2@ffffffffffff; now it is @f8974539"):
        Recording.open(path)


@pytest.mark.parametrize(
    "line",
    [
        "{",
        "[]",
        json.dumps({"key": "k", "model": "m"}),
        json.dumps(
            {
                "key": "k",
                "model": "m",
                "prompt": "relation.v2",
                "digest": "d",
                "pairs_per_call": 1,
                "reply": "r",
                "spend": {"euros": 1},
            }
        ),
    ],
)
def test_what_is_no_recording_is_refused(tmp_path: Path, line: str) -> None:
    """With the line that is at fault."""
    path = tmp_path / "r.jsonl"
    path.write_text(line + "\n")
    with pytest.raises(ConfigurationError, match=r"r\.jsonl:1 is no recorded answer"):
        Recording(path, HEADER)


def test_a_recording_is_found_by_path_or_by_name(tmp_path: Path) -> None:
    """Names are those of the files in evals/recordings, made of model and prompt."""
    path = tmp_path / "mine.jsonl"
    Recording(path, HEADER).add("k", ANSWER)
    assert find_recording(str(path)) == path
    assert find_recording("openai-gpt.relation.v2") == recording_path(HEADER)
    assert recording_path(HEADER) == RECORDINGS / "openai-gpt.relation.v2.jsonl"
    assert recording_path(replace(HEADER, pairs_per_call=8)) == RECORDINGS / "openai-gpt.relation.v2.8.jsonl"


def test_an_empty_file_is_no_recording(tmp_path: Path) -> None:
    """Nothing says whose answers it would hold."""
    path = tmp_path / "r.jsonl"
    path.write_text("")
    with pytest.raises(ConfigurationError, match="there is no recording"):
        Recording.open(path)
