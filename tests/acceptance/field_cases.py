"""The field cases: failures that people reported of other systems, each with what should have happened.

Every case is run by one test of ``test_field_cases*.py`` through the public API, or stands in ``WAITS``
with the reason. What a case says in words is checked in code, one by one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from tests.chat import item

SUITE = Path(__file__).parents[2] / "evals" / "suites" / "field_cases.jsonl"

WAITS = {
    "replacement-fails-after-delete": "rulings with an edited text come with the HTTP API",
    "retry-after-ambiguous-timeout": "the Idempotency-Key belongs to the HTTP API",
}
"""Cases that ask for something that there is not yet."""

STATUS_WAITS = {
    "batch-one-bad-item",
    "empty-content",
    "foreign-id-then-forget",
    "independent-source-refused",
    "invented-record-id",
    "queue-position-used-as-id",
    "retired-record-demotes-live-one",
    "supersession-cycle-in-batch",
    "text-over-model-limit",
}
"""Cases that run, but whose HTTP status can only be seen once there is the HTTP API."""

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

_FLAT_OBJECT = re.compile(r"\{[^{}]*\}")
_NOT_OURS = frozenset("content_gen expires_at id label status supersedes tenant tombstoned_at".split())
Test = TypeVar("Test", bound=Callable[..., None])


@dataclass(frozen=True)
class Case:
    """One case, as its authors wrote it."""

    id: str
    input: Mapping[str, Any]
    expected: Mapping[str, Any]

    @property
    def steps(self) -> list[Mapping[str, Any]]:
        """The operations of a case that has several."""
        return list(self.input["steps"])


def load_cases() -> dict[str, Case]:
    """Return every case by its id."""
    lines = map(json.loads, SUITE.read_text("utf-8").splitlines())
    return {raw["id"]: Case(raw["id"], raw["input"], raw["expected"]) for raw in lines}


CASES = load_cases()


def covers(*case_ids: str) -> Callable[[Test], Test]:
    """Note that a test runs these cases; each case has one test."""

    def noted(test: Test) -> Test:
        for case_id in case_ids:
            assert case_id in CASES, case_id
            assert COVERED.setdefault(case_id, test.__qualname__) == test.__qualname__, case_id
        return test

    return noted


def record(raw: Mapping[str, Any]) -> dict[str, Any]:
    """Return a case's record as a caller of ours would write it."""
    made = {name: value for name, value in raw.items() if name not in _NOT_OURS}
    if "content_gen" in raw:
        text = raw["content_gen"]
        made["content"] = text["repeat"] * text["times"] + text["then"]
    if "tenant" in raw:
        made["namespace"] = raw["tenant"]
    if "expires_at" in raw:
        made["valid_to"] = raw["expires_at"]
    return made


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
