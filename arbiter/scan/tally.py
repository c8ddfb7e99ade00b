"""What the receipts of a scan add up to; its size grows with the facts, never with the records."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from arbiter.domain.evidence import Spend
from arbiter.domain.outcomes import Receipt
from arbiter.domain.vocabulary import Outcome
from arbiter.interchange.record_in import RecordIn
from arbiter.interchange.summary import Refusal

_SHOWN_REFUSALS = 100
_NAMED = 20
_LONGEST_NAME = 60
_OTHERS = "(others)"


@dataclass(slots=True)
class Tally:
    """Counts over the receipts so far. ``copies`` counts the records of this scan by fact id."""

    records: int = 0
    stored: int = 0
    outcomes: Counter[str] = field(default_factory=lambda: Counter({o.value: 0 for o in Outcome}))
    not_stored: Counter[str] = field(default_factory=Counter)
    refused_fields: Counter[str] = field(default_factory=Counter)
    unregistered_keys: Counter[str] = field(default_factory=Counter)
    copies: Counter[str] = field(default_factory=Counter)
    refusals: list[Refusal] = field(default_factory=list)
    spend: Spend = Spend()

    def add(self, receipt: Receipt, source: str, line: int, unregistered_key: str | None = None) -> None:
        """Count one receipt.

        ``source`` and ``line`` say where its record was read; ``unregistered_key`` is its claim key, where
        that is none that the registry knows.
        """
        self.records += 1
        self.outcomes[receipt.outcome.value] += 1
        self.spend += receipt.cost
        if receipt.stored:
            self.stored += 1
        else:
            self.not_stored[receipt.reason.code if receipt.reason else receipt.outcome.value] += 1
        if receipt.fact_id is not None:
            self.copies[receipt.fact_id] += 1
            if unregistered_key is not None:
                self.unregistered_keys[_named(unregistered_key, self.unregistered_keys)] += 1
        elif receipt.reason is not None:
            if receipt.outcome is Outcome.REFUSED and receipt.reason.field:
                self._count_field(receipt.reason.field)
            if len(self.refusals) < _SHOWN_REFUSALS:
                self.refusals.append(Refusal(source, line, receipt.outcome, receipt.reason))

    def _count_field(self, name: str) -> None:
        """Count a refusal; the fields of records are always named."""
        known = name.partition(".")[0] in RecordIn.model_fields
        self.refused_fields[name if known else _named(name, self.refused_fields)] += 1


def _named(name: str, counts: Counter[str]) -> str:
    """Return the name under which to count what only the caller knows; those after many share one."""
    if name in counts or (len(counts) < _NAMED and len(name) <= _LONGEST_NAME):
        return name
    return _OTHERS
