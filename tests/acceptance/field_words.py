"""What the field cases of pairs say in words, each as a check of what is there after both records arrived."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from arbiter.domain.facts import Fact, iso
from arbiter.domain.outcomes import Receipt
from arbiter.domain.vocabulary import Outcome
from arbiter.pipeline.context import Limits
from tests.acceptance.bench import Bench, decision, relation
from tests.acceptance.field_cases import Case


@dataclass(frozen=True)
class Played:
    """A case after both records arrived."""

    case: Case
    bench: Bench
    existing: Receipt
    candidate: Receipt

    def fact(self, receipt: Receipt) -> Fact:
        """Return the fact of a receipt as it is now."""
        assert receipt.fact_id is not None
        return self.bench.arbiter.fact(receipt.fact_id, namespace=receipt.namespace).fact

    def state(self, receipt: Receipt) -> str:
        """Return where the fact of a receipt stands now, with the reason and a mark if it is contested."""
        assert receipt.fact_id is not None
        state = self.bench.arbiter.fact(receipt.fact_id, namespace=receipt.namespace).state
        words = [
            state.state.value,
            state.reason and state.reason.value,
            "contested" if state.contested else "",
        ]
        return " ".join(filter(None, words))

    @property
    def states(self) -> tuple[str, str]:
        """Where both stand."""
        return self.state(self.existing), self.state(self.candidate)


def _time_of_decision(played: Played) -> bool:
    assert played.candidate.fact_id is not None
    entries = played.bench.arbiter.history(played.candidate.fact_id)
    return [e.at for e in entries if e.kind == "decision"] == [played.bench.clock.now]


def _existing_found_by_key(played: Played) -> bool:
    (found,) = played.candidate.candidates
    return "claim_key" in found.retrieved_by and found.similarity == pytest.approx(0.41, abs=1e-6)


def _judged_below_threshold(played: Played) -> bool:
    (found,) = played.candidate.candidates
    assert found.similarity is not None
    assert found.similarity == pytest.approx(0.55, abs=1e-6)
    assert found.similarity <= Limits().nearer
    return found.dropped_by is None and "subject" in found.retrieved_by


WORDS: dict[str, Callable[[Played], bool]] = {
    "'seats two' can still be found afterwards": lambda p: (
        p.bench.arbiter.search("a canoe that seats two people", 1)[0].fact.id == p.candidate.fact_id
    ),
    "HTTP success, not 409": lambda p: p.candidate.reason is None,
    "any change to the payroll record": lambda p: (
        p.fact(p.existing).seen_count == 1 and p.state(p.existing) == "active"
    ),
    "both source ids are kept on the record": lambda p: (
        p.fact(p.existing).sources == ("agent:day-round", "agent:night-round")
    ),
    "candidate is active": lambda p: p.state(p.candidate) == "active",
    "candidate may be stored only as superseded history": lambda p: (
        p.state(p.candidate) == "superseded update"
    ),
    "candidate text is treated as data; flagging it as suspicious is fine": lambda p: (
        p.bench.server.requests == [] and p.fact(p.candidate).content == p.case.input["candidate"]["content"]
    ),
    "drop candidate": lambda p: p.candidate.stored,
    "error to the caller": lambda p: p.candidate.reason is None,
    "error without either a stored record or a reinforcement": lambda p: (
        p.candidate.outcome is Outcome.MERGED and p.candidate.stored
    ),
    "exactly one active record afterwards": lambda p: len(p.bench.active()) == 1,
    "existing is kept as superseded history": lambda p: p.state(p.existing) == "superseded update",
    "existing stays active": lambda p: p.state(p.existing) == "active",
    "independent source count = 2": lambda p: len(p.fact(p.existing).sources) == 2,
    "its latest confirmation stays 2026-06-10T09:00:00Z": lambda p: (
        iso(p.fact(p.existing).last_seen) == "2026-06-10T09:00:00+00:00"
    ),
    "lose the presses and the cutter": lambda p: (
        "two Heidel presses, one cutter" in "".join(p.bench.active())
    ),
    "lower confidence of existing": lambda p: (
        [s.record.confidence for s in p.fact(p.existing).sightings] == [0.9]
    ),
    "nothing deleted or tombstoned": lambda p: set(p.bench.states().values()) == {"active"},
    "only one active retry limit": lambda p: p.bench.active() == {"Retry limit is now 5."},
    "relation contradiction": lambda p: (
        [relation(p.candidate, found.fact_id) for found in p.candidate.relations] == ["duplicate"]
    ),
    "report no conflict": lambda p: [i.kind for i in p.bench.arbiter.review.items()] == ["stale_risk"],
    "score and threshold if similarity was used": lambda p: (
        decision(p.candidate, p.existing.fact_id).scores.items()
        >= {"verdict_confidence": 0.95, "threshold": 0.8}.items()
    ),
    "stage or rule that decided": lambda p: decision(p.candidate, p.existing.fact_id).rule == "change",
    "store silently without a conflict mark": lambda p: (
        relation(p.candidate, p.existing.fact_id) == "contradiction"
    ),
    "store text that mentions both pressures as current": lambda p: (
        p.bench.active() == {"The relief valve opens at 2.9 bar (corrected edition)."}
    ),
    "supersede existing": lambda p: p.fact(p.existing).content in p.bench.active(),
    "superseded id": lambda p: p.candidate.supersedes == (p.existing.fact_id,),
    "superseding id": lambda p: decision(p.candidate, p.existing.fact_id).winner == p.candidate.fact_id,
    "the equal claim_key makes the pair a candidate despite low similarity": _existing_found_by_key,
    "the pair reaches the classifier although its cosine is under the similarity threshold": (
        _judged_below_threshold
    ),
    "time of the decision": _time_of_decision,
}
"""What a case says in words: True if it holds, or, of a ``must_not``, if it did not happen."""
