"""Answers that are kept for a while, for requests that are sent again under their Idempotency-Key."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias

Digests: TypeAlias = "str | list[Digests] | dict[str, Digests]"
"""The shape of a request with digests in place of what it says."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A request that wants to be the one that is carried out under its key.

    ``id`` is derived from the caller and the key, ``owner`` is random. Unless it is renewed before
    ``locked_until`` its owner counts as gone; after ``keep_until`` nothing is remembered.
    """

    id: str
    owner: str
    fingerprint: str
    fields: Digests
    at: datetime
    locked_until: datetime
    keep_until: datetime


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer as it was sent: an HTTP status and a JSON body."""

    status: int
    body: bytes


@dataclass(frozen=True, slots=True)
class Known:
    """A request that came first under a key; ``answer`` is None while it is being carried out."""

    fingerprint: str
    fields: Digests
    answer: Answer | None
