"""Review items as records of Argilla with the judge's verdict as a suggestion, and responses back in.

The files are those that Argilla's own client reads and writes: ``Settings.from_json`` takes the settings,
``dataset.records.from_json`` the records. Fields are plain text, never markup.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from arbiter.domain.evidence import Verdict
from arbiter.domain.vocabulary import RulingKind
from arbiter.errors import InvalidRecordError
from arbiter.interchange.annotations import (
    CONTROLS,
    GUIDELINES,
    RELATION_HINTS,
    RULING_HINTS,
    answered,
    person,
    shown,
)
from arbiter.interchange.lines import Item
from arbiter.interchange.receipts import Json
from arbiter.interchange.review_answers import NAMESPACE, NEEDED, ImportedRuling, RulingFault, printable

if TYPE_CHECKING:
    from arbiter.pipeline.review_view import ReviewView

_TOOL = "argilla"
_FIELDS = {"question": "Question", "a": "A", "b": "B", "about": "What is known"}
# A name may stand for one thing only: the relation is a question.
_TERMS = (NAMESPACE, *NEEDED, "kind", "rule", "stakes", "verdict", "judge")
_BINDING = (NAMESPACE, *NEEDED)
_SUBMITTED = "submitted"


def settings() -> Json:
    """Return the settings of a dataset: the fields that are shown, the questions, and the metadata."""
    return {
        "guidelines": GUIDELINES,
        "fields": [
            {
                "name": name,
                "title": title,
                "required": name != "about",
                "settings": {"type": "text", "use_markdown": False},
            }
            for name, title in _FIELDS.items()
        ],
        "questions": [
            _labels("ruling", "What holds?", {k.value: k.value for k in RULING_HINTS}, _told(RULING_HINTS)),
            _labels("relation", "How do they relate?", dict.fromkeys(RELATION_HINTS), _told(RELATION_HINTS)),
            _text("text", "With merge: the one text that stands for both"),
            _labels(
                "confirmed",
                "Is the text meant to name what neither side names?",
                dict.fromkeys(("yes", "no")),
            ),
            _text("reason", "Why? A skip must have a reason"),
            _text("comment", "A note on the question, whatever the ruling"),
        ],
        "metadata": [
            *(_metadata(name, {"type": "terms"}, for_people=name not in _BINDING) for name in _TERMS),
            _metadata("priority", {"type": "integer"}),
            _metadata("confidence", {"type": "float"}),
        ],
        "vectors": [],
        "allow_extra_metadata": False,
        "distribution": {"strategy": "overlap", "min_submitted": 1},
        "mapping": None,
    }


def record(view: ReviewView) -> Json:
    """Return an item as a record whose external id is that of the review."""
    told, found = shown(view), view.judgement
    metadata = {name: told[name] for name in (*_TERMS, "priority") if told.get(name, "") != ""}
    suggestions: Json = {}
    if isinstance(found, Verdict):
        metadata |= {"verdict": found.relation.value, "judge": found.judge, "confidence": found.confidence}
        by = {"agent": found.judge}
        suggestions["relation"] = {"value": found.relation.value, "score": found.confidence, **by}
        if view.queued.item.proposal:
            suggestions["text"] = {"value": view.queued.item.proposal, "score": None, **by}
    known = (("A", "a_about"), ("B", "b_about"), ("Found", "evidence"), ("Noted", "comments"))
    return {
        "id": view.queued.item.id,
        "fields": {
            "question": told["question"],
            "a": told["a_content"],
            "b": told["b_content"],
            "about": "\n\n".join(f"{title}:\n{told[name]}" for title, name in known if told[name]),
        },
        "metadata": metadata,
        "suggestions": suggestions,
        "responses": {},
        "vectors": {},
        "status": "pending",
        "_server_id": None,
    }


def records_text(views: Iterable[ReviewView]) -> Iterator[str]:
    """Yield the array of the records, one a line."""
    before = "[\n"
    for view in views:
        yield before + json.dumps(record(view), ensure_ascii=True, allow_nan=False)
        before = ",\n"
    yield "[]\n" if before == "[\n" else "\n]\n"


def settings_text() -> str:
    """Return the settings as JSON."""
    return json.dumps(settings(), indent=2) + "\n"


def response_answers(
    items: Iterable[Item], *, reviewer: str = "", users: Mapping[str, str] | None = None
) -> Iterator[ImportedRuling | RulingFault]:
    """Yield what people submitted to records as Argilla exports them, nested (``to_json``) or flat.

    Drafts and discarded responses are no answers. The nested form does not say which responses are; they
    are taken from it only where the record is completed by its one user. Where several people answered one
    record otherwise, none of their answers is taken. ``users`` names reviewers by Argilla's user ids;
    ``reviewer`` stands in where a response does not say whose it is.
    """
    for place, (_, data, problem) in enumerate(items, start=1):
        if problem is not None:
            yield RulingFault(place, None, None, problem.message)
            continue
        if not isinstance(data, Mapping):
            yield RulingFault(place, None, None, "a record is a JSON object")
            continue
        review_id = printable(data.get("id"))
        bound, before = _bound(data)
        try:
            by_user = _nested(data) if "fields" in data else _flat(data)
        except InvalidRecordError as error:
            yield RulingFault(place, review_id, error.field, error.message)
            continue
        given: list[tuple[str, Mapping[str, object]]] = []
        for user, values in by_user.items():
            try:
                given.append((person(_TOOL, user, None, users), values))
            except InvalidRecordError as error:
                yield RulingFault(place, review_id, error.field, error.message)
        yield from answered(place, bound, given, before, reviewer)


def _bound(data: Mapping[str, object]) -> tuple[Mapping[str, object], Mapping[str, object]]:
    """Return ids and digests as they were shown, and what had been suggested."""
    metadata, suggestions = data.get("metadata"), data.get("suggestions")
    if "fields" in data:
        kept = metadata if isinstance(metadata, Mapping) else {}
        told = suggestions if isinstance(suggestions, Mapping) else {}
        before = {
            name: value.get("value") for name in CONTROLS if isinstance(value := told.get(name), Mapping)
        }
    else:
        kept = data
        before = {name: data.get(f"{name}.suggestion") for name in CONTROLS}
    return {**{name: kept.get(name) for name in _BINDING}, "review_id": data.get("id")}, before


def _nested(data: Mapping[str, object]) -> dict[str, dict[str, object]]:
    """Return the submitted values by user of a record with a list of responses for each question."""
    by_user: dict[str, dict[str, object]] = {}
    told_by: set[str] = set()
    unsure = False
    for name in CONTROLS:
        for response in _listed(data.get("responses") or {}, name):
            if not isinstance(response, Mapping):
                raise InvalidRecordError("is not a list of responses", field=name)
            user = str(response.get("user_id") or "")
            status = response.get("status")
            told_by.add(user)
            unsure = unsure or status is None
            if status in (None, _SUBMITTED):
                _put(by_user, user, name, response.get("value"))
    if unsure and by_user and (len(told_by) > 1 or data.get("status") != "completed"):
        raise InvalidRecordError(
            "do not say which of them were submitted; export with to_list(flatten=True)",
            field="responses",
        )
    return by_user


def _flat(data: Mapping[str, object]) -> dict[str, dict[str, object]]:
    """Return the submitted values by user of a record with columns for each question."""
    by_user: dict[str, dict[str, object]] = {}
    for name in CONTROLS:
        values, users, states = (
            _listed(data, f"{name}.responses{part}") for part in ("", ".users", ".status")
        )
        if not len(values) == len(users) == len(states):
            raise InvalidRecordError("does not say whose its responses are, and of what status", field=name)
        for value, user, status in zip(values, users, states, strict=True):
            if status == _SUBMITTED:
                _put(by_user, str(user or ""), name, value)
    return by_user


def _put(by_user: dict[str, dict[str, object]], user: str, name: str, value: object) -> None:
    values = by_user.setdefault(user, {})
    if name in values:
        raise InvalidRecordError("one user answered it twice", field=name)
    values[name] = value


def _listed(data: object, name: str) -> list[object]:
    found = data.get(name) if isinstance(data, Mapping) else None
    if found is None:
        return []
    if not isinstance(found, list):
        raise InvalidRecordError("is not a list", field=name)
    return found


def _labels(name: str, title: str, options: Mapping[str, str | None], description: str | None = None) -> Json:
    return {
        "name": name,
        "title": title,
        "description": description,
        "required": name == "ruling",
        "settings": {
            "type": "label_selection",
            "options": [{"value": value, "text": text or value} for value, text in options.items()],
            "visible_options": len(options) if len(options) > 2 else None,
        },
    }


def _text(name: str, title: str) -> Json:
    return {
        "name": name,
        "title": title,
        "description": None,
        "required": False,
        "settings": {"type": "text", "use_markdown": False},
    }


def _metadata(name: str, kind: Json, *, for_people: bool = True) -> Json:
    return {"name": name, "title": name, "visible_for_annotators": for_people, "settings": kind}


def _told(hints: Mapping[RulingKind, str] | Mapping[str, str]) -> str:
    return "\n".join(f"{value}: {hint}" for value, hint in hints.items())
