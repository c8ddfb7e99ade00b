"""Where a record stands some time after its receipt was given."""

from __future__ import annotations

from dataclasses import dataclass

from arbiter.domain.evidence import Unjudged
from arbiter.domain.outcomes import Decision, FactState, FoundRelation
from arbiter.domain.vocabulary import Action, Outcome, State, StateReason

_RETIRING = (Action.SUPERSEDE, Action.TOMBSTONE)


@dataclass(frozen=True, slots=True)
class Standing:
    """What has become of a record: the state of its fact, what is known and decided, what waits for people.

    ``first`` is the outcome that its receipt told.
    """

    first: Outcome
    state: FactState
    relations: tuple[FoundRelation, ...] = ()
    decisions: tuple[Decision, ...] = ()
    review: tuple[str, ...] = ()

    @property
    def outcome(self) -> Outcome:
        """The outcome by now: what was held is stored or merged in the end, the others stay as they were."""
        if self.first is not Outcome.HELD or self.state.state is State.PENDING:
            return self.first
        return Outcome.MERGED if self.state.reason is StateReason.DUPLICATE else Outcome.STORED

    @property
    def retryable(self) -> bool:
        """Does it still wait for a judge? What a person decided does not."""
        ruled = {fact_id for d in self.decisions if d.judge.startswith("human/") for fact_id in d.key}
        unjudged = [
            found.judgement
            for found in self.relations
            if found.fact_id not in ruled and isinstance(found.judgement, Unjudged)
        ]
        unfinished = self.state.state is State.PENDING and not self.relations
        return unfinished or any(judgement.retryable for judgement in unjudged)

    @property
    def duplicate_of(self) -> str | None:
        """The fact that says the same in its place."""
        return self.state.successor if self.state.reason is StateReason.DUPLICATE else None

    @property
    def supersedes(self) -> tuple[str, ...]:
        """The facts that are no longer current because of it, sorted."""
        fact_id = self.state.fact_id
        return tuple(
            sorted(
                decision.loser
                for decision in self.decisions
                if decision.winner == fact_id and decision.loser and decision.action in _RETIRING
            )
        )
