"""Recorded answers of a chat model: writing them down, and answering from them alone.

A recording is a file of JSON Lines. Its key is a digest of the model and of everything that was sent, so
that an answer to one prompt, version or record can never pass for the answer to another.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

from arbiter.domain.evidence import Spend, Unjudged
from arbiter.errors import ConfigurationError
from arbiter.judges.chat import ChatClient, Meter


def recording_key(model: str, system: str, user: str) -> str:
    """Return the SHA-256, in hex, under which an answer is recorded."""
    sent = json.dumps([model, system, user], ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(sent.encode()).hexdigest()


class RecordingClient:
    """Asks another client, and appends what it answers to a file. Failures are not recorded."""

    def __init__(self, client: ChatClient, path: Path) -> None:
        self._client = client
        self._path = path
        self._lock = threading.Lock()

    @property
    def model(self) -> str:
        """The name of the other client's model."""
        return self._client.model

    def complete(
        self,
        system: str,
        user: str,
        *,
        schema: Mapping[str, object],
        max_tokens: int,
        timeout_s: float,
        meter: Meter,
    ) -> str | Unjudged:
        """Return the other client's answer, recorded with its cost."""
        costs: list[Spend] = []

        @contextmanager
        def listening(worst: Spend) -> Iterator[Callable[[Spend], None]]:
            with meter(worst) as settle:

                def note(actual: Spend) -> None:
                    costs.append(actual)
                    settle(actual)

                yield note

        reply = self._client.complete(
            system, user, schema=schema, max_tokens=max_tokens, timeout_s=timeout_s, meter=listening
        )
        if isinstance(reply, str):
            line = {
                "key": recording_key(self.model, system, user),
                "model": self.model,
                "reply": reply,
                "spend": asdict(sum(costs, start=Spend())),
            }
            with self._lock, self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line, ensure_ascii=True) + "\n")
        return reply


class ReplayClient:
    """Answers from a recording and never reaches out.

    A question that was recorded more than once gets its last answer. One that was not is left unjudged,
    with the code ``missing_recording``.

    Raises:
        ConfigurationError: the file cannot be read, or is no recording.
    """

    def __init__(self, path: Path, model: str) -> None:
        self._path = path
        self._model = model
        self._answers: dict[str, tuple[str, Spend]] = {}
        try:
            for line in path.read_text(encoding="utf-8").splitlines():
                entry = json.loads(line)
                self._answers[entry["key"]] = (entry["reply"], Spend(**entry["spend"]))
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ConfigurationError(f"{path} is not a readable recording: {error}") from error

    @property
    def model(self) -> str:
        """The name of the model that was recorded."""
        return self._model

    def complete(
        self,
        system: str,
        user: str,
        *,
        schema: Mapping[str, object],  # noqa: ARG002  the recording was made with it
        max_tokens: int,  # noqa: ARG002
        timeout_s: float,  # noqa: ARG002
        meter: Meter,
    ) -> str | Unjudged:
        """Return the recorded answer; what it cost then is metered again."""
        key = recording_key(self._model, system, user)
        if key not in self._answers:
            message = f"{self._path} has no answer of {self._model} under {key}"
            return Unjudged("missing_recording", message, retryable=False)
        reply, spend = self._answers[key]
        with meter(spend) as settle:
            settle(spend)
        return reply
