"""The HTTP client, sync and async: ``Client`` and ``AsyncClient``. Needs the extra ``client``."""

from __future__ import annotations

from arbiter.errors import MissingExtraError

try:
    import httpx  # noqa: F401  here, so that it is told at once if it is missing
except ModuleNotFoundError as error:
    raise MissingExtraError(f"{error.name} is not installed; it comes with arbiter[client]") from error

from arbiter.client.clients import AsyncClient, Client
from arbiter.client.facts import (
    Compiled,
    Fact,
    FactState,
    FadingFact,
    Flip,
    HistoryEntry,
    Hit,
    KnownFact,
    Policy,
    Ready,
)
from arbiter.client.records import (
    Decided,
    Decision,
    FoundRelation,
    KeptDecision,
    KeptReceipt,
    Receipt,
    Submitted,
    Verdict,
    Verdicts,
)
from arbiter.client.retries import Retries
from arbiter.client.reviews import Comment, Imported, Queued, Review, ReviewCounts, Ruled, Ruling

__all__ = [
    "AsyncClient",
    "Client",
    "Comment",
    "Compiled",
    "Decided",
    "Decision",
    "Fact",
    "FactState",
    "FadingFact",
    "Flip",
    "FoundRelation",
    "HistoryEntry",
    "Hit",
    "Imported",
    "KeptDecision",
    "KeptReceipt",
    "KnownFact",
    "Policy",
    "Queued",
    "Ready",
    "Receipt",
    "Retries",
    "Review",
    "ReviewCounts",
    "Ruled",
    "Ruling",
    "Submitted",
    "Verdict",
    "Verdicts",
]
