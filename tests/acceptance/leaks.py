"""Records with a word in every text of theirs, and a model that always says too much."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tests.acceptance.calling import told
from tests.chat import item, reply
from tests.scripted_server import Answer, Request, ScriptedServer

WORD = "xyzzy"
"""In every text of a record."""
ODD = "plugh"
"""In names of fields that are none: an error may name them, a log may not."""
LLM_KEY = "sk-live-0123456789abcdefghij"
TEXTS_MAY_STAND = {"reason", "attribute", "message", "a", "b", "this", "other", "event_key"}
"""Fields of a receipt with what a judge or a guard said of two texts, or the caller's own reference."""


@dataclass
class Moods:
    """A model that answers as it is told to, and always says too much."""

    mood: str = "good"

    def __call__(self, request: Request) -> Answer:
        """Answer one request."""
        quoted = f"{request.user} {request.headers['authorization']}"
        found = [
            item(shown["pair"], "contradiction", reasoning=f"both say {WORD}", attribute=WORD, stakes="high")
            for shown in request.pairs
        ]
        odd = {"index": 0, "message": {"role": "assistant", "content": {"said": quoted}}}
        return {
            "good": Answer(reply(*found)),
            "refused": Answer(f"no access for {quoted}", 401),
            "down": Answer(f"boom: {quoted}", 500),
            "rejected": Answer(f"cannot read {quoted}", 400),
            "prose": Answer(f"I was told: {quoted}"),
            "odd": Answer(body=json.dumps({"id": "1", "object": "chat.completion", "choices": [odd]})),
            "page": Answer(body=f"<html>{quoted}</html>"),
        }[self.mood]


MOODS = ("refused", "down", "rejected", "prose", "odd", "page")


def secret(what: str, number: int = 1) -> dict[str, Any]:
    """Return a record with the word in every text that it has."""
    return told(
        f"The {WORD} {what} in room {number}.",
        number,
        by=f"chat:{WORD}",
        ref=f"{WORD} {what} {number}",
        subject=WORD,
        claim_key=f"{WORD}.place",
        value=WORD,
        tags=[WORD],
        metadata={WORD: WORD},
    )


def variables(model: ScriptedServer) -> dict[str, str]:
    """Return settings that ask a model and nobody else."""
    return {
        "llm_model": "openai/scripted",
        "llm_api_base": model.api_base,
        "llm_api_key": LLM_KEY,
        "llm_max_attempts": "1",
        "judge": "llm",
    }


def places_of(word: str, value: object, name: str = "") -> Iterator[str]:
    """Yield the names of the fields of a JSON value in which a word stands, as a value or as a name."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from [f"the name {key}"] if word in key else []
            yield from places_of(word, inner, key)
    elif isinstance(value, list):
        for inner in value:
            yield from places_of(word, inner, name)
    elif isinstance(value, str) and word in value.lower():
        yield name
