"""Leases: work that one process does for all that share a store."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Lease:
    """The right of one owner to do a piece of work, alone, until it runs out.

    ``failures`` is how many times in a row the work came to nothing before.
    """

    name: str
    owner: str
    until: datetime
    failures: int = 0
