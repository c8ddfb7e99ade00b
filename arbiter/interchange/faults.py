"""What is wrong with submitted JSON, in the words of JSON: types and names as the caller wrote them."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

_SHOWN_UNKNOWN = 3
_SHOWN_CHARS = 200
# What the validation calls by the names of Python's types.
_IN_JSON = {
    "model_type": "Input should be an object",
    "model_attributes_type": "Input should be an object",
    "dict_type": "Input should be an object",
    "tuple_type": "Input should be a list",
    "list_type": "Input should be a list",
}


def spelt(name: object) -> str:
    """Return the name of a field so that it can be written, whatever the caller put into it."""
    told = str(name).encode("utf-8", "backslashreplace").decode()
    return told if len(told) <= _SHOWN_CHARS else f"{told[:_SHOWN_CHARS]}…"


def is_no_text(name: object) -> bool:
    """Is it something else than text, or does it hold half of a character?"""
    return not isinstance(name, str) or any("\ud800" <= char <= "\udfff" for char in name)


def place(fault: ErrorDetails) -> str | None:
    """Return the dotted name of the field to blame; None: it is the whole. A name may be empty, too."""
    return spelt(".".join(str(part) or "''" for part in fault["loc"])) or None


def no_such_field(name: object, known: Collection[str]) -> str:
    """Say that a field is unknown, and which one may be meant; ``name`` may be dotted."""
    told = spelt(name)
    # A long name is no slip of the pen, and likeness takes time.
    near = difflib.get_close_matches(told, known, n=1) if len(told) < max(map(len, known)) * 2 else []
    return f"{told}: no such field" + "".join(f"; did you mean {meant}?" for meant in near)


def in_words(faults: Sequence[ErrorDetails], known: Collection[str]) -> str:
    """Return one message: the first fault, and the fields that are unknown, of which one may be to blame.

    ``known`` are the names that fields may have, dotted where they are nested.
    """
    first, *rest = faults
    unknown = [fault for fault in rest if fault["type"] == "extra_forbidden"]
    told = [_told(fault, known) for fault in (first, *unknown[:_SHOWN_UNKNOWN])]
    if len(unknown) > _SHOWN_UNKNOWN:
        told.append(f"and {len(unknown) - _SHOWN_UNKNOWN} more unknown fields")
    return "; ".join(told)


def _told(fault: ErrorDetails, known: Collection[str]) -> str:
    field = place(fault)
    if fault["type"] == "extra_forbidden" and field is not None:
        return no_such_field(field, known)
    message = _IN_JSON.get(fault["type"], fault["msg"].removeprefix("Value error, "))
    return f"{field}: {message}" if field else message
