"""Kept answers: which facts they may quote, and what is left of them when one of these is erased.

Text of facts stands in receipts, in the items of the review queue, and in what people write about them; an
answer of another kind that holds any has to be dealt with here before it may be kept.
"""

from __future__ import annotations

import json
from typing import Any, TypeAlias

from arbiter.domain.vocabulary import Outcome
from arbiter.interchange.erasure import erased_receipt

_Object: TypeAlias = dict[str, Any]
ANY_FACT = ""
"""In place of a fact's id: what is quoted may be the words of any fact of the namespace."""


def quoted(body: bytes, namespace: str) -> set[tuple[str, str]]:
    """Return the namespace and id of every fact that an answer may quote.

    ``namespace`` is that of rulings and items of the queue, which do not name their own. A deferred receipt
    names subjects, whose facts it does not know; nor is it known of whom a comment speaks.
    """
    data = json.loads(body)
    found = {(namespace, fact_id) for fact_id in _sides(_ruling(data)) | _sides(_item(data))}
    if _notes(data):
        found.add((namespace, ANY_FACT))
    for receipt in _receipts(data):
        own = receipt["namespace"]
        if receipt["fact_id"] is not None:
            found.add((own, receipt["fact_id"]))
        elif _names_subjects(receipt):
            found.add((own, ANY_FACT))
        found |= {(own, relation["fact_id"]) for relation in receipt["relations"]}
    return found


def erased_answer(body: bytes, namespace: str, fact_id: str) -> bytes:
    """Return an answer without anything that may quote a fact; ids, labels and times stay.

    With ``ANY_FACT`` only what may quote facts that are not known by id goes.
    """
    data = json.loads(body)
    for place, receipt in enumerate(_receipts(data)):
        if receipt["namespace"] == namespace:
            data["receipts"][place] = _erased(receipt, fact_id)
    ruling = _ruling(data)
    if fact_id in _sides(ruling):
        ruling["reason"] = ""
    if fact_id in _sides(_item(data)):
        _erase_item(_item(data), fact_id)
    for note, name in _notes(data):
        note[name] = ""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode()


def _receipts(data: object) -> list[_Object]:
    return data.get("receipts", []) if isinstance(data, dict) else []


def _ruling(data: object) -> _Object:
    found = data.get("ruling") if isinstance(data, dict) else None
    return found if isinstance(found, dict) else {}


def _item(data: object) -> _Object:
    """Return the item of the queue that an answer shows, if it shows one."""
    shown = data.get("review", data) if isinstance(data, dict) else None
    return shown if isinstance(shown, dict) and "digest_a" in shown else {}


def _notes(data: object) -> list[tuple[_Object, str]]:
    """Return the comment of an answer, or the lines of an import, with the name of what is written there."""
    if not isinstance(data, dict):
        return []
    lines = [(line, "message") for line in data.get("lines", [])]
    return [*lines, (data, "text")] if {"review_id", "text"} <= data.keys() else lines


def _sides(pair: _Object) -> set[str]:
    return {pair[name] for name in ("a", "b", "merged") if pair.get(name) is not None}


def _erase_item(item: _Object, fact_id: str) -> None:
    item["proposal"] = None
    for side, fact in item.get("facts", {}).items():
        if item[side] == fact_id:
            fact |= {"content": "", "subject": None, "claim_key": None, "value": None}
    if "marks" in item:
        item["marks"] = {"a": [], "b": []}
    if (found := item.get("evidence")) is not None:
        guards = [{"guard": guard["guard"], "a": "", "b": ""} for guard in found["guards"]]
        unjudged = found["unjudged"] and {**found["unjudged"], "message": ""}
        found |= {"attribute": None, "reason": "", "guards": guards, "unjudged": unjudged}
    for ruling in item.get("rulings", []):
        ruling["reason"] = ""
    for comment in item.get("comments", []):
        comment["text"] = ""


def _names_subjects(receipt: _Object) -> bool:
    return bool(receipt["outcome"] == Outcome.DEFERRED)


def _erased(receipt: _Object, fact_id: str) -> _Object:
    if _names_subjects(receipt):
        return {**receipt, "reason": {**receipt["reason"], "message": ""}}
    return erased_receipt(receipt, fact_id)
