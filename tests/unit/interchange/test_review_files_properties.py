"""Files of answers, broken anywhere: never an error of ours, and every report can be written."""

from __future__ import annotations

import io
import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.domain.review_answer import Answer
from arbiter.interchange.review_answers import ImportedRuling, RulingFault
from arbiter.interchange.review_files import ImportForm, read_rulings

FILES = Path(__file__).parents[2] / "data" / "annotation_tools"
FORMS: dict[str, ImportForm] = {
    "label_studio_export": "label-studio",
    "argilla_flat": "argilla",
    "argilla_nested": "argilla",
}
EXPORTS: dict[str, list[Any]] = {
    name: json.loads((FILES / f"{name}.json").read_text("utf-8")) for name in FORMS
}
JUNK = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(allow_nan=False, allow_infinity=False),
        st.text(st.characters(), max_size=8),
        st.sampled_from(["\ud800", "\x00", "submitted", "keep_a", "merge", "relation", "yes"]),
    ),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


def places(value: object, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the path to every part of a JSON value."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(found for key, part in inner for found in places(part, (*path, key)))]


@pytest.mark.parametrize("name", EXPORTS)
@given(data=st.data())
def test_whatever_stands_anywhere_is_told_or_read(name: str, data: st.DataObject) -> None:
    """One part of a real export is replaced by anything: what is read is checked, the rest is told."""
    broken = deepcopy(data.draw(st.sampled_from(EXPORTS[name])))
    *road, last = data.draw(st.sampled_from(places(broken)[1:]))
    inside = broken
    for key in road:
        inside = inside[key]
    inside[last] = data.draw(JUNK)
    for found in read_rulings(io.BytesIO(json.dumps([broken]).encode()), FORMS[name]):
        if isinstance(found, RulingFault):
            f"{found.review_id} {found.field} {found.message}".encode()
        else:
            assert isinstance(found, ImportedRuling)
            assert isinstance(found.answer, Answer | None)
            f"{found.review_id} {found.a} {found.b} {found.reviewer} {found.comment}".encode()


@pytest.mark.parametrize("form", ["jsonl", "label-studio", "argilla"])
@given(elements=st.lists(JUNK, max_size=3))
def test_any_json_is_told_or_read(form: ImportForm, elements: list[object]) -> None:
    """Lines and arrays of anything at all: nothing of it is an answer."""
    lines = "".join(json.dumps(element) + "\n" for element in elements).encode()
    for text in (lines, json.dumps(elements).encode()):
        assert [
            found for found in read_rulings(io.BytesIO(text), form) if isinstance(found, ImportedRuling)
        ] == []
