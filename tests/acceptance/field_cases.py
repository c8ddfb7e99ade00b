"""The field cases: failures that people reported of other systems, each with what should have happened.

Every case is run by one test of ``test_field_cases*.py`` through the public API; those whose authors ask for
an HTTP status are sent over HTTP as well. What a case says in words is checked in code, one by one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from evals.field_cases import Case, load_cases, record
from tests.chat import item

__all__ = [
    "CASES",
    "COVERED",
    "DEVIATES",
    "SENT",
    "Case",
    "adapted",
    "covers",
    "over_http",
    "record",
    "records",
    "told",
]

_AUTHORITY = (
    "what cannot or rarely changes is decided by authority: the lesser source's fact is kept as superseded"
)
_CORRECTION = "an explicit correction by the same or a higher source tombstones what it corrects"
DEVIATES = {
    "birthplace-rewritten": _AUTHORITY,
    "inference-retires-user-statement": _AUTHORITY,
    "name-from-a-greeting": _AUTHORITY,
    "immutable-bypassed-by-delete-and-add": _AUTHORITY,
    "corrected-source-blended": _CORRECTION,
    "correction-outnumbered-by-repeats": _CORRECTION,
    "older-paraphrase-ingested-late": "of equal sources the earlier wording stays, whichever arrives first",
    "fused-fact-partly-changed": "a record doubtful in part is complementary by the labelling guide",
    "supersession-cycle-in-batch": "a record cannot name what it supersedes, let alone in a circle",
    "receipt-for-a-record-not-written": "a batch is one transaction, stored or refused as a whole",
    "retired-record-demotes-live-one": "people rule on what is before them; the rest is undone",
}
"""Cases that end otherwise than their authors wish, on purpose; their tests hold what happens instead."""

COVERED: dict[str, str] = {}
SENT: dict[str, str] = {}
"""Which test sends a case over HTTP."""

_FLAT_OBJECT = re.compile(r"\{[^{}]*\}")
Test = TypeVar("Test", bound=Callable[..., None])


CASES = load_cases()


def covers(*case_ids: str) -> Callable[[Test], Test]:
    """Note that a test runs these cases; each case has one test."""

    def noted(test: Test) -> Test:
        for case_id in case_ids:
            assert case_id in CASES, case_id
            assert COVERED.setdefault(case_id, test.__qualname__) == test.__qualname__, case_id
        return test

    return noted


def over_http(*case_ids: str) -> Callable[[Test], Test]:
    """Note that a test sends these cases over HTTP; each that is sent is sent by one test."""

    def noted(test: Test) -> Test:
        for case_id in case_ids:
            assert case_id in CASES, case_id
            assert SENT.setdefault(case_id, test.__qualname__) == test.__qualname__, case_id
        return test

    return noted


def records(step: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the records of a step or of a whole input."""
    return [record(raw) for raw in step["records"]]


def told(
    content: str, at: str, *, by: str = "u:1", kind: str = "user_stated", **fields: Any
) -> dict[str, Any]:
    """Return a record, for cases that give texts only."""
    source = {"id": by, "kind": kind}
    return {"content": content, "source": source, "observed_at": f"{at}T09:00:00Z", **fields}


def adapted(text: str, **known: Any) -> str:
    """Return the reply of a case's model in our schema; prose around it stays.

    ``known`` are fields of ours that the schema of the case does not have.
    """

    def ours(match: re.Match[str]) -> str:
        theirs = json.loads(match[0])
        verdict = item(1, theirs["relation"], **known)
        verdict |= {name: theirs[name] for name in ("confidence", "merged_text") if name in theirs}
        if "newer" in theirs:
            verdict["current"] = {"candidate": "b", "c0": "a"}[theirs["newer"]]
        if "target" in theirs:
            verdict["pair"] = int(theirs["target"].removeprefix("c")) + 1
        else:
            del verdict["pair"]
        return json.dumps(verdict)

    return _FLAT_OBJECT.sub(ours, text)
