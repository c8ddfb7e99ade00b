"""Streams lived through, on fakes."""

from __future__ import annotations

from arbiter.domain.evidence import Spend, Unjudged
from arbiter.domain.vocabulary import State, StateReason
from arbiter.testing import TableJudge
from evals.stream_score import MEASURES
from evals.stream_states import ORDERS, arrivals, live_through
from evals.streams import Stream
from tests.factories import make_record, verdict
from tests.fake_stack import around

SAID = {
    "r1": "Ana lives in Porto.",
    "r2": "Ana moved to Lagos.",
    "r3": "Lagos is where Ana moved.",
    "r4": "Ana likes figs.",
    "r5": "Ana lives in Porto.",
    "r6": "Ana was born in Faro.",
    "r7": "Ana was born in Beja.",
}
STREAM = Stream(
    "s1",
    {
        # The replay comes from the source of what it says again.
        rid: make_record(words, at=place, source="r1" if rid == "r5" else rid, subject="Ana", namespace="s1")
        for place, (rid, words) in enumerate(SAID.items())
    },
    {
        "pairs": [],
        "replays": [{"rid": "r5", "of": "r1"}],
        "active": ["r2", "r4", "r6", "r7"],
        "superseded": {"r1": "r2"},
        "merged": {"r3": "r2"},
        "tombstoned": {},
        "contested": [["r6", "r7"]],
        "review": [{"pair": ["r6", "r7"], "why": "immutable"}],
    },
)
KNOWN = {
    (SAID["r1"], SAID["r2"]): verdict("update"),
    (SAID["r1"], SAID["r3"]): verdict("update"),
    (SAID["r2"], SAID["r3"]): verdict("duplicate"),
    (SAID["r6"], SAID["r7"]): verdict("contradiction", mutability="immutable"),
}


def measured(judge: TableJudge, *orders: str) -> list[dict[str, int]]:
    """Return what holds of how many records, order by order."""
    score = live_through("mine", [STREAM], "table", judge, around, orders or ORDERS)
    assert (score.suite, score.judge) == ("mine", "table")
    return [{name: run.count(name) for name in MEASURES if run.count(name)} for run in score.runs]


def test_a_judge_that_knows_ends_right_in_every_order() -> None:
    """States, marks and questions; the replay has no state of its own."""
    judge = TableJudge(KNOWN, per_pair=Spend(local_pairs=1))
    assert measured(judge) == [{"right": 6, "right_and_marked": 6}] * 3
    score = live_through("mine", [STREAM], "table", judge, around, ["as told"])
    (run,) = score.runs
    assert [end.rid for end in run.ends] == ["r1", "r2", "r3", "r4", "r6", "r7"]
    assert (run.wanted, run.found, run.other) == (1, 1, 0)
    assert (run.settled, run.unjudged, run.cost) == ({"test": 4, "table": 11}, {}, Spend(local_pairs=15))
    assert score.steady == 1.0


def test_a_judge_that_knows_nothing_misses_everything() -> None:
    """What should be replaced or contested stands, and the duplicate beside its twin."""
    (found,) = measured(TableJudge(), "as told")
    assert found == {"right": 4, "right_and_marked": 2, "missed": 3, "unmerged": 1}


def test_a_judge_that_removes_wrongly() -> None:
    """A harmless fact that is taken for an older state is gone; people are asked what they need not be."""
    wrong = {
        (SAID["r4"], SAID["r6"]): verdict("update"),
        (SAID["r2"], SAID["r4"]): verdict("contradiction", stakes="high"),
    }
    score = live_through("mine", [STREAM], "table", TableJudge(KNOWN | wrong), around, ["as told"])
    ends = {end.rid: end for end in score.runs[0].ends}
    assert (ends["r4"].ended, ends["r4"].reason, ends["r4"].wrongly_removed) == (
        State.SUPERSEDED,
        StateReason.UPDATE,
        True,
    )
    assert sum(end.wrongly_removed for end in ends.values()) == 1


def test_a_swapped_duplicate_is_no_wrong_removal() -> None:
    """Where the judge prefers the other wording, the claim is still read."""
    richer = {(SAID["r2"], SAID["r3"]): verdict("duplicate", current="b")}
    score = live_through("mine", [STREAM], "table", TableJudge(KNOWN | richer), around, ["as told"])
    ends = {end.rid: end for end in score.runs[0].ends}
    assert (ends["r2"].ended, ends["r2"].swapped, ends["r2"].wrongly_removed) == (
        State.SUPERSEDED,
        True,
        False,
    )
    assert (ends["r3"].ended, ends["r3"].unmerged) == (State.ACTIVE, True)


def test_what_nobody_could_judge_is_held() -> None:
    """And counted by its reason."""
    judge = TableJudge(otherwise=Unjudged("down", "", retryable=True))
    score = live_through("mine", [STREAM], "table", judge, around, ["as told"])
    (run,) = score.runs
    assert run.count("held") == 5
    assert (run.settled, run.unjudged) == ({}, {"down": 15})


def test_orders_are_always_the_same() -> None:
    """As told, backwards, and shuffled by a seed."""
    told = [rid for rid, _ in arrivals(STREAM, "as told")]
    shuffled = [rid for rid, _ in arrivals(STREAM, "shuffled 1")]
    assert told == list(SAID)
    assert [rid for rid, _ in arrivals(STREAM, "backwards")] == told[::-1]
    assert shuffled == [rid for rid, _ in arrivals(STREAM, "shuffled 1")]
    assert sorted(shuffled) == told != shuffled != [rid for rid, _ in arrivals(STREAM, "shuffled 2")]
