"""Is a judge enough for an error budget? What labelled pairs can show, and from which confidence on.

The budget is the largest share of pairs in which a fact may wrongly be taken out of reading. What is held
against it is the exact upper bound of that share, not the share that was seen: few pairs show little, however
well they went.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from arbiter.domain.binomial import interval, upper_bound
from arbiter.domain.evidence import NOT_DECIDED
from arbiter.training.calibration import (
    DESTRUCTIVE,
    NEVER,
    Answer,
    Operating,
    choose_threshold,
    pairs_needed,
)
from evals.judges import setting_of
from evals.score.decisions import Decisions, score_decisions
from evals.score.items import items

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arbiter.domain.evidence import Spend
    from evals.cases import PairRun
    from evals.score.items import Item

_NO_FAILURE = (NOT_DECIDED, "no_judge")
"""Why a judge is silent that works as it should."""

POLICY_KINDS = ("exact", "keyed", "local", "llm")
"""The kinds of judges that can have thresholds of their own in a policy file."""


@dataclass(frozen=True, slots=True)
class Budget:
    """The largest share of pairs that may do harm, and the probability with which that shall hold."""

    share: float
    confidence: float

    @property
    def pairs_needed(self) -> int:
        """How many pairs it takes, none of them with harm, to show that a judge keeps to the budget."""
        return pairs_needed(self.share, self.confidence)

    def least_shown(self, pairs: int) -> float:
        """Return the smallest share of wrong removals that so many pairs can show: with not one mistake."""
        return upper_bound(0, pairs, self.confidence)


@dataclass(frozen=True, slots=True)
class Silence:
    """Pairs that a judge gave no verdict on for one reason, by its code; ``message`` is the first one's."""

    code: str
    pairs: int
    message: str


@dataclass(frozen=True, slots=True)
class Assessment:
    """What a run says about a judge under a budget.

    ``right`` counts the pairs with the right relation. ``decisions`` is what the policy in force made of the
    verdicts, guards included, and ``upper`` bounds the share of wrong removals among all pairs. ``chosen`` is
    the lowest threshold for verdicts that take a fact away at which the pairs show that the budget is kept;
    1.01, never, where they cannot. ``kinds`` are the judges that it is a threshold of. ``wrong`` are the
    pairs that got another relation than they have, the surest first, ``silences`` those that got none.
    """

    judge: str
    budget: Budget
    right: int
    decisions: Decisions
    upper: float
    chosen: Operating
    kinds: tuple[str, ...]
    cost: Spend
    wrong: tuple[Item, ...] = ()
    silences: tuple[Silence, ...] = ()

    @property
    def judged(self) -> int:
        """How many pairs got a verdict."""
        return self.decisions.pairs - sum(self.decisions.unjudged.values())

    @property
    def failed(self) -> bool:
        """Did the judge give no verdict at all, for reasons that say nothing of the pairs?"""
        return not self.judged and any(silence.code not in _NO_FAILURE for silence in self.silences)

    @property
    def accuracy_interval(self) -> tuple[float, float]:
        """The 95 % interval of the share of all pairs that got the right relation."""
        return interval(self.right, self.decisions.pairs)

    @property
    def verdict(self) -> str:
        """Is the judge enough as things are? ``yes``, ``no``, or ``not shown`` by these pairs."""
        if self.failed:
            return "not shown"
        if self.upper <= self.budget.share:
            return "yes"
        seen = self.decisions.wrongly_removed / self.decisions.pairs
        return "no" if seen > self.budget.share else "not shown"

    @property
    def thresholds(self) -> str:
        """The chosen thresholds as a policy file has them; empty where none can be set."""
        if self.chosen.threshold >= NEVER or not set(self.kinds) <= set(POLICY_KINDS):
            return ""
        # Rounded up, so that no verdict acts that would not have acted.
        least = math.ceil(self.chosen.threshold * 10_000) / 10_000
        table = "".join(f"{relation.value} = {least:.4f}\n" for relation in DESTRUCTIVE)
        return "\n".join(f"[judges.{kind}]\n{table}" for kind in self.kinds)

    def as_json(self) -> dict[str, Any]:
        """Return it in JSON's own types."""
        return {
            "judge": self.judge,
            "judge_setting": setting_of(self.judge),
            "enough": self.verdict,
            "accuracy": self.right / self.decisions.pairs,
            "accuracy_interval": list(self.accuracy_interval),
            **asdict(self.decisions),
            "wrong_removals_at_most": self.upper,
            "budget": asdict(self.budget),
            "pairs_needed": self.budget.pairs_needed,
            "threshold": None if self.chosen.threshold >= NEVER else self.chosen.threshold,
            "at_threshold": asdict(self.chosen),
            "kinds": list(self.kinds),
            "cost": asdict(self.cost),
            "silences": [asdict(silence) for silence in self.silences],
            "wrong": [
                {
                    "id": item.truth.id,
                    "label": item.truth.relation,
                    "said": item.answer.relation,
                    "confidence": item.answer.confidence,
                    "by": item.answer.judge,
                    "action": item.answer.action,
                    "wrongly_removed": item.wrongly_removed,
                }
                for item in self.wrong
            ],
        }


def assess(run: PairRun, budget: Budget) -> Assessment:
    """Hold a run of at least one pair against a budget."""
    found = items(run)
    decisions = score_decisions(found)
    answers = [
        Answer(
            item.answer.relation,
            item.answer.confidence,
            item.truth.relation,
            item.answer.current,
            item.truth.current,
        )
        for item in found
        if item.answer.relation is not None
    ]
    return Assessment(
        judge=run.judge,
        budget=budget,
        right=sum(item.right for item in found),
        decisions=decisions,
        upper=upper_bound(decisions.wrongly_removed, decisions.pairs, budget.confidence),
        chosen=choose_threshold(answers, budget=budget.share, confidence=budget.confidence),
        kinds=_kinds(found),
        cost=run.cost,
        wrong=tuple(
            sorted(
                (item for item in found if item.judged and not item.right),
                key=lambda item: -item.answer.confidence,
            )
        ),
        silences=_silences(found),
    )


def _silences(found: Sequence[Item]) -> tuple[Silence, ...]:
    """Return what kept the judge from a verdict, the most frequent first."""
    silent = [item.answer for item in found if not item.judged]
    first: dict[str, str] = {}
    for answer in silent:
        first.setdefault(answer.unjudged or "unknown", answer.message)
    counts = Counter(answer.unjudged or "unknown" for answer in silent)
    return tuple(Silence(code, pairs, first[code]) for code, pairs in counts.most_common())


def _kinds(found: Sequence[Item]) -> tuple[str, ...]:
    """Return the kinds of judges that would take a fact away, in the order of their names."""
    return tuple(sorted({item.answer.judge for item in found if item.answer.relation in DESTRUCTIVE}))
