"""The mathematics of calibration, against values of scipy.stats.beta.ppf and some worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from arbiter.domain.binomial import interval, upper_bound
from arbiter.domain.vocabulary import Relation
from arbiter.training.calibration import (
    NEVER,
    Answer,
    choose_threshold,
    fit_temperature,
    pairs_needed,
    softmax,
    thresholds,
)

DUPLICATE, UPDATE, COMPLEMENTARY = Relation.DUPLICATE, Relation.UPDATE, Relation.COMPLEMENTARY


@pytest.mark.parametrize(
    ("errors", "trials", "expected"),
    [
        (0, 1, 0.95),
        (0, 299, 0.009969147),
        (3, 50, 0.147837176),
        (6, 1258, 0.00939182),
        (49, 50, 0.99897466),
        (120, 4000, 0.034824744),
    ],
)
def test_the_bound_is_that_of_clopper_and_pearson(errors: int, trials: int, expected: float) -> None:
    """Bisection finds the quantile of the beta distribution that defines the bound."""
    assert upper_bound(errors, trials, 0.95) == pytest.approx(expected, abs=1e-8)


def test_bounds_at_the_ends() -> None:
    """All wrong bounds nothing; an interval around all right ends at one."""
    assert upper_bound(5, 5, 0.95) == 1.0
    low, high = interval(50, 50)
    assert high == 1.0
    assert low == pytest.approx(0.928878264, abs=1e-8)


def test_the_temperature_is_found_that_made_the_labels() -> None:
    """Labels drawn at temperature 2.5 give it back within the error of the sample."""
    random = np.random.default_rng(4)
    logits = random.normal(scale=3, size=(4000, 5))
    labels = [int(random.choice(5, p=row)) for row in softmax(logits / 2.5)]
    assert fit_temperature(logits, labels) == pytest.approx(2.5, rel=0.06)


def _answers(*, right: int, wrong_at: list[float], kept: int = 0) -> list[Answer]:
    """Return right duplicates at 0.99, wrong ones at the given probabilities, and pairs that are kept."""
    return [
        *(Answer(DUPLICATE, 0.99, DUPLICATE) for _ in range(right)),
        *(Answer(DUPLICATE, probability, COMPLEMENTARY) for probability in wrong_at),
        *(Answer(COMPLEMENTARY, 0.5, DUPLICATE) for _ in range(kept)),
    ]


def test_the_threshold_stops_before_the_budget_is_passed() -> None:
    """With 299 judged pairs none may be wrong at 1 % and 95 %, so it lies above the only mistake."""
    found = choose_threshold(_answers(right=200, wrong_at=[0.7], kept=98), budget=0.01, confidence=0.95)
    assert (found.threshold, found.acted, found.wrong, found.pairs) == (0.99, 200, 0, 299)
    assert found.upper == pytest.approx(1 - 0.05 ** (1 / 299))


def test_too_few_pairs_allow_no_action() -> None:
    """With 298 pairs not even a clean record proves one percent."""
    found = choose_threshold(_answers(right=298, wrong_at=[]), budget=0.01, confidence=0.95)
    assert (found.threshold, found.acted) == (NEVER, 0)


def test_equal_probabilities_stand_or_fall_together() -> None:
    """A mistake at the probability of right answers takes them all along."""
    found = choose_threshold(_answers(right=300, wrong_at=[0.99]), budget=0.01, confidence=0.95)
    assert (found.threshold, found.acted) == (NEVER, 0)


@pytest.mark.parametrize(("budget", "pairs"), [(0.01, 299), (0.05, 59), (0.1, 29), (1.0, 1)])
def test_a_budget_takes_pairs(budget: float, pairs: int) -> None:
    """As many as the exact bound takes without one mistake."""
    assert pairs_needed(budget, 0.95) == pairs
    assert upper_bound(0, pairs, 0.95) <= budget


@pytest.mark.parametrize(
    ("answer", "harmful"),
    [
        (Answer(DUPLICATE, 0.9, DUPLICATE), False),
        (Answer(DUPLICATE, 0.9, UPDATE), True),
        (Answer(UPDATE, 0.9, DUPLICATE), False),
        (Answer(UPDATE, 0.9, UPDATE, "b", "b"), False),
        (Answer(UPDATE, 0.9, UPDATE, "b", "a"), True),
        (Answer(Relation.CONTRADICTION, 0.9, UPDATE), True),
        (Answer(COMPLEMENTARY, 0.9, UPDATE), False),
    ],
)
def test_what_counts_as_harm(answer: Answer, harmful: bool) -> None:  # noqa: FBT001
    """Harm is a fact taken out that had to stay; of two duplicates either may go."""
    assert answer.harmful is harmful


def test_only_destructive_relations_have_a_threshold() -> None:
    """What keeps both facts may always be acted upon."""
    found = choose_threshold(_answers(right=400, wrong_at=[]), budget=0.01, confidence=0.95)
    assert dict(thresholds(found)) == {
        "duplicate": 0.99,
        "update": 0.99,
        "contradiction": 0.99,
        "complementary": 0.0,
        "unrelated": 0.0,
    }
