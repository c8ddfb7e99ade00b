"""What was done: right actions, wrong removals, conflicts that were missed, what was left to people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from arbiter.domain.vocabulary import Action, Relation
from evals.score.items import Item


@dataclass(frozen=True, slots=True)
class Decisions:
    """Counts over all cases, the unjudged ones included: they are held.

    ``removed`` facts were taken out of reading, ``wrongly_removed`` ones should not have been. Of the
    ``conflicts``, ``missed`` ones were taken for duplicates, complementary or unrelated, ``unnoticed`` ones
    without anybody being asked, and ``unjudged_conflicts`` nobody could judge. ``asked`` were left to people
    or wait; of those that people should be asked about (``to_ask``), ``rightly_asked`` were. ``updates`` were
    recognised, and ``right_side`` of them name the right side as current.
    """

    pairs: int
    unjudged: Mapping[str, int]
    acted_rightly: int
    removed: int
    wrongly_removed: int
    conflicts: int
    missed: int
    unnoticed: int
    unjudged_conflicts: int
    asked: int
    to_ask: int
    rightly_asked: int
    updates: int
    right_side: int

    @property
    def coverage(self) -> float:
        """The share of the cases that were decided without a person, in [0, 1]."""
        return 1 - self.asked / self.pairs


def score_decisions(found: Sequence[Item]) -> Decisions:
    """Count what was done on at least one answered case."""
    to_ask = [item for item in found if item.truth.action is Action.REVIEW]
    updates = [item for item in found if item.right and item.truth.relation is Relation.UPDATE]
    return Decisions(
        pairs=len(found),
        unjudged=dict(Counter(item.answer.unjudged or "unknown" for item in found if not item.judged)),
        acted_rightly=sum(item.acted_rightly for item in found),
        removed=sum(item.removed for item in found),
        wrongly_removed=sum(item.wrongly_removed for item in found),
        conflicts=sum(item.conflict for item in found),
        missed=sum(item.missed for item in found),
        unnoticed=sum(item.unnoticed for item in found),
        unjudged_conflicts=sum(item.conflict and not item.judged for item in found),
        asked=sum(item.asked for item in found),
        to_ask=len(to_ask),
        rightly_asked=sum(item.asked for item in to_ask),
        updates=len(updates),
        right_side=sum(item.answer.current == item.truth.current for item in updates),
    )
