"""The questions that a suite puts to a language model, word for word as the judge would send them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from arbiter.adapters.prompts import Prompt, load
from arbiter.domain.evidence import Unjudged
from arbiter.errors import ConfigurationError
from arbiter.judges.chat import Meter
from arbiter.judges.llm import LlmJudge
from arbiter.judges.reply import SCHEMA
from arbiter.ports import Judge
from arbiter.settings import Settings
from evals.judges import after_exact
from evals.recording import Header, Recording, question_key
from evals.replay import RecordedClient
from evals.suite_files import SUITES, load_pairs

_CUSTOM_ID = re.compile(r"([a-z_]+)-(v[0-9]+)-([0-9]+)of([0-9]+)-([0-9a-f]{32})")
_BYTES_PER_TOKEN = 3.5
_TOKENS_OF_A_VERDICT = 150


@dataclass(frozen=True, slots=True)
class Question:
    """One request: what would be sent, about how many pairs, and the key of its answer.

    ``max_tokens`` is how long the answer may get.
    """

    key: str
    system: str
    user: str
    pairs: int
    max_tokens: int

    @property
    def tokens(self) -> tuple[int, int]:
        """About how many tokens go in, the schema of the reply included, and come out."""
        sent = sum(len(text.encode()) for text in (self.system, self.user, json.dumps(SCHEMA)))
        return round(sent / _BYTES_PER_TOKEN), _TOKENS_OF_A_VERDICT * self.pairs

    def custom_id(self, header: Header) -> str:
        """Return an id that batch interfaces take (up to 64 of A-Z, a-z, 0-9, _ and -)."""
        prompt = header.prompt.replace(".", "-")
        return f"{prompt}-{self.pairs}of{header.pairs_per_call}-{self.key}"


@dataclass(frozen=True, slots=True)
class CustomId:
    """What a custom id says: prompt, pairs in the question, pairs in a full one, and the key."""

    prompt: str
    pairs: int
    pairs_per_call: int
    key: str

    @classmethod
    def parse(cls, text: str) -> CustomId:
        """Read a custom id.

        Raises:
            ConfigurationError: it is none of ours.
        """
        found = _CUSTOM_ID.fullmatch(text)
        if found is None:
            raise ConfigurationError(f"{text!r} is no custom id that `prompts` wrote")
        name, version, pairs, full, key = found.groups()
        return cls(f"{name}.{version}", int(pairs), int(full), key)


def put(suite: str, judge: Judge, settings: Settings) -> None:
    """Put everything that a suite asks before a judge, for the sake of what that leaves behind.

    Of streams and field cases these are the pairs that come up when their records are submitted.

    Raises:
        ConfigurationError: there is no such suite or file, or it asks no judge.
    """
    kind = SUITES[suite].kind if suite in SUITES else "pairs"
    if kind == "streams":
        from evals.stack import Stack
        from evals.stream_states import live_through
        from evals.streams import load_streams

        live_through(suite, load_streams(), judge.judge_id, judge, Stack.open(settings).around)
    elif kind == "field_cases":
        from evals.field_suite import solve_field_cases, with_registries
        from evals.stack import Stack

        solve_field_cases(judge.judge_id, judge, Stack.open(with_registries(settings)).around)
    else:
        judge.judge([case.pair for case in load_pairs(suite)])


def open_questions(suites: Iterable[str], recording: Recording, settings: Settings) -> list[Question]:
    """Return what the judge ``llm`` would ask about suites and a recording does not answer, each once.

    Raises:
        ConfigurationError: a suite is not there, or asks no judge.
    """
    header = recording.header
    prompt = load(header.prompt)
    notes = _Notes(prompt, header.model)
    client = RecordedClient(recording, live=notes)
    model = LlmJudge(client, prompt, pairs_per_call=header.pairs_per_call, concurrency=1)
    judge = after_exact(model, settings)
    for suite in suites:
        put(suite, judge, settings)
    return list(notes.questions.values())


class _Notes:
    """A client that notes what it is asked and never answers."""

    def __init__(self, prompt: Prompt, model: str) -> None:
        self.model = model
        self.questions: dict[str, Question] = {}
        self._digest = prompt.digest
        self._around = tuple(len(part) for part in prompt.render("\0").split("\0"))

    def complete(
        self,
        system: str,
        user: str,
        *,
        schema: Mapping[str, object],  # noqa: ARG002  it is the same for all
        max_tokens: int,
        timeout_s: float,  # noqa: ARG002
        meter: Meter,  # noqa: ARG002
    ) -> str | Unjudged:
        """Note a question."""
        before, after = self._around
        pairs = json.loads(user[before : len(user) - after])
        key = question_key(self._digest, user)
        self.questions[key] = Question(key, system, user, len(pairs), max_tokens)
        return Unjudged("noted", "the question was noted", retryable=False)
