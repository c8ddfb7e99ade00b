"""A language model on its worst days: to each request a fault or the truth, by a seeded draw."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from random import Random
from threading import Lock
from typing import Any

from tests.acceptance.chaos_world import World
from tests.chat import item, reply
from tests.scripted_server import Answer, Request

Found = list[dict[str, Any]]
Fault = Callable[[Request, Found, Random], Answer]
HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n"


def _quoting(request: Request) -> str:
    """Return the text among those of the question that has the most to say to a model."""
    texts: list[str] = [shown[side]["text"] for shown in request.pairs for side in ("a", "b")]
    return max(texts, key=lambda text: text.count("{"))


def _odd(content: object) -> str:
    """Return a body whose message is no text."""
    message = {"role": "assistant", "content": content}
    return json.dumps({"id": "1", "object": "chat.completion", "choices": [{"index": 0, "message": message}]})


def _said(*found: object) -> Answer:
    return Answer(reply(*found))


def _changed(found: Found, **fields: object) -> Answer:
    return _said(*({**one, **fields} for one in found))


FAULTS: Mapping[str, Fault] = {
    # How it refuses.
    "429": lambda *_: Answer("busy", 429),
    "429, at once": lambda *_: Answer("busy", 429, {"retry-after": "0"}),
    "429, soon": lambda *_: Answer("busy", 429, {"retry-after": "0.5"}),
    "429, tomorrow": lambda *_: Answer("busy", 429, {"retry-after": "86400"}),
    "429, never": lambda *_: Answer("busy", 429, {"retry-after": "inf"}),
    "429, on a date": lambda *_: Answer("busy", 429, {"retry-after": "Fri, 31 Dec 2027 23:59:59 GMT"}),
    "429, earlier": lambda *_: Answer("busy", 429, {"retry-after": "-1"}),
    "500": lambda *_: Answer("boom", 500),
    "503": lambda *_: Answer("down", 503),
    "400": lambda *_: Answer("no", 400),
    "401": lambda *_: Answer("who are you", 401),
    "403": lambda *_: Answer("no", 403),
    "404": lambda *_: Answer("no such model", 404),
    "an error with status 200": lambda *_: Answer(body='{"error": {"message": "overloaded"}}'),
    # How it breaks off.
    "silence": lambda *_: Answer(silent=True),
    "dropped": lambda *_: Answer(drop=True),
    "half a response": lambda *_: Answer(raw=HEAD + b"content-length: 9999\r\n\r\n{"),
    "no HTTP": lambda *_: Answer(raw=b"\x16\x03\x01\x02\x00\x01\x00"),
    "no gzip": lambda *_: Answer(raw=HEAD + b"content-encoding: gzip\r\ncontent-length: 2\r\n\r\n{}"),
    # What else it sends.
    "a page": lambda *_: Answer(body="<html>Sign in</html>"),
    "no choices": lambda *_: Answer(body='{"choices": []}'),
    "choices null": lambda *_: Answer(body='{"choices": null}'),
    "content null": lambda *_: Answer(body=_odd(None)),
    "content as an object": lambda *_: Answer(body=_odd({"relation": "duplicate"})),
    "nothing": lambda *_: Answer(""),
    "prose": lambda *_: Answer("They are duplicates, I am sure of it."),
    "deep": lambda *_: Answer('{"verdicts": ' * 900),
    "oversized": lambda _, found, __: Answer(reply(*found) + " " * 100_000),
    "cut off": lambda _, found, draw: Answer(reply(*found)[: draw.randrange(len(reply(*found)))]),
    # What it answers.
    "foreign pairs": lambda _, found, __: _said(*(item(40 + number) for number in range(len(found)))),
    "ids of another type": lambda _, found, __: _said(*({**one, "pair": str(one["pair"])} for one in found)),
    "counted from 0": lambda _, found, __: _said(*({**one, "pair": one["pair"] - 1} for one in found)),
    "NaN": lambda _, found, __: _changed(found, confidence=float("nan")),
    "infinite": lambda _, found, __: _changed(found, confidence=float("inf")),
    "surer than sure": lambda _, found, __: _changed(found, confidence=1.01),
    "in words": lambda _, found, __: _changed(found, confidence="high"),
    "no such relation": lambda _, found, __: _changed(found, relation="same"),
    "a list of relations": lambda _, found, __: _changed(found, relation=["duplicate"]),
    "both ways": lambda _, found, __: _said(
        *found, *(item(one["pair"], "duplicate") for one in found), *found
    ),
    "an update of nobody": lambda _, found, __: _changed(found, relation="update", current=None),
    "only the first": lambda _, found, __: _said(found[0]),
    # What it repeats of the texts that it is shown.
    "a text and no more": lambda request, *_: Answer(_quoting(request)),
    "a text in prose": lambda request, *_: Answer(f"The first one says: {_quoting(request)}\nThat is"),
    "a text in thought": lambda request, *_: Answer(f"<think>It says {_quoting(request)}"),
    "a text in a broken string": lambda request, *_: Answer(
        '{"verdicts": [{"pair": 1, "reasoning": "it says ' + _quoting(request)
    ),
}


class WorstDays:
    """The script of a server: with ``share`` of the requests something goes wrong.

    The same question meets the same faults, however the requests of several threads fall together. ``met``
    counts the faults; ``bill`` is what a provider could ask for: for an answer its tokens, and where there is
    no telling what became of a request the most that it may have taken.
    """

    def __init__(self, world: World, share: float) -> None:
        self.share = share
        self.met: Counter[str] = Counter()
        self.bill: Counter[str] = Counter()
        self._world = world
        self._times: Counter[str] = Counter()
        self._lock = Lock()

    def __call__(self, request: Request) -> Answer:
        """Answer one request."""
        with self._lock:
            self._times[request.user] += 1
            draw = Random(f"{self._world.seed} {request.user} {self._times[request.user]}")
        found = [
            self._world.verdict(shown["pair"], shown["a"]["text"], shown["b"]["text"])
            for shown in request.pairs
        ]
        name = draw.choice(list(FAULTS)) if draw.random() < self.share else "none"
        answer = FAULTS[name](request, found, draw) if name in FAULTS else Answer(reply(*found))
        answer = self._charged(request, answer)
        with self._lock:
            self.met[name] += 1
        return answer

    def _charged(self, request: Request, answer: Answer) -> Answer:
        asked = len(json.dumps(request.body)) // 2
        written = min(len(answer.text) // 3 + 1, request.body["max_tokens"])
        if answer.body is not None or answer.raw is not None or answer.drop or answer.silent:
            written = request.body["max_tokens"]
        if answer.status < 400:
            with self._lock:
                self.bill += Counter(asked=asked, written=written)
        return replace(answer, usage=(asked, written))
