"""Everything about one run over labelled pairs, with intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from arbiter.domain.evidence import Spend
from evals.score.calibration import Calibration, score_calibration
from evals.score.cost import Cost, score_cost
from evals.score.coverage import Coverage, score_coverage
from evals.score.decisions import Decisions, score_decisions
from evals.score.intervals import SEED, Bootstrap, Interval
from evals.score.items import Item
from evals.score.labels import LABELS, Labels, macro_f1_interval, score_labels

DIGITS = 4


@dataclass(frozen=True, slots=True)
class Intervals:
    """95 % intervals, drawn over groups of cases; None where the figure itself is None.

    Those of ``wrongly_removed`` and ``acted_rightly`` are of shares of all cases, that of ``missed`` is of
    the share of the judged conflicts.
    """

    accuracy: Interval | None
    macro_f1: Interval | None
    acted_rightly: Interval | None
    wrongly_removed: Interval | None
    missed: Interval | None


@dataclass(frozen=True, slots=True)
class PairScore:
    """The scores of one run over labelled pairs; ``groups`` is how many groups the cases fall into."""

    labels: Labels
    calibration: Calibration
    coverage: Coverage
    decisions: Decisions
    cost: Cost
    intervals: Intervals
    groups: int

    def as_json(self) -> dict[str, Any]:
        """Return it in JSON's own types, all but the curve, which follows from the cases."""
        labels, calibration, intervals = self.labels, self.calibration, asdict(self.intervals)
        return {
            "pairs": labels.pairs,
            "groups": self.groups,
            "judged": labels.judged,
            "unjudged": dict(self.decisions.unjudged),
            "accuracy": _round(labels.accuracy),
            "macro_f1": _round(labels.macro_f1),
            "intervals": {name: _bounds(interval) for name, interval in intervals.items()},
            "labels": {
                label: {name: _round(value) for name, value in asdict(labels.by_label[label]).items()}
                for label in LABELS
            },
            "confusion": {
                truth: {label: labels.confusion.get((truth, label), 0) for label in LABELS}
                for truth in LABELS
            },
            "calibration": {
                "graded": calibration.graded,
                "error": _round(calibration.error),
                "bins": [[b.count, _round(b.confidence), _round(b.accuracy)] for b in calibration.bins],
            },
            "risk_coverage_area": _round(self.coverage.area),
            "surest": {str(share): _round(value) for share, value in self.coverage.surest.items()},
            "decisions": {
                **{name: value for name, value in asdict(self.decisions).items() if name != "unjudged"},
                "coverage": _round(self.decisions.coverage),
            },
            "cost": self.cost.as_json(),
        }


def score_pairs(
    found: Sequence[Item], spend: Spend = Spend(), seconds: float = 0.0, *, seed: int = SEED
) -> PairScore:
    """Score answered cases.

    Args:
        found: the cases; at least one.
        spend: what they cost together.
        seconds: how long they took.
        seed: seed of the intervals.
    """
    groups = [item.truth.group for item in found]
    draws = Bootstrap(groups, seed)
    everything = [True] * len(found)
    return PairScore(
        labels=score_labels(found),
        calibration=score_calibration(found),
        coverage=score_coverage(found),
        decisions=score_decisions(found),
        cost=score_cost(found, spend, seconds),
        intervals=Intervals(
            accuracy=draws.share([item.right for item in found], [item.judged for item in found]),
            macro_f1=macro_f1_interval(found, draws),
            acted_rightly=draws.share([item.acted_rightly for item in found], everything),
            wrongly_removed=draws.share([item.wrongly_removed for item in found], everything),
            missed=draws.share(
                [item.missed for item in found], [item.conflict and item.judged for item in found]
            ),
        ),
        groups=len(set(groups)),
    )


def _round(value: float | None) -> float | None:
    return None if value is None else round(value, DIGITS)


def _bounds(interval: Interval | None) -> list[float] | None:
    return None if interval is None else [round(bound, DIGITS) for bound in interval]
