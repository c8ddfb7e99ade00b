"""The field cases as their authors wrote them, and their records as a caller of arbiter would."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from evals.suite_files import FOLDER

SUITE = FOLDER / "field_cases.jsonl"

_NOT_OURS = frozenset("content_gen expires_at id label status supersedes tenant tombstoned_at".split())


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
