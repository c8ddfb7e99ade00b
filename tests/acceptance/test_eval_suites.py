"""The suites through the whole stack: their authors in the judge's place, all else as a user has it."""

from __future__ import annotations

import pytest

from arbiter.domain.evidence import Spend
from arbiter.settings import Settings
from evals.authors import Authors
from evals.candidates import find_pairs, retrieval_suite
from evals.judges import build
from evals.stack import Stack
from evals.stream_states import ORDERS, live_through
from tests.streams import load_streams

SETTINGS = Settings(embedding_threads=1)
# An incident, and an earthquake with late arrivals.
VARIED = ("sd-11", "sd-18")


@pytest.fixture(scope="module")
def stack() -> Stack:
    """Return models, policy and registry, loaded once."""
    return Stack.open(SETTINGS)


def test_streams_end_as_their_authors_expect(stack: Stack) -> None:
    """In every order, so that what another judge falls short of is the judge's own."""
    streams = [stream for stream in load_streams() if stream.id in VARIED]
    score = live_through("streams_dev", streams, "authors", Authors(streams), stack.around)
    assert [run.order for run in score.runs] == list(ORDERS)
    records = sum(len(stream.records) - len(stream.replays) for stream in streams)
    for run in score.runs:
        assert run.count("right_and_marked") == len(run.ends) == records
        assert (run.found, run.other) == (run.wanted, 0)
        assert run.cost == Spend(local_pairs=sum(run.settled.values()))
    assert score.steady == 1.0


def test_pairs_of_a_stream_come_before_the_judges(stack: Stack) -> None:
    """All of the first stream, however many facts of other people there are."""
    records, wanted = retrieval_suite()
    first = [pair for pair in wanted if pair.group == "sd-01"]
    score = find_pairs("retrieval", records[: max(pair.b for pair in first) + 1], first, stack.around, 200)
    assert (score.completeness(), len(score.pairs)) == (1.0, len(first))


def test_a_judge_that_reads_nothing_is_shown_close_pairs_only(stack: Stack) -> None:
    """As a user without a reading judge has it; else nearly every pair would wait."""
    judge = build("keyed", SETTINGS)
    far, near = stack.around(judge), stack.around(judge, reads=False)
    assert (far.limits.near, near.limits.near) == (0.3, 0.6)
    assert near.limits.nearest_related == 0 < far.limits.nearest_related
    assert far.policy.judges["local"]["update"] > far.policy.thresholds["update"]
