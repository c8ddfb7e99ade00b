"""Recorded answers of a language model: a file for each model, prompt and number of pairs a question.

A recording is a file of JSON Lines, one answer a line. An answer stands under a digest of the prompt's digest
and of the question as it was rendered; model, prompt and digest stand beside it and are checked when the file
is read. So the answer to one prompt, version or record can never pass for the answer to another.
"""

from __future__ import annotations

import hashlib
import json
import re
import threading
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from arbiter.adapters.prompts import Prompt, load
from arbiter.domain.evidence import Spend
from arbiter.errors import ConfigurationError

RECORDINGS = Path(__file__).parent / "recordings"
_UNSAFE = re.compile(r"[^A-Za-z0-9_.-]+")
_DIGEST_CHARS = 32


def question_key(prompt_digest: str, user: str) -> str:
    """Return the 32 hex digits of a question: of the prompt's digest and the user text as rendered."""
    sent = json.dumps([prompt_digest, user], ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(sent.encode()).hexdigest()[:_DIGEST_CHARS]


def find_recording(name: str) -> Path:
    """Return the file that a name means: a path, or one of ``evals/recordings`` without its ending."""
    path = Path(name)
    return path if path.is_file() else RECORDINGS / f"{name}.jsonl"


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model wrote, and what it cost then."""

    reply: str
    spend: Spend


@dataclass(frozen=True, slots=True)
class Header:
    """What all answers of a recording have in common; ``digest`` is that of the prompt's file."""

    model: str
    prompt: str
    digest: str
    pairs_per_call: int

    @classmethod
    def of(cls, model: str, prompt: Prompt, pairs_per_call: int) -> Header:
        """Return the header of a model's answers to a prompt."""
        return cls(model, prompt.id, prompt.digest, pairs_per_call)


def recording_path(header: Header) -> Path:
    """Return where a recording is kept unless said otherwise."""
    several = f".{header.pairs_per_call}" if header.pairs_per_call > 1 else ""
    return RECORDINGS / f"{_UNSAFE.sub('-', header.model)}.{header.prompt}{several}.jsonl"


class Recording:
    """The answers in one file; what is added is written down at once. Threads may share it.

    Raises:
        ConfigurationError: the file is no recording, or one of another model, prompt or number of pairs.
    """

    def __init__(self, path: Path, header: Header) -> None:
        self.path = path
        self.header = header
        self._lock = threading.Lock()
        self._answers: dict[str, Answer] = {}
        for number, (found, key, answer) in enumerate(_lines(path) if path.exists() else (), start=1):
            if found != header:
                raise ConfigurationError(f"{path}:{number} is an answer of {found}, not of {header}")
            self._answers[key] = answer

    @classmethod
    def open(cls, path: Path) -> Recording:
        """Open a recording that is there, with the header of its first line.

        Raises:
            ConfigurationError: there is none, or its prompt is not what it was when it was answered.
        """
        try:
            header = next(_lines(path))[0]
        except (OSError, StopIteration) as error:
            raise ConfigurationError(f"there is no recording at {path}") from error
        current = load(header.prompt).digest
        if current != header.digest:
            raise ConfigurationError(
                f"{path} has answers to {header.prompt}@{header.digest[:12]}; now it is @{current[:12]}"
            )
        return cls(path, header)

    def __len__(self) -> int:
        return len(self._answers)

    def key(self, user: str) -> str:
        """Return the key of a question."""
        return question_key(self.header.digest, user)

    def get(self, key: str) -> Answer | None:
        """Return the answer to a question; of several the last one counts."""
        return self._answers.get(key)

    def add(self, key: str, answer: Answer) -> None:
        """Write an answer down."""
        line = {"key": key, **asdict(self.header), "reply": answer.reply, "spend": asdict(answer.spend)}
        with self._lock:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line, ensure_ascii=True) + "\n")
            self._answers[key] = answer


def _lines(path: Path) -> Iterator[tuple[Header, str, Answer]]:
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        try:
            row = json.loads(line)
            header = Header(row["model"], row["prompt"], row["digest"], row["pairs_per_call"])
            yield header, row["key"], Answer(row["reply"], Spend(**row["spend"]))
        except (ValueError, KeyError, TypeError) as error:
            raise ConfigurationError(f"{path}:{number} is no recorded answer: {error!r}") from error
