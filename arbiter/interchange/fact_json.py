"""Facts as the JSON that users and their scripts rely on: one line of facts.jsonl."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TextIO

from arbiter.domain.facts import Fact, iso
from arbiter.domain.outcomes import FactState
from arbiter.interchange.receipts import Json


def fact_json(fact: Fact, state: FactState) -> Json:
    """Return a fact with where it stands and every sighting of it."""
    return {
        "fact_id": fact.id,
        "content": fact.content,
        "state": state.state.value,
        "state_reason": state.reason and state.reason.value,
        "contested": state.contested,
        "successor": state.successor,
        "namespace": fact.namespace,
        "subject": fact.subject,
        "claim_key": fact.claim_key,
        "value": fact.value,
        "sightings": [
            {
                "source": sighting.source.id,
                "kind": sighting.source.kind.value,
                "ref": sighting.source.ref,
                "observed_at": iso(sighting.first_seen),
                "last_seen": iso(sighting.last_seen),
                "seen_count": sighting.seen_count,
                "record_index": sighting.record_index,
            }
            for sighting in fact.sightings
        ],
        "first_seen": iso(fact.first_seen),
        "last_seen": iso(fact.last_seen),
        "seen_count": fact.seen_count,
        "sources": list(fact.sources),
        "digest": fact.digest,
    }


def write_facts(facts: Iterable[tuple[Fact, FactState]], stream: TextIO) -> int:
    """Write facts as JSON Lines and return how many there were."""
    count = 0
    for fact, state in facts:
        stream.write(json.dumps(fact_json(fact, state), ensure_ascii=False) + "\n")
        count += 1
    return count
