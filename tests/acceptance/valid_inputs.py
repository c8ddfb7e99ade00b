"""Valid inputs of every kind: records, files of them, and review files that somebody has filled in."""

from __future__ import annotations

import json
from typing import Any

from arbiter.api import Arbiter
from arbiter.interchange.review_files import ImportForm, export_open
from tests.acceptance.calling import born, lives, told
from tests.exchange_cases import views

RECORDS: tuple[dict[str, Any], ...] = (
    told("Ana likes tea."),
    lives("Lisbon", 3),
    born("Faro", 4),
    told("The note says «東京» \U0001f600 & <b>=1+1</b>, 10 € a month.", 5, subject="note", tags=["a", "b"]),
    {
        **lives("Porto", 6, ref="msg:99"),
        "namespace": "crm",
        "confidence": 0.5,
        "explicitness": "inferred",
        "causal_hint": "ref:1",
        "valid_from": "2025-01-01T00:00:00Z",
        "valid_to": "2026-01-01T00:00:00+01:00",
        "mutability": "mutable",
        "stakes": "high",
        "tags": ["home"],
        "metadata": {"page": 7, "of": {"book": ["x", None, 1.5, True]}},
    },
)
JSON_LINES = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in RECORDS).encode()
JSON_ARRAY = json.dumps(RECORDS, indent=1).encode()
TABLE = (
    b"content,source.id,source.kind,source.ref,observed_at,subject,confidence,tags,metadata.page\r\n"
    b"Ana likes tea.,chat:1,user_stated,,2025-01-01T09:00:00Z,ana,0.9,a;b,1\r\n"
    b'"Bob says ""no"",\nand means it.",chat:2,third_party,m:1,2025-01-02T09:00:00Z,,,,\r\n'
    b"Chen lives in Lisbon.,crm,verified_observation,,2025-01-03T09:00:00Z,chen,1,home,\r\n"
)
FILES = {
    "told.jsonl": JSON_LINES,
    "told.json": JSON_ARRAY,
    "told.csv": TABLE,
    "told.tsv": TABLE.replace(b",", b"\t"),
    "told": JSON_LINES,
    "table": TABLE,
}
"""Files of records by name; of the last two only the beginning tells what they are."""
MEDIA_TYPES: dict[ImportForm, str] = {
    "jsonl": "application/x-ndjson",
    "csv": "text/csv",
    "label-studio": "application/json",
    "argilla": "application/json",
}


def review_files(arbiter: Arbiter) -> dict[ImportForm, bytes]:
    """Return a file of each form with an answer to every question that the arbiter asks."""
    asked = views(arbiter)
    rows = [json.loads(line) for line in export_open(asked, "jsonl")]
    answered = [{**row, "ruling": "keep_a", "reviewer": "kim", "reason": "so it is"} for row in rows]
    table = "".join(export_open(asked, "csv"))
    filled = table.replace(",,,,,,,\r\n", ",keep_b,,,,kim,so it is,a note\r\n")
    assert filled.count("kim") == len(rows)
    tasks = json.loads("".join(export_open(asked, "label-studio")))
    for task in tasks:
        chosen: dict[str, Any] = {
            "from_name": "ruling",
            "to_name": "a",
            "type": "choices",
            "value": {"choices": ["keep_both"]},
        }
        note = {"from_name": "reason", "to_name": "a", "type": "textarea", "value": {"text": ["so it is"]}}
        task["annotations"] = [{"id": 1, "completed_by": 7, "was_cancelled": False, "result": [chosen, note]}]
    records = json.loads("".join(export_open(asked, "argilla")))
    for record in records:
        said = [{"user_id": "u-1", "value": "skip", "status": "submitted"}]
        why = [{"user_id": "u-1", "value": "not mine", "status": "submitted"}]
        record |= {"status": "completed", "responses": {"ruling": said, "reason": why}}
    return {
        "jsonl": "".join(json.dumps(row) + "\n" for row in answered).encode(),
        "csv": filled.encode(),
        "label-studio": json.dumps(tasks).encode(),
        "argilla": json.dumps(records).encode(),
    }
