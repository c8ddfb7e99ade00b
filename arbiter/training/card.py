"""The model card: what a judge was made of and what it achieves, as a page beside it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

_INTRODUCTION = """\
# Local judge

A cross-encoder that reads two statements and says how they relate: duplicate, update, contradiction,
complementary or unrelated; which of the two is current; how the attribute behaves over time; and what is at
stake. It is an ONNX graph in int8 for onnxruntime. `judge.json` has its heads, temperature and thresholds.
"""

_LIMITS = """\
## Limits

English only. The two texts must fit into {max_tokens} word pieces together; longer pairs are not judged. The
pairs it learned from are written by hand, and its probabilities are calibrated for such pairs. It knows no
facts of the world beyond what its base model picked up. It is no judge of truth: it says how statements
relate.
"""


def write_card(directory: Path, card: Mapping[str, Any]) -> None:
    """Write ``judge.json``, and the page about it."""
    text = json.dumps(card, indent=2, ensure_ascii=False) + "\n"
    (directory / "judge.json").write_text(text, encoding="utf-8")
    write_model_card(directory, card)


def write_model_card(directory: Path, card: Mapping[str, Any]) -> None:
    """Write ``README.md`` from what ``judge.json`` says; a page ``about.md`` beside it is put in whole."""
    parts = [_INTRODUCTION]
    about = directory / "about.md"
    if about.exists():
        parts.append(about.read_text(encoding="utf-8"))
    if "calibration" in card:
        parts.append(_calibration(card))
    parts.extend([_making(card), _LIMITS.format(max_tokens=card["max_tokens"])])
    (directory / "README.md").write_text("\n".join(parts), encoding="utf-8")


def _calibration(card: Mapping[str, Any]) -> str:
    found = card["calibration"]
    low, high = found["accuracy_interval"]
    rows = [
        (label, found["precision"][label], found["recall"][label], card["thresholds"][label])
        for label in found["recall"]
    ]
    surest = [(f"{float(share):.0%}", accuracy) for share, accuracy in found["surest"].items()]
    confusion = [(truth, *row.values()) for truth, row in found["confusion"].items()]
    return f"""\
## On the held-out pairs

{found["pairs"]} pairs, no statement of which was trained on. Accuracy {found["accuracy"]:.3f} (95 % interval
{low:.3f} to {high:.3f}), calibration error {found["calibration_error"]:.3f} at temperature
{card["temperature"]}.

Acting on duplicates, updates and contradictions from probability {found["threshold"]:.3f} on (1.01: never),
it acts on {found["acted"]} of these pairs and is wrong on {found["wrong"]}: with {found["confidence"]:.0%}
confidence at most {found["upper"]:.2%} of all judged pairs; the budget is {found["budget"]:.0%}. The bound
holds for pairs like these; pairs of one contrast set share a statement, so it is somewhat too sure of itself.
{"".join(f"{chr(10)}{note}{chr(10)}" for note in found.get("notes", ()))}
{_table(("Relation", "Precision", "Recall", "Least probability to act"), rows)}

{_table(("Surest part", "Accuracy"), surest)}

Truth by row, answer by column:

{_table(("", *found["confusion"]), confusion)}
"""


def _making(card: Mapping[str, Any]) -> str:
    provenance = card.get("provenance", {})
    rows = [(name, f"`{value}`") for name, value in _flat(provenance)]
    return f"## Making\n\n{_table(('What', 'Value'), rows)}\n\nSHA-256 of `model.onnx`: `{card['sha256']}`\n"


def _flat(value: Mapping[str, Any], prefix: str = "") -> list[tuple[str, object]]:
    rows: list[tuple[str, object]] = []
    for name, inner in value.items():
        if isinstance(inner, Mapping) and inner:
            rows.extend(_flat(inner, f"{prefix}{name}."))
        else:
            rows.append((f"{prefix}{name}", inner))
    return rows


def _table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(_cell(cell) for cell in row) + " |" for row in lines)


def _cell(value: object) -> str:
    return f"{value:.3f}" if isinstance(value, float) else str(value)
