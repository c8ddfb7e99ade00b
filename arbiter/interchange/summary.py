"""The summary of a scan: what came in, what it was, what the store holds now, and what it cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field

from arbiter.domain.evidence import Spend
from arbiter.domain.outcomes import Reason
from arbiter.domain.vocabulary import Outcome
from arbiter.interchange.receipts import Json


@dataclass(frozen=True, slots=True)
class Refusal:
    """A record that was refused or deferred, with where it was read."""

    source: str
    line: int
    outcome: Outcome
    reason: Reason


@dataclass(frozen=True, slots=True)
class Summary:
    """Counts of one scan.

    Of the records that came in: ``outcomes`` and ``stored`` plus ``not_stored`` (by code of the reason)
    each add up to ``records``; ``refused_fields`` counts refusals by the field to blame, and ``refusals``
    are the first ones. ``unregistered_keys`` counts the records that were taken by their claim key, where
    it is none that the registry knows. Names that only the caller knows are counted up to a limit, the
    others together as ``(others)``.

    Of the records that tell a fact (all but refused and deferred): ``unique_facts`` is the number of
    different statements among them, other wordings of one statement merged; ``redundant_copies`` is how
    many records say what another one says, ``duplicate_ratio`` their share in [0, 1], and
    ``duplicate_clusters`` and ``records_in_duplicate_clusters`` the statements said more than once and
    the records that say them. ``new_facts`` are those the store did not have before.

    Of the store after the scan, all namespaces: ``facts`` by state, ``merged`` wordings of another fact,
    ``corrected`` facts that were marked as false, ``contested`` ones, ``relations`` of the judged pairs
    whose decisions are in force, ``judges`` that gave them, ``unjudged`` pairs by the code of the reason,
    and open questions ``to_review``.
    """

    sources: tuple[str, ...]
    records: int
    outcomes: Mapping[str, int]
    stored: int
    not_stored: Mapping[str, int]
    refused_fields: Mapping[str, int]
    unique_facts: int
    new_facts: int
    redundant_copies: int
    duplicate_ratio: float
    duplicate_clusters: int
    records_in_duplicate_clusters: int
    facts: Mapping[str, int]
    merged: int
    corrected: int
    contested: int
    relations: Mapping[str, int]
    judges: Mapping[str, int]
    unjudged: Mapping[str, int]
    to_review: int
    to_review_high_stakes: int
    cost: Spend = Spend()
    refusals: tuple[Refusal, ...] = ()
    unregistered_keys: Mapping[str, int] = field(default_factory=dict)
    resumed: int = 0
    seconds: float = 0.0
    stopped: bool = False
    dry_run: bool = False

    @property
    def records_per_second(self) -> float:
        """The speed of the scan."""
        return self.records / self.seconds if self.seconds > 0 else 0.0


def summary_json(summary: Summary) -> Json:
    """Return a summary as JSON; the main counts of relations stand at the top, too."""
    relations = summary.relations
    return {
        **asdict(summary),
        "updates": relations.get("update", 0),
        "corrections": summary.corrected,
        "contradictions": relations.get("contradiction", 0),
        "judge_calls": summary.cost.llm_calls,
        "records_per_second": round(summary.records_per_second, 1),
    }
