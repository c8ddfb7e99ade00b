"""What came of a scan, so that two can be compared."""

from __future__ import annotations

import json
from copy import deepcopy
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from arbiter.api import Arbiter
from tests.scanning import read_lines


@dataclass(frozen=True)
class Outcome:
    """What came of a scan: its files without its duration, and the history of each fact without times."""

    lines: dict[str, list[dict[str, Any]]]
    summary: dict[str, Any]
    histories: dict[str, list[tuple[str, object]]]

    def without_similarities(self) -> Outcome:
        """Leave out the similarities of candidates: two databases round them differently."""
        receipts = deepcopy(self.lines["receipts"])
        for receipt in receipts:
            for candidate in (receipt["evidence"] or {"candidates": ()})["candidates"]:
                del candidate["similarity"]
        return replace(self, lines={**self.lines, "receipts": receipts})


def outcome(arbiter: Arbiter, folder: Path) -> Outcome:
    """Return what came of a scan, by its files and its store."""
    store = arbiter.context.store
    summary = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
    return Outcome(
        lines={name: read_lines(folder / f"{name}.jsonl") for name in ("receipts", "facts", "review")},
        summary={name: summary[name] for name in summary.keys() - {"seconds", "records_per_second"}},
        histories={
            fact_id: [(entry.kind, entry.detail) for entry in store.history(namespace, fact_id)]
            for namespace in store.namespaces()
            for fact_id in store.fact_ids(namespace)
        },
    )
