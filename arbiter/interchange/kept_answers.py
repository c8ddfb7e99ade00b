"""Kept answers: which facts they may quote, and what is left of them when one of these is erased.

Text of facts stands in receipts, and in the reason that a person gave for a ruling; an answer of another kind
that holds any has to be dealt with here before it may be kept.
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

    ``namespace`` is that of a ruling, which does not name its own. A deferred receipt names subjects, whose
    facts it does not know.
    """
    data = json.loads(body)
    found = {(namespace, fact_id) for fact_id in _sides(_ruling(data))}
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
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode()


def _receipts(data: object) -> list[_Object]:
    return data.get("receipts", []) if isinstance(data, dict) else []


def _ruling(data: object) -> _Object:
    found = data.get("ruling") if isinstance(data, dict) else None
    return found if isinstance(found, dict) else {}


def _sides(ruling: _Object) -> set[str]:
    return {ruling[name] for name in ("a", "b", "merged") if ruling.get(name) is not None}


def _names_subjects(receipt: _Object) -> bool:
    return bool(receipt["outcome"] == Outcome.DEFERRED)


def _erased(receipt: _Object, fact_id: str) -> _Object:
    if _names_subjects(receipt):
        return {**receipt, "reason": {**receipt["reason"], "message": ""}}
    return erased_receipt(receipt, fact_id)
