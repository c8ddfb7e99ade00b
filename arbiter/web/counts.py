"""What became of the records of a request, in numbers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from arbiter.domain.outcomes import Receipt
from arbiter.domain.vocabulary import Outcome
from arbiter.interchange.receipts import Json


@dataclass(frozen=True, slots=True)
class Counts:
    """Records of a request; ``stored`` are those that brought something new."""

    records: int = 0
    stored: int = 0
    refused: int = 0
    deferred: int = 0

    @classmethod
    def of(cls, receipts: Iterable[Receipt]) -> Counts:
        """Count receipts."""
        outcomes = [(receipt.outcome, receipt.stored) for receipt in receipts]
        return cls(
            records=len(outcomes),
            stored=sum(stored for _, stored in outcomes),
            refused=sum(outcome is Outcome.REFUSED for outcome, _ in outcomes),
            deferred=sum(outcome is Outcome.DEFERRED for outcome, _ in outcomes),
        )

    def __add__(self, other: Counts) -> Counts:
        return Counts(
            self.records + other.records,
            self.stored + other.stored,
            self.refused + other.refused,
            self.deferred + other.deferred,
        )

    @property
    def partial(self) -> bool:
        """Were some, but not all, refused or deferred?"""
        return 0 < self.refused + self.deferred < self.records

    def as_json(self) -> Json:
        """Return the counts as JSON."""
        return {
            "records": self.records,
            "stored": self.stored,
            "refused": self.refused,
            "deferred": self.deferred,
            "partial": self.partial,
        }
