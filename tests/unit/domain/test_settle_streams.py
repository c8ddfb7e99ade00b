"""The policy against the scenario streams: the end states that careful people expect."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from arbiter.adapters.policy_file import load_policy
from arbiter.domain.settle import Cluster, Settlement, settle
from tests.streams import Stream, load_streams

POLICY = load_policy()
STREAMS = {stream.id: stream for stream in load_streams()}


def settled(stream: Stream, seed: int | None = None) -> Settlement:
    """Settle a stream with the oracle's verdicts, arrivals and pairs shuffled by a seed."""
    order, pairs = list(stream.records), stream.oracle()
    if seed is not None:
        Random(seed).shuffle(order)
        Random(seed).shuffle(pairs)
    return settle(Cluster(stream.facts(order), tuple(pairs)), POLICY)


def unordered(settlement: Settlement) -> Settlement:
    """Return a settlement with its decisions in the order of their ids."""
    return replace(settlement, decisions=tuple(sorted(settlement.decisions, key=lambda d: d.id)))


@pytest.mark.parametrize("name", STREAMS)
def test_end_state_is_what_a_careful_person_expects(name: str) -> None:
    """Every record ends in the expected state, with the expected successor and mark."""
    stream = STREAMS[name]
    settlement, ids = settled(stream), stream.fact_ids()
    replays = {item["rid"] for item in stream.expected["replays"]}
    told = {rid: stream.told(settlement.states[ids[rid]]) for rid in stream.records if rid not in replays}
    assert told == {rid: stream.expected_state(rid) for rid in told}


@pytest.mark.parametrize("name", STREAMS)
def test_every_contested_pair_waits_for_a_person(name: str) -> None:
    """The review queue holds exactly the contested pairs."""
    stream = STREAMS[name]
    ids = stream.fact_ids()
    asked = {frozenset((item.a, item.b)) for item in settled(stream).reviews}
    assert asked == {frozenset((ids[a], ids[b])) for a, b in stream.expected["contested"]}


@pytest.mark.parametrize("name", STREAMS)
def test_arrival_order_plays_no_part(name: str) -> None:
    """Three random orders of arrival and of judging give the very same settlement.

    Only the order of its decisions may differ: which of several readings is heard first is a fact's time.
    """
    stream = STREAMS[name]
    expected = unordered(settled(stream))
    assert [unordered(settled(stream, seed)) for seed in range(3)] == [expected] * 3
