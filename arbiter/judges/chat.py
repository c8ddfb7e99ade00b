"""What the language-model judge asks of a chat model, and how each request is paid for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import Protocol, TypeAlias

from arbiter.domain.evidence import Spend, Unjudged

Meter: TypeAlias = Callable[[Spend], AbstractContextManager[Callable[[Spend], None]]]
"""Opened around each request with the most that the request may cost; gives a function that is told
what it did cost. A request about which nothing is told counts as if it had cost the most."""


class ChatClient(Protocol):
    """A chat model, of whatever provider."""

    @property
    def model(self) -> str:
        """The name of the model, provider included."""
        ...

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
        """Return the model's answer as text, or why there is none; retries are the client's affair.

        ``schema`` is the JSON schema that the answer should follow, ``max_tokens`` the most it may
        have, ``timeout_s`` the time for everything, retries included.

        Raises:
            BudgetExceededError: the meter forbids the request.
        """
        ...


class Prompt(Protocol):
    """A prompt file, loaded: fixed instructions, and a question with one hole."""

    @property
    def id(self) -> str:
        """Name and version."""
        ...

    @property
    def digest(self) -> str:
        """SHA-256 of the file, in hex."""
        ...

    @property
    def system(self) -> str:
        """The instructions."""
        ...

    def render(self, pairs: str) -> str:
        """Return the question about pairs, which are given as JSON."""
        ...
