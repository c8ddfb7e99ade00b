"""Settled pairs as labelled pairs to train the local judge on."""

from __future__ import annotations

from arbiter.domain.outcomes import review_id
from arbiter.domain.ruled import SettledPair
from arbiter.interchange.receipts import Json
from arbiter.interchange.record_in import record_json


def training_row(pair: SettledPair) -> Json | None:
    """Return a pair as a labelled one; None where its ruling does not say how the sides relate.

    What the ruling does not say is not filled in from the verdict: nothing is taught that nobody confirmed.
    """
    told = pair.relation
    if told is None:
        return None
    return {
        "id": review_id(pair.a.id, pair.b.id),
        "a": record_json(pair.a.as_record()),
        "b": record_json(pair.b.as_record()),
        "label": told.relation.value,
        "current": told.current,
        "update_kind": told.update_kind and told.update_kind.value,
        "stale_risk": told.stale_risk,
        "ruling": pair.ruling.kind.value,
    }
