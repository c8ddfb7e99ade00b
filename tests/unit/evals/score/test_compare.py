"""Two runs side by side."""

from __future__ import annotations

import pytest

from arbiter.errors import ConfigurationError
from evals.score.compare import compare, mcnemar
from evals.score.items import Item
from evals.score.streams import compare_ends, score_ends
from tests.answered import end, item, numbered


def runs(
    *told: tuple[str | None, str | None], truth: str = "update"
) -> tuple[tuple[Item, ...], tuple[Item, ...]]:
    """Return two runs over the same cases of one relation, by what each answered."""
    first, second = zip(*told, strict=True)
    return numbered(*(item(truth, a) for a in first)), numbered(*(item(truth, a) for a in second))


@pytest.mark.parametrize(
    ("only_first", "only_second", "p"),
    [
        pytest.param(0, 0, 1.0, id="no difference"),
        pytest.param(1, 0, 1.0, id="one case"),
        pytest.param(0, 6, 2 / 64, id="all one way"),
        pytest.param(3, 9, 0.14599609375, id="uneven"),
        pytest.param(25, 12, 0.04703102743951604, id="just so"),
        pytest.param(400, 700, 1.1735888055606002e-19, id="many"),
    ],
)
def test_the_test_is_the_exact_binomial_one(only_first: int, only_second: int, p: float) -> None:
    """Of the cases on which two runs differ half should be either's; the values are scipy's binomtest."""
    assert mcnemar(only_first, only_second) == pytest.approx(p, rel=1e-9)


def test_a_clear_difference_is_a_real_one() -> None:
    """Twenty cases only the second run has right, none only the first."""
    labels, actions, removals = compare(*runs(*[("unrelated", "update")] * 20, *[("update", "update")] * 20))
    assert (labels.measure, labels.cases, labels.first, labels.second) == ("label accuracy", 40, 0.5, 1.0)
    assert (labels.only_first, labels.only_second, labels.left_out) == (0, 20, 0)
    assert labels.p == pytest.approx(2 * 0.5**20)
    assert labels.interval == pytest.approx((0.35, 0.65), abs=0.02)
    assert labels.significant
    assert (actions.measure, actions.second - actions.first) == ("right actions", 0.5)
    assert (removals.measure, removals.first, removals.second) == ("wrong removals", 0.0, 0.0)
    assert not removals.significant


def test_one_case_more_could_be_chance() -> None:
    """And the sentence says so, with all that it rests on."""
    labels, *_ = compare(*runs(("unrelated", "update"), *[("update", "update")] * 9))
    assert not labels.significant
    assert labels.sentence("old", "new") == (
        "label accuracy of new against old: +10.0 points [+0.0, +30.0] on 10 cases; 1 only new, 0 only old, "
        "p = 1: could be chance."
    )


def test_labels_are_compared_where_both_judged() -> None:
    """The others are counted beside; actions are compared everywhere, for what is not judged is held."""
    labels, actions, _ = compare(*runs((None, "update"), ("update", "update"), ("update", None)))
    assert (labels.cases, labels.left_out, labels.first, labels.second) == (1, 2, 1.0, 1.0)
    assert "2 left out that one of them did not judge" in labels.sentence("a", "b")
    assert (actions.cases, actions.only_first, actions.only_second) == (3, 1, 1)


def test_runs_without_a_case_that_both_judged_are_compared_by_what_was_done() -> None:
    """There are no labels to compare."""
    assert [d.measure for d in compare(*runs((None, "update")))] == ["right actions", "wrong removals"]


def test_the_order_of_cases_does_not_matter_but_the_cases_do() -> None:
    """Cases are found by their ids."""
    first, second = runs(("update", "unrelated"), ("unrelated", "update"), ("update", "update"))
    assert compare(first, second[::-1]) == compare(first, second)
    with pytest.raises(ConfigurationError, match="the two runs are not of the same cases"):
        compare(first, second[:2])


ENDS = (
    end("r1", "active", "active"),
    end("r2", "active", "superseded"),
    end("r3", "superseded", "superseded"),
    end("r1", "active", "superseded", stream="s2", swapped=True),
)


def test_streams_are_scored_by_where_records_end() -> None:
    """To swap two duplicates is a wrong state, but nothing is lost; intervals are drawn over streams."""
    found = score_ends(ENDS)
    assert (found.records, found.right, found.wrongly_removed) == (4, 2, 1)
    assert found.right_interval == pytest.approx((0.0, 2 / 3))


def test_streams_are_compared_record_by_record() -> None:
    """Records are found by their stream and handle."""
    better = (ENDS[3], end("r2", "active", "active"), ENDS[0], ENDS[2])
    states, removals = compare_ends(ENDS, better)
    assert (states.measure, states.cases, states.first, states.second) == ("right states", 4, 0.5, 0.75)
    assert (removals.first, removals.second, removals.only_first) == (0.25, 0.0, 1)


def test_one_stream_alone_shows_no_difference() -> None:
    """Whatever the test says of its records: they may have one common reason."""
    ten = [end(f"r{n}", "active", "active") for n in range(10)]
    states, _ = compare_ends([end(f"r{n}", "active", "superseded") for n in range(10)], ten)
    assert (states.p, states.interval, states.significant) == (2 / 2**10, (-1.0, 1.0), False)
