"""Traces: how long each part of a request took, for those who run an OpenTelemetry collector.

Nothing of OpenTelemetry is imported unless the settings name a collector. Spans hold names, ids and numbers;
the texts of facts never.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from contextvars import Context
from typing import Protocol, TypeAlias

from arbiter.errors import MissingExtraError
from arbiter.settings import Settings

Attributes: TypeAlias = Mapping[str, str | int | float | bool | Sequence[str]]
NOTHING: Attributes = {}


class Span(Protocol):
    """One part of the work, while it is done."""

    @property
    def trace_id(self) -> str | None:
        """The id of the trace, in hex; None where nothing is traced."""
        ...

    def rename(self, name: str) -> None:
        """Give it the name that turned out only now."""
        ...

    def note(self, attributes: Attributes) -> None:
        """Add attributes."""
        ...

    def fail(self, kind: str) -> None:
        """Say that it failed, and how, in a word."""
        ...


class Traces(Protocol):
    """Opens spans. What is opened within a span is part of it, also on the threads that work for it."""

    def span(self, name: str, attributes: Attributes = NOTHING) -> AbstractContextManager[Span]:
        """Open a span within the current one."""
        ...

    def request(self, method: str, headers: Mapping[str, str]) -> AbstractContextManager[Span]:
        """Open the span of a request; its headers may say to which trace it belongs."""
        ...

    def batch(self, contexts: Sequence[Context]) -> AbstractContextManager[Span]:
        """Open the span of work that is done for several requests at once, each with its context."""
        ...

    def close(self) -> None:
        """Send off what was not sent yet."""
        ...


class NoSpan:
    """Implements ``Span`` by forgetting."""

    trace_id: str | None = None

    def rename(self, name: str) -> None:
        """Do nothing."""

    def note(self, attributes: Attributes) -> None:
        """Do nothing."""

    def fail(self, kind: str) -> None:
        """Do nothing."""


class NoTraces:
    """Implements ``Traces`` by forgetting."""

    def span(self, name: str, attributes: Attributes = NOTHING) -> AbstractContextManager[Span]:  # noqa: ARG002
        """Open nothing."""
        return nullcontext(NoSpan())

    def request(self, method: str, headers: Mapping[str, str]) -> AbstractContextManager[Span]:  # noqa: ARG002
        """Open nothing."""
        return nullcontext(NoSpan())

    def batch(self, contexts: Sequence[Context]) -> AbstractContextManager[Span]:  # noqa: ARG002
        """Open nothing."""
        return nullcontext(NoSpan())

    def close(self) -> None:
        """Do nothing."""


def open_traces(settings: Settings) -> Traces:
    """Return the traces that the settings ask for.

    Raises:
        MissingExtraError: the settings name a collector, and the extra ``otel`` is not installed.
    """
    if settings.serve_traces_url is None:
        return NoTraces()
    try:
        from arbiter.web.otel import OtelTraces
    except ModuleNotFoundError as error:
        raise MissingExtraError(f"{error.name} is not installed; it comes with arbiter[otel]") from error
    return OtelTraces.to(settings.serve_traces_url)
