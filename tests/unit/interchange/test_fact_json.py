"""Facts as JSON."""

from __future__ import annotations

import io
import json

from arbiter.domain.facts import fact_of
from arbiter.domain.outcomes import FactState
from arbiter.domain.vocabulary import State, StateReason
from arbiter.interchange.fact_json import fact_json, write_facts
from tests.factories import THIRD, make_fact, make_sighting

FACT = fact_of(
    [
        make_sighting("Ana lives in Porto.", at=1, ref="msg:1", claim_key="user.residence", value="Porto"),
        make_sighting("ana lives in Porto", at=3, source="crm", kind=THIRD, subject=None),
    ]
)


def test_a_fact_is_told_with_its_sightings() -> None:
    """Where it stands, what it says, who said it when, and what a ruling would bind."""
    state = FactState(FACT.id, State.SUPERSEDED, StateReason.UPDATE, "fact_2", decision="dec_1")
    assert fact_json(FACT, state) == {
        "fact_id": FACT.id,
        "content": "Ana lives in Porto.",
        "state": "superseded",
        "state_reason": "update",
        "contested": False,
        "successor": "fact_2",
        "namespace": "default",
        "subject": None,
        "claim_key": "user.residence",
        "value": "Porto",
        "sightings": [
            {
                "source": "chat:1",
                "kind": "user_stated",
                "ref": "msg:1",
                "observed_at": "2026-01-02T09:00:00+00:00",
                "last_seen": "2026-01-02T09:00:00+00:00",
                "seen_count": 1,
                "record_index": None,
            },
            {
                "source": "crm",
                "kind": "third_party",
                "ref": None,
                "observed_at": "2026-01-04T09:00:00+00:00",
                "last_seen": "2026-01-04T09:00:00+00:00",
                "seen_count": 1,
                "record_index": None,
            },
        ],
        "first_seen": "2026-01-02T09:00:00+00:00",
        "last_seen": "2026-01-04T09:00:00+00:00",
        "seen_count": 2,
        "sources": ["chat:1", "crm"],
        "digest": FACT.digest,
    }


def test_facts_are_written_one_a_line() -> None:
    """Letters stay letters, line breaks stay inside their text."""
    other = make_fact("José said:\nyes.")
    states = [FactState(fact.id, State.ACTIVE) for fact in (FACT, other)]
    stream = io.StringIO()
    assert write_facts(zip((FACT, other), states, strict=True), stream) == 2
    lines = stream.getvalue().splitlines()
    assert [json.loads(line) for line in lines] == [
        fact_json(FACT, states[0]),
        fact_json(other, states[1]),
    ]
    assert "José said:\\nyes." in lines[1]
