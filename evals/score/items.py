"""Answered cases without their texts: all that the scores look at, and all that a result file keeps."""

from __future__ import annotations

from dataclasses import dataclass, replace

from arbiter.domain.evidence import Side
from arbiter.domain.vocabulary import Action, Relation, UpdateKind
from evals.cases import PairAnswer, PairCase, PairRun

CONFLICTS = (Relation.UPDATE, Relation.CONTRADICTION)
"""The relations of two facts of which one cannot be read as it stands."""

_ASKING = (Action.REVIEW, Action.HOLD)


@dataclass(frozen=True, slots=True)
class Truth:
    """What is right for one case: its labels, and what the policy makes of them."""

    id: str
    group: str
    relation: Relation
    action: Action
    loser: Side | None = None
    current: Side | None = None
    update_kind: UpdateKind | None = None

    @classmethod
    def of(cls, case: PairCase) -> Truth:
        """Return what is right for a case."""
        return cls(
            case.id,
            case.group,
            case.relation,
            case.action,
            case.loser,
            case.current,
            case.update_kind,
        )


@dataclass(frozen=True, slots=True)
class Item:
    """One case: what is right, and what was answered."""

    truth: Truth
    answer: PairAnswer

    @property
    def judged(self) -> bool:
        """Could a judge tell?"""
        return self.answer.relation is not None

    @property
    def right(self) -> bool:
        """Was the relation named rightly? Where no judge could tell, it was not."""
        return self.answer.relation is self.truth.relation

    @property
    def acted_rightly(self) -> bool:
        """Did the policy do what it does on the right label, to the same side?"""
        return (self.answer.action, self.answer.loser) == (self.truth.action, self.truth.loser)

    @property
    def removed(self) -> bool:
        """Was one of the two facts taken out of reading?"""
        return self.answer.loser is not None

    @property
    def wrongly_removed(self) -> bool:
        """Was a fact taken out of reading that should have stayed, or should have waited for a person?

        To take out either of two duplicates loses nothing.
        """
        duplicates = self.truth.relation is Relation.DUPLICATE
        return self.removed and not duplicates and self.answer.loser != self.truth.loser

    @property
    def conflict(self) -> bool:
        """Is it an update or a contradiction?"""
        return self.truth.relation in CONFLICTS

    @property
    def missed(self) -> bool:
        """Was a conflict taken for something that lets both facts, or either of them, stand?"""
        return self.conflict and self.judged and self.answer.relation not in CONFLICTS

    @property
    def unnoticed(self) -> bool:
        """Was a conflict missed, and nobody asked?"""
        return self.missed and not self.asked

    @property
    def asked(self) -> bool:
        """Was it left to people, or does it wait?"""
        return self.answer.action in _ASKING


def items(run: PairRun) -> tuple[Item, ...]:
    """Return the answered cases of a run. Judges are named by their kind (``local``, ``llm``)."""
    return tuple(
        Item(Truth.of(case), replace(answer, judge=answer.judge.partition("/")[0]))
        for case, answer in zip(run.cases, run.answers, strict=True)
    )
