"""What is left when the words of a fact are erased: ids, times, labels and numbers, but no text of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from arbiter.domain.evidence import GuardFinding, Judgement, Unjudged
from arbiter.domain.facts import Sighting
from arbiter.domain.outcomes import ReviewItem, Ruling
from arbiter.interchange.receipts import Json


def erased_sighting(sighting: Sighting) -> Sighting:
    """Return a sighting without the words of its record; who said it and when stays."""
    record = replace(
        sighting.record,
        content="",
        subject=None,
        claim_key=None,
        value=None,
        causal_hint=None,
        tags=(),
        metadata={},
    )
    return replace(sighting, record=record)


def erased_judgement(found: Judgement) -> Judgement:
    """Return what a judge found without anything that it may have quoted; the labels stay."""
    guards = tuple(GuardFinding(guard.guard, "", "") for guard in found.guards)
    if isinstance(found, Unjudged):
        return replace(found, message="", guards=guards)
    return replace(found, attribute=None, reason="", merged_text=None, guards=guards)


def erased_ruling(ruling: Ruling) -> Ruling:
    """Return a ruling without its free text."""
    return replace(ruling, reason="")


def erased_review(item: ReviewItem) -> ReviewItem:
    """Return a review item without the text that it proposed."""
    return replace(item, proposal=None)


def erased_receipt(receipt: Mapping[str, Any], fact_id: str) -> Json:
    """Return a stored receipt without anything that may quote a fact; other facts' words stay."""
    own = receipt["fact_id"] == fact_id
    reason = receipt["reason"]
    return {
        **receipt,
        "reason": {**reason, "message": ""} if own and reason else reason,
        "relations": [
            _erased_relation(found) if own or found["fact_id"] == fact_id else found
            for found in receipt["relations"]
        ],
    }


def _erased_relation(found: Mapping[str, Any]) -> Json:
    unjudged = found["unjudged"]
    return {
        **found,
        "attribute": None,
        "reason": "",
        "guards": [{"guard": guard["guard"], "this": "", "other": ""} for guard in found["guards"]],
        "unjudged": unjudged and {**unjudged, "message": ""},
    }
